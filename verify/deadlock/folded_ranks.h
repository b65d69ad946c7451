#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The ranks of a Plan, those that can only go on alike as one: an index for each that is left.
///
/// Along a folded axis the Plan looks the same from every rank: rank groups hold whole lines of it, and no message goes
/// along it or depends on the coordinate, but for permutes that go along folded axes alone.
class FoldedRanks {
 public:
  /// Nothing where more than `most` would be left.
  static std::optional<FoldedRanks> of(const Plan& plan, double most);

  size_t count() const { return group_of_.size(); }
  /// Ranks for which one stands.
  int64_t fold() const { return mesh_->device_count() / static_cast<int64_t>(count()); }
  /// The first rank that `index` stands for.
  int64_t position(size_t index) const { return mesh_->member(kept_, 0, static_cast<int64_t>(index)); }
  size_t index_of(int64_t position) const { return static_cast<size_t>(mesh_->index_in(kept_, position)); }
  /// Its place in Plan::groups; nothing where it has nothing to do.
  std::optional<size_t> group_of(size_t index) const { return group_of_[index]; }
  /// What is left of the groups of a communicator.
  Communicator folded(const Communicator& communicator) const;

 private:
  explicit FoldedRanks(const Plan& plan);
  void find_groups(const Plan& plan);

  const Mesh* mesh_;
  Group kept_;  ///< axes that are not folded
  std::vector<std::optional<size_t>> group_of_;
};

}  // namespace isoshard::verify

#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// How values of rank groups make up values of a program: a stage of a pipeline computes a step once for each
/// micro-batch, and outside of pipelines each group has its ranks' part of every value. In a Plan with one group every
/// value stands for itself. Plans without loops only.
class GroupValues {
 public:
  explicit GroupValues(const Plan& plan);

  /// The positions for which what `position` holds stands: its own, and where other groups hold none of its values
  /// those with the same coordinates on all axes but the ones that tell the groups apart.
  const std::vector<int64_t>& stands_for(int64_t position) const { return stands_for_[static_cast<size_t>(position)]; }
  /// The position of the group of `id` that stands for `position`.
  int64_t home(PlanValueId id, int64_t position) const;
  /// Whether `position` is the first one of its group.
  bool is_first(int64_t position) const { return first_[static_cast<size_t>(position)] != 0; }

  /// What the same step of a stage makes for each micro-batch, in order, `id` among them; empty where it makes one.
  const std::vector<PlanValueId>& micro_batches(PlanValueId id) const { return of(families_, id); }
  /// The most micro-batches of a step; 1 without pipelines.
  int64_t micro_batch_count() const;
  /// Whether `id` is made by a backward action (B, I, W), where the gradient of a mean over micro-batches begins with 1
  /// for each of them.
  bool is_backward(PlanValueId id) const { return backward_[id.index()] != 0; }
  /// What each position has of a value that all groups have a part of, `id` among them; otherwise empty.
  const std::vector<PlanValueId>& all_groups(PlanValueId id) const { return of(joined_, id); }

 private:
  struct Families {
    std::vector<int> number;  ///< per value, or -1
    std::vector<std::vector<PlanValueId>> members;
  };
  static const std::vector<PlanValueId>& of(const Families& families, PlanValueId id);
  void add(Families& families, std::vector<PlanValueId> members, const std::vector<PlanValueId>& own);
  void find_places(const Plan& plan);
  void find_steps(const Plan& plan, const std::vector<std::vector<PlanValueId>>& values);
  void find_parts(const Plan& plan, const std::vector<std::vector<PlanValueId>>& values);

  std::vector<std::vector<int64_t>> stands_for_;
  std::vector<std::vector<int64_t>> homes_;  ///< per group and position; empty: one group
  std::vector<char> first_;
  std::vector<size_t> group_;     ///< per value
  std::vector<ActionId> action_;  ///< per value, with several groups
  Families families_, joined_;
  std::vector<char> backward_;
};

}  // namespace isoshard::verify

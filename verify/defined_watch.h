#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "sim/engine.h"
#include "sim/exact_ring.h"
#include "verify/facts/partial_uses.h"
#include "verify/order_facts.h"

namespace isoshard::verify {

/// Keeps the values in one exact ring of what the partial functions of one program are applied to. Thread-safe while
/// running.
class DefinedWatch final : public sim::ValueObserver {
 public:
  /// `positive` as for signs_of.
  explicit DefinedWatch(const Plan& plan, const std::vector<bool>& positive = {});

  bool needed() const { return !uses_.empty(); }
  /// The ring of the run that follows.
  void observe(const sim::Domain& domain);
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;

  const std::vector<PartialUse>& uses() const { return uses_; }
  /// Those, as indices, one of whose arguments no partial function of `reference` is applied to that needs as much,
  /// or only where it may drop the result.
  std::vector<size_t> beyond(const DefinedWatch& reference) const;

 private:
  using Residues = std::array<uint64_t, 2>;  ///< in the first and the last lane
  using Known = std::map<Needs, std::vector<Residues>>;

  std::vector<Residues> residues_of(PlanValueId id) const;
  Known known(bool droppable) const;

  std::vector<PartialUse> uses_;
  const sim::ExactRing* ring_ = nullptr;  ///< null for domains that tests plant
  std::vector<Renaming> renamed_;         ///< what loops hand on, of which only the first name is seen
  std::vector<bool> wanted_;              ///< per value
  std::vector<bool> only_nonzero_;        ///< per value: then a number that is not 0 is as needed
  std::mutex mutex_;
  std::vector<std::vector<Residues>> residues_;  ///< per value, of all its elements
};

}  // namespace isoshard::verify

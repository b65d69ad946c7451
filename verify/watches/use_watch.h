#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/engine/engine.h"
#include "verify/watches/use_marks.h"

namespace isoshard::verify {

/// Keeps, while a program runs in an exact ring, two residues of each element that its partial functions are applied
/// to. Thread-safe while running.
class UseWatch final : public sim::ValueObserver {
 public:
  UseWatch(const Plan& plan, int64_t steps) : marks_(plan, steps), elements_(marks_.uses().size()) {}

  bool needed() const { return !marks_.uses().empty(); }
  /// The ring of the run that follows.
  void observe(const sim::Domain& domain);
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;
  bool looks_at_devices() const override { return false; }

  const UseMarks& marks() const { return marks_; }
  /// Per use: some element of it is one to which `reference` applies no partial function that needs as much.
  std::vector<bool> beyond(const UseWatch& reference) const;

 private:
  /// Residues in the first and the last lane.
  struct Seen {
    std::array<uint64_t, 2> residues;
    Needs needs;
    auto operator<=>(const Seen&) const = default;
  };

  std::vector<Seen> known() const;

  UseMarks marks_;
  const sim::ExactRing* ring_ = nullptr;  ///< null for domains that tests plant
  std::mutex mutex_;
  std::vector<std::vector<Seen>> elements_;  ///< per use
};

}  // namespace isoshard::verify

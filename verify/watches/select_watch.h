#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Sees which sides the selects of one program take whose predicates depend on comparisons of floats, over any number
/// of runs in exact rings (docs/spec/opaque.md, "One-sided selects"). A predicate that is neither false nor true in all
/// lanes stands for both. Thread-safe while running.
class SelectWatch final : public sim::ValueObserver {
 public:
  /// `plan` must outlive it.
  explicit SelectWatch(const Plan& plan);

  /// False when there is no such select; then there is no need to observe.
  bool needed() const { return !selects_.empty(); }
  /// The ring of the runs that follow.
  void observe(const sim::Domain& domain) { ring_ = dynamic_cast<const sim::ExactRing*>(&domain); }
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;
  bool looks_at_devices() const override { return false; }

  /// `%y at file:line:col always takes %a`, for each select that ran and took one side only.
  std::vector<std::string> one_sided() const;

 private:
  const Plan& plan_;
  const sim::ExactRing* ring_ = nullptr;
  std::vector<InstructionId> selects_;
  /// The sides that a predicate has named, shared by the names that it has in loops; null: not watched.
  std::vector<std::shared_ptr<std::atomic<uint8_t>>> of_value_;
};

}  // namespace isoshard::verify

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Looks for denominators that have no inverse: by chance in one lane, or (x/0) in all lanes at once. Thread-safe while
/// running.
class DenominatorWatch final : public sim::ValueObserver {
 public:
  DenominatorWatch(const Plan& plan, int64_t steps, const sim::Domain& domain);

  /// False when nothing is divided by; then there is no need to observe.
  bool needed() const { return !watched_.empty(); }
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;
  bool looks_at_devices() const override { return false; }

  /// Lanes (bits) in which a denominator in the cone of one of `outputs` was 0.
  uint32_t lanes_in_cone(const std::vector<bool>& outputs) const;
  /// The divisions whose denominator was 0 in all lanes for some element.
  std::vector<InstructionId> zeros() const;

 private:
  struct Watched {
    InstructionId division;
    std::atomic<uint32_t> lanes{0};
    std::atomic<bool> zero{false};
  };

  const Plan& plan_;
  int64_t steps_;
  const sim::ExactRing* ring_;  ///< null for domains that tests plant
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<Watched*> of_value_;
};

}  // namespace isoshard::verify

#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/exact_ring.h"
#include "verify/pair.h"

namespace isoshard::verify {

/// Which operand of `instruction` decides whether its result is a finite number: a denominator, the argument of a
/// logarithm or root; empty for functions that are always defined.
std::optional<size_t> partial_argument(const Instruction& instruction);

/// Keeps the arguments of partial functions that depend on integers, keys or predicates of the inputs and are not
/// positive by their construction: for some integers these may be 0 or negative, which formulas do not see (u/u is 1).
/// Thread-safe while running.
class DefinedWatch final : public sim::ValueObserver {
 public:
  DefinedWatch(const Plan& plan, const sim::Domain& domain);

  bool needed() const { return needed_; }
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;

  /// The first use of an argument that `reference` uses nowhere in the same function, or only where a select or a
  /// comparison may drop the result; invalid where there is none.
  InstructionId beyond(const DefinedWatch& reference) const;

 private:
  using Residues = std::array<uint64_t, 2>;  ///< in the first and the last lane

  const Plan& plan_;
  const sim::ExactRing* ring_;  ///< null for domains that tests plant
  bool needed_ = false;
  std::vector<InstructionId> uses_;
  std::vector<bool> wanted_;  ///< per value
  std::mutex mutex_;
  std::vector<std::vector<Residues>> residues_;  ///< per value, of all its elements
};

}  // namespace isoshard::verify

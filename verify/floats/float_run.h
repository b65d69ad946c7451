#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/workers.h"
#include "verify/answers/counterexample.h"
#include "verify/answers/ring_output.h"
#include "verify/compare/inputs.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

struct FloatOutcome {
  std::optional<Diagnostic> failure;
  std::vector<FloatOutput> outputs;  ///< per output of the sharded program
};

struct FloatOptions {
  uint64_t seed = 0;
  sim::Workers workers{};
  uint32_t draws = 1;  ///< of all inputs, where outputs differ
  /// Makes the domain of (value, error bound); empty: sim's. Tests plant faulty ones, which have no masks.
  std::function<std::unique_ptr<sim::Domain>()> domain;
  /// Per output of the sharded program what rings found; empty: nothing is known. An update is compared after that step
  /// instead of the last one. Where it is `masked` the constants that are infinite there are so here, too; as they
  /// stand they count at scale 1 only, and traces of them do not.
  std::vector<RingOutput> known{};
  std::shared_ptr<const Integers> integers{};  ///< in place of those that would be drawn
  sim::ConstantReadings constants{};           ///< exact, or read as other numbers
  bool keep_inputs = false;                    ///< fill Counterexample::arrays
  /// Rings found all outputs equal, for all inputs: special inputs need bounds only where plain f64 differs.
  bool all_equal = false;
  bool by_orders = false;  ///< some of them in drawn orders of their floats
};

/// Rung F: one run at scale 1 beside an EQUAL; where `differs` (per output) says so, further scales from 2^-8 to 2^8
/// and all draws until those outputs have a counterexample: a difference above 1000 times the computed rounding bound,
/// which is finite. A draw with a tie that decides an integer is not used, nor are integers that an output's verdict is
/// not about (OutputRows).
FloatOutcome compare_in_floats(const Pair& pair, const FloatOptions& options, const std::vector<bool>& differs);

/// Goes on with the inputs that random ones are hardly ever: zeros, ties, one sign, extremes, until some output of
/// `outcome` has a counterexample.
void compare_special_inputs(const Pair& pair, const FloatOptions& options, FloatOutcome& outcome);

/// Goes on with inputs of which random ones hardly ever have the order (guided_runs), until each output that is `open`
/// has a counterexample.
void compare_guided_inputs(const Pair& pair, const FloatOptions& options, const std::vector<bool>& open,
                           FloatOutcome& outcome);

/// How many runs of both programs one search may make: so many elements are computed, whatever their size.
size_t most_runs(const Pair& pair);

}  // namespace isoshard::verify

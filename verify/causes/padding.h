#pragma once

#include <optional>
#include <vector>

#include "sim/engine/workers.h"
#include "verify/answers/diagnosis.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The first view whose padding a wrong output depends on: that output changes with the padding, all else being equal.
/// Nothing where no padding does harm. `globals` and `domain` are those of a run in which the programs differ.
std::optional<Diagnosis> diagnose_padding(const Pair& pair, const sim::Domain& domain,
                                          const std::vector<sim::Value>& globals, const RingOutcome& outcome,
                                          const sim::Workers& workers);

/// An output that padding turns into NaN, and where that padding comes from.
struct NanOutput {
  size_t output = 0;  ///< of the sharded program
  Diagnosis diagnosis;
};

/// Whether some view of floats of either program has padding.
bool has_padding(const Pair& pair);

/// Inputs that are tried where structure does not show that padding reaches nothing.
inline constexpr uint32_t kPaddingDraws = 32;

/// What formulas do not show of padding: it may be NaN (as in `sim`), and 0 times NaN is no 0. Runs both programs on
/// inputs in f64 with padding that is a number and with padding that is NaN; gives the first output with an element, of
/// either program, that is finite with the one and NaN with the other. Nothing when no view is padded.
/// `draws` inputs, and no fewer than 8 where floats are compared, for some may not let padding through; a run that
/// fails with NaN only is such an output, too. What data makes NaN on all of them is not seen.
std::optional<NanOutput> find_nan_from_padding(const Pair& pair, uint64_t seed, uint32_t draws,
                                               const sim::Workers& workers);

}  // namespace isoshard::verify

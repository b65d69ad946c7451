#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <vector>

#include "verify/assumptions.h"
#include "verify/ring_options.h"
#include "verify/ring_output.h"
#include "verify/ring_size.h"
#include "verify/rung_record.h"

namespace isoshard::verify {

/// A division by 0 in all lanes of every draw.
struct ZeroDenominator {
  std::string value;  ///< its name
  Location location;
};

/// The result of comparing two programs on one rung.
struct RingOutcome {
  std::optional<Diagnostic> failure;  ///< a program did not run to its end (deadlock, mismatch)
  Reason silent;                      ///< why this rung cannot speak about the programs; empty when it can
  std::string order_undecidable;      ///< on rung A: why rung B could not speak
  Reason open;  ///< why rung E decided nothing: its equal values may be wrong, or its laws do not reach
  std::vector<RingOutput> outputs;  ///< per output of the sharded program
  uint32_t first_step = 0;          ///< the first in which any output or updated global differs; 0 when none does
  RingTerms terms;
  Assumptions assumes;
  std::optional<ZeroDenominator> zero_denominator;
  std::vector<RungRecord> rungs;  ///< that climb() asked, in order
  Draw last_draw;                 ///< the draw that differed, otherwise the last one; integers in it are drawn

  bool equal() const;
  /// Ran, in its ring, to the end.
  bool speaks() const { return !failure && silent.empty(); }
};

/// The globals whose integers, keys or predicates are drawn unless they are covered.
std::vector<std::string> discrete_inputs(const Pair& pair, bool soft_predicates);

/// Runs draws until each of the outputs `wanted` (empty: all) has differed, or all draws. An output that is not wanted,
/// such as an update that a wanted one reads in the next step, may count as equal after fewer draws.
RingOutcome compare_in_ring(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted = {});

}  // namespace isoshard::verify

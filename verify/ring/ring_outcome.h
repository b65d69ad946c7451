#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <vector>

#include "verify/answers/assumptions.h"
#include "verify/answers/ring_output.h"
#include "verify/answers/rung_record.h"
#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// A division by 0 in all lanes of every draw.
struct ZeroDenominator {
  std::string value;  ///< `%z`, or its expression
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
  std::vector<RungRecord> rungs;  ///< that run_ladder() asked, in order
  Draw last_draw;                 ///< the draw that differed, otherwise the last one; integers in it are drawn

  bool equal() const;
  /// Ran, in its ring, to the end.
  bool speaks() const { return !failure && silent.empty(); }
};

}  // namespace isoshard::verify

#pragma once

#include <optional>
#include <vector>

#include "sim/engine/beside.h"
#include "verify/floats/float_run.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The ordinary run of rung F beside an EQUAL, which may begin before it is known whether there is one.
class FloatsAhead {
 public:
  /// `options` are those of outputs of which nothing is known yet. Nothing begins.
  FloatsAhead(const Pair& pair, FloatOptions options) : pair_(pair), options_(std::move(options)) {}

  /// Begins on a thread of its own, where there is one.
  void begin();

  /// compare_in_floats() beside what `ring` says, where no output `differs`; nothing where it has not begun, or rings
  /// say more than that all is equal, such as for which integers: another run is asked for then, and this one ends.
  std::optional<FloatOutcome> take(const RingOutcome& ring, const std::vector<bool>& differs);

 private:
  const Pair& pair_;
  const FloatOptions options_;
  std::optional<sim::Beside<FloatOutcome>> run_{};
};

}  // namespace isoshard::verify

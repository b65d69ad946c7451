#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/calls/fusion/inlining.h"
#include "core/plan/calls/sums.h"

namespace isoshard::calls {

/// A reduction over some dimensions of a value.
struct ReductionOf {
  Reducing op = Reducing::add;
  std::vector<int64_t> dims;
  Held operand, result;
  std::optional<Place> chunks;  ///< where the results of chunks go, which a JoinChunks makes one
};

/// The reduction where it computes the elements of its operand, which is made so, itself, with the same bits, and
/// writes the operand, too, if others are to read it (`is_needed`) and cannot compute it any more then. Nothing: a
/// kernel cannot (reducing.cc).
std::optional<ReducedMap> with_terms_of(const MadeValue& made, const ReductionOf& reduction, bool is_needed);

}  // namespace isoshard::calls

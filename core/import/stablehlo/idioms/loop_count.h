#pragma once

#include <cstdint>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// How a loop counts: loop value `counter` goes from `start` by `step`, at most `trips` times. Of loops that run side
/// by side, one for each element, none of their counters is that of all: `counter` is kNone.
struct LoopCount {
  static constexpr size_t kNone = SIZE_MAX;

  size_t counter = 0;
  int64_t start = 0, step = 1, trips = 0;
  bool exact = true;  ///< nothing else ends it, or it does not matter when it ends
};

/// The count of a `stablehlo.while`; an error where its condition does not bound it (M-unsupported).
LoopCount count_of(Lowering& lowering, const Operation& loop, const Scope& scope);

/// Whether the body of a loop returns loop value i as it is.
bool stays(const Region& body, size_t i);

}  // namespace isoshard::stablehlo

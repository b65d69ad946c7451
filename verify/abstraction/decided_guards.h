#pragma once

#include <cstdint>
#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// `pair`, which runs for one step, with what guards ask decided where the answer is the same for all inputs: whether a
/// sum of exponentials is 0, as in `where(l == 0, 1, l)`, that is 0 for no input, whether what may be -inf is finite,
/// and whether it is itself. The same functions; nothing where no guard is decided. `seed`: of a run in f64.
std::optional<Pair> decide_guards(const Pair& pair, uint64_t seed);

}  // namespace isoshard::verify

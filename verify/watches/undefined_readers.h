#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "verify/compare/pair.h"
#include "verify/watches/definedness.h"
#include "verify/watches/element_conditions.h"

namespace isoshard::verify {

/// Adds what outputs rest on that are made by functions that have a value where an operand has none: is_finite,
/// comparisons, converts to integers (docs/spec/verdict.md, "Where a formula has no value"). Per output: whether it was
/// seen to have a value, that of the reference, wherever the reference has one, so that nothing else is to be judged.
std::vector<bool> judge_undefined_readers(const Pair& pair, const UseMarks& sharded, const UseMarks& reference,
                                          const std::function<RingAgain()>& again, uint64_t seed, Definedness& result);

}  // namespace isoshard::verify

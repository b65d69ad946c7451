#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Which zero a value of floats is where it is 0: formulas do not tell, and 1/(-0) is -inf. `of_input`: that of the
/// input that it is.
enum class ZeroSign : uint8_t { plus, of_input, either };

/// Per value of `plan`, of all its elements: reductions, and sums of which a term is, are +0; products and negated
/// values have either sign, and so has what is joined of two kinds. The signs of products and quotients by what is
/// positive are those of the other operand.
std::vector<ZeroSign> zero_signs_of(const Plan& plan);

}  // namespace isoshard::verify

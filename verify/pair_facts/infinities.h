#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/rational.h"

namespace isoshard::verify {

/// Whether a float dtype has inf; what is infinite is nan otherwise (docs/language.md).
constexpr bool has_infinity(DType dtype) { return dtype != DType::f8e4m3; }

/// The infinity that the greatest or the least of no floats is; nothing of other instructions.
std::optional<Rational> extreme_of_nothing(const Plan& plan, const Instruction& i);

/// Whether an instruction takes the largest of some floats.
bool takes_maximum(const Instruction& i);

/// Per float of a Plan: whether infinite constants are part of it.
struct MadeOfInfinity {
  std::vector<bool> at_all;
  /// Those that may be infinite or NaN for it: an exponential of -inf is 0, so that what is made of it is not, where
  /// the program does nothing with its infinities that could give +inf or NaN but to mask and to take maxima.
  std::vector<bool> infinite;
  /// Whether that is all that the program does with them: then NaN comes of maxima of nothing but -inf only.
  bool only_masks = true;
};

MadeOfInfinity made_of_infinity(const Plan& plan, int64_t steps);

}  // namespace isoshard::verify

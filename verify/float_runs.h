#pragma once

#include <optional>
#include <vector>

#include "verify/counterexample.h"
#include "verify/inputs.h"
#include "verify/pair.h"

namespace isoshard::verify {

/// One run of both programs in rung F.
struct FloatRun {
  FloatDraw floats{};
  uint32_t draw = 0;
  const char* inputs = "";          ///< what they are like; empty: the scale says all
  bool special = false;             ///< what random inputs are hardly ever
  std::optional<GlobalId> large{};  ///< the input that is kLarge times what `floats` says
  uint32_t step = 1;
  Masks masks = Masks::none;
  bool measure = false;  ///< the distances

  static constexpr double kLarge = 0x1p16;
};

/// The first draw at all scales, then the others: a clip at a norm that is 1 takes effect in some of them only.
std::vector<FloatRun> ordinary_runs(uint32_t draws);
/// For clips whose limit is reached on no other inputs, or on all.
std::vector<FloatRun> further_scales();
/// Whole numbers add without rounding: comparisons of equal sums, as in the gradient of a maximum, are then decided.
std::vector<FloatRun> whole_runs();
/// What a formula may forget: ties, zeros, numbers of one sign, bounds that few numbers reach, one large input.
std::vector<FloatRun> special_runs(const Pair& pair);

}  // namespace isoshard::verify

#pragma once  // internal

#include <cstddef>
#include <string>
#include <vector>

#include "verify/answers/counterexample.h"
#include "verify/compare/inputs.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// One run of both programs in rung F.
struct FloatRun {
  FloatDraw floats{};
  uint32_t draw = 0;
  std::string inputs{};  ///< what they are like; empty: the scale says all
  bool special = false;  ///< what random inputs are hardly ever
  GlobalId one{};        ///< an input that is as `of_one` says in place of `floats`; not valid: none
  FloatDraw of_one{};
  uint32_t step = 1;
  Masks masks = Masks::none;
  bool measure = false;  ///< the distances
};

/// The first draw at all scales, then the others: a clip at a norm that is 1 takes effect in some of them only.
std::vector<FloatRun> ordinary_runs(uint32_t draws);
/// Runs at further scales, for clips whose limit is reached on no other inputs, or on all.
std::vector<FloatRun> further_scales();
/// Whole numbers add without rounding: comparisons of equal sums, as in the gradient of a maximum, are then decided.
std::vector<FloatRun> whole_runs();
/// What a formula may forget: ties, zeros, numbers of one sign, bounds that few numbers reach, one large input.
std::vector<FloatRun> special_runs(const Pair& pair);
/// At most `most` runs, for orders and decisions that random inputs hardly ever take: each global in turn in ascending
/// and in descending order, with one half far larger than the other one, as the tokens of some devices may be, and with
/// one column far larger than the others, as of a router whose tokens all choose one expert.
std::vector<FloatRun> guided_runs(const Pair& pair, size_t most);

}  // namespace isoshard::verify

#pragma once

#include <optional>
#include <vector>

#include "core/plan/calls/fusion/chain.h"

namespace isoshard::calls {

/// A value and what its elements are made of.
struct MadeValue {
  Held value;
  Chain chain;
};

/// Most steps of an element that had better be computed again than written.
inline constexpr size_t kStepsWorthRepeating = 4;

/// Whether the first thing that the chain does is to take the value, and it reads it nowhere else.
bool begins_with(const Chain& chain, const Held& value);

/// Whether a kernel that writes the chain's elements to `output` would write over an input that threads of other
/// elements read.
bool writes_over_others(const Chain& chain, const View& output);

/// Whether it is the same number everywhere, which costs nothing to write again.
bool is_number(const Chain& chain);

/// Whether such a number needs no rounding to be one of `dtype`, as far as its bits show.
bool is_number_of(DType dtype, const Chain& number);

/// The steps that make of what the chain ends with a number of `dtype`, as writing and reading it does; none where all
/// are. Nothing: no steps can.
std::optional<std::vector<Step>> rounding(const Chain& chain, DType dtype);

/// `chain`, whose elements go to `result`, where it computes the elements of a value that it reads itself, with the
/// same bits. Nothing: a kernel cannot, or had better not (inlining.cc).
std::optional<Chain> inlined(const Chain& chain, const Held& result, const MadeValue& made);

}  // namespace isoshard::calls

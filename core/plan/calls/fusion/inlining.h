#pragma once

#include <optional>

#include "core/plan/calls/fusion/chain.h"

namespace isoshard::calls {

/// A value and what its elements are made of.
struct MadeValue {
  Held value;
  Chain chain;
};

/// Whether the first thing that the chain does is to take the value, and it reads it nowhere else.
bool begins_with(const Chain& chain, const Held& value);

/// Whether it is the same number everywhere, which costs nothing to write again.
bool is_number(const Chain& chain);

/// `chain`, whose elements go to `result`, where it computes the elements of a value that it reads itself, with the
/// same bits. Nothing: a kernel cannot, or had better not (inlining.cc).
std::optional<Chain> inlined(const Chain& chain, const Held& result, const MadeValue& made);

}  // namespace isoshard::calls

#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// Whether the result of an instruction is its operand under another name, the same bytes: reshape and stop_gradient.
bool only_renames(const Instruction& instruction);

/// Bytes of a value as its type says (key: 8 bytes, pred: 1). They are doubles, because sizes in a file are only
/// claims.
double bytes_of(const TensorType& type);

}  // namespace isoshard

#pragma once

#include "core/ir/program.h"
#include "tests/reference/array.h"

namespace isoshard::reference {

/// The results of one op that every device computes on its own operands, by StableHLO's semantics.
///
/// `op` must be local: views, collectives, state ops, scans and calls belong to the interpreter.
template <class T>
std::vector<Array<T>> evaluate_local(const OpData& op, const std::vector<const Array<T>*>& operands,
                                     const std::vector<TensorType>& results);

}  // namespace isoshard::reference

#pragma once

#include <string>
#include <vector>

#include "core/ir/types/symbol_table.h"

namespace isoshard {

/// The state of the cotangent of a value with that state, which has no gradient: R and I are = there.
State dual(State state);

/// What a user-written backward of a func, `call @f(...) {vjp=@f_bwd}`, takes and gives (docs/spec/autodiff.md,
/// "Rules"; docs/adr/0021-user-written-derivatives.md). None of these values has a gradient.
struct VjpSignature {
  std::vector<ValueType> arguments;  ///< those of @f, then a cotangent for each of `results`
  std::vector<ValueType> gradients;  ///< a cotangent for each of `wrt`
  std::vector<size_t> wrt;           ///< the arguments of @f that have a gradient
  std::vector<size_t> results;       ///< the results of @f that have one
};
/// The signature for a func whose arguments have the types of one call. In untyped programs cotangents are V.
VjpSignature vjp_signature(const FunctionSignature& function);

/// What is wrong with the states of the gradients that `backward` gives for `function`, one sentence for each that has
/// not the dual state; its shapes are right, and both run on `mesh`. Untyped functions and unknown states are never
/// wrong.
std::vector<std::string> wrong_dual_states(const FunctionSignature& function, const FunctionSignature& backward,
                                           const Mesh& mesh);

}  // namespace isoshard

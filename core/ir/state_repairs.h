#pragma once  // internal

#include <string>
#include <string_view>

#include "core/ir/operand_state.h"

/// What the messages of state errors tell an author to write.
namespace isoshard {

/// `all_reduce %x {axis=model, to=...}`, which completes a sum over `axis`; without `to` where `x` has no gradient.
std::string all_reduce_text(const OperandState& x, const std::string& axis);
/// `reinterpret %x {axis=model, to=V}`.
std::string reinterpret_text(const OperandState& x, const std::string& axis, State to);

/// How `x`, which is not V over `axis`, could be it before an exchange of blocks; `same` says what all devices would
/// then send ("the same").
std::string repair_to_varying(const OperandState& x, const std::string& axis, State state, const std::string& same);

/// How `x`, which is `from` over `axis`, could become `to` when the op `op` cannot do it (docs/spec/states.md, "State
/// errors").
std::string repair_conversion(const OperandState& x, const std::string& axis, State from, State to,
                              std::string_view op);

}  // namespace isoshard

#pragma once  // internal

#include <optional>

#include "core/ir/types/global.h"
#include "core/text/elaborate/scope.h"

namespace isoshard::text {

/// The role that `word` names; nothing after an error (E-role).
std::optional<Role> elaborate_role(const Word& word, const Scope& scope);
/// How a global of `type`, where that is known, begins; nothing after an error (E-init).
std::optional<Init> elaborate_init(const Expr& syntax, const std::optional<TensorType>& type, const Scope& scope);
/// The integers that `syntax`, as in `in 0..vocab, -100`, allows `global`; nothing after an error (E-range).
std::optional<ValueRange> elaborate_range(const ValueRangeSyntax& syntax, const Global& global, const Scope& scope);

}  // namespace isoshard::text

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/text/scope.h"

namespace isoshard::text {

/// The op that `syntax` names, with its fields as written. `view` and `call` have forms of their own and are not read.
///
/// Reports unknown ops (E-op), unknown, doubled and missing fields (E-field) and values of a wrong kind
/// (E-field-value).
std::optional<OpData> read_op(const OpSyntax& syntax, const Scope& scope);

/// The field `wrt` of `grad @f(...) {wrt=[0, 2]}`, with the same errors.
std::optional<std::vector<int64_t>> read_wrt(const OpSyntax& syntax, const Scope& scope);

/// `{axis=model, to=I}` with the fields of `op` in the order of their declaration, or nothing when it has none to show.
std::string print_fields(const OpData& op, const Mesh& mesh);

/// `{data, model}`.
std::string print_axes(const AxisSet& axes, const Mesh& mesh);

}  // namespace isoshard::text

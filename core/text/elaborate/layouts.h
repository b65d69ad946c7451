#pragma once

#include <optional>

#include "core/ir/ops/view_op.h"
#include "core/text/elaborate/scope.h"

namespace isoshard::text {

/// A layout at a place of a file; errors are reported there (E-...).
std::optional<Layout> read_layout(const LayoutSyntax& syntax, const Scope& at);
/// Everything of a view but the global.
std::optional<View> read_view(const LayoutSyntax& layout, const ViewSyntax& syntax, const Scope& at);

}  // namespace isoshard::text

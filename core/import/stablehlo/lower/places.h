#pragma once

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// Where an op comes from: the innermost line of the user's file that its `loc(...)` names, found in the text at
/// `span`; without one, the span itself.
Location place_of(const ModuleText& text, const Attribute& location, Span span);

/// The name that `loc("x")` gives an argument, without what stands behind it; empty where it has none.
std::string_view name_of(const ModuleText& text, const Attribute& location);

}  // namespace isoshard::stablehlo

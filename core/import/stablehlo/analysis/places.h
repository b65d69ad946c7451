#pragma once

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// The innermost line of the user's own files that `loc(...)` names, none of the packages of Python; unknown without
/// one.
Location user_place(const ModuleText& text, const Attribute& location);

/// The innermost line of any file.
Location library_place(const ModuleText& text, const Attribute& location);

/// The name that `loc("x")` gives an argument, without what stands behind it; empty where it has none.
std::string_view name_of(const ModuleText& text, const Attribute& location);

}  // namespace isoshard::stablehlo

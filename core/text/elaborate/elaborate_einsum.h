#pragma once  // internal

#include <string>
#include <vector>

#include "core/text/elaborate/elaboration.h"

namespace isoshard::text {

/// Appends what `einsum "bsd,df->bsf" %x, %w {partial={tp}}` is short for: `reduce`, `dot_general` and `transpose`, as
/// far as they are needed, of which the last has the result `name`. An invalid id after an error (E-einsum).
ValueId elaborate_einsum(const OpSyntax& syntax, const std::vector<ValueId>& operands, const std::string& name,
                         Builder& builder, const Scope& scope, const Span& span);

}  // namespace isoshard::text

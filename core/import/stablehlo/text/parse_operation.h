#pragma once  // internal

#include "core/import/stablehlo/text/parse_attribute.h"

namespace isoshard::stablehlo {

/// The next operation, in its pretty or its generic form, with its regions.
Operation parse_operation(Lexer& lexer);
/// Operations up to `}`, which is taken; a label with arguments may stand before them.
Region parse_region(Lexer& lexer);
/// `%arg0: tensor<4xf32> {attributes} loc(...)`, ... up to `)`, which is taken.
std::vector<BlockArgument> parse_arguments(Lexer& lexer);

}  // namespace isoshard::stablehlo

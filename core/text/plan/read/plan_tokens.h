#pragma once  // internal

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/syntax/parser.h"

namespace isoshard::text {

/// `%a, %b`, at least one.
std::vector<Word> read_value_list(TokenReader& reader);

/// An integer from 0 to below 2^60, which stands there as digits.
int64_t read_count(TokenReader& reader, const std::string& what);

}  // namespace isoshard::text

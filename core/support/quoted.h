#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isoshard {

/// `text` in double quotes for a message: control bytes, quotes and bytes that are not UTF-8 are escaped.
///
/// Texts longer than `limit` bytes are cut and end in `...` after the quote.
std::string quoted(std::string_view text, size_t limit = 80);

}  // namespace isoshard

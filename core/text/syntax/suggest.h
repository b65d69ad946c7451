#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isoshard::text {

/// The end of a message about an unknown name: "; did you mean `x`?", otherwise "; the KIND are a, b" or "; there are
/// no KIND". `prefix` (`@`, `%`) stands before each name.
std::string suggestion(std::string_view word, const std::vector<std::string>& names, std::string_view prefix,
                       std::string_view kind);

/// `a, b, c`, cut after twelve names.
std::string list_names(const std::vector<std::string>& names, std::string_view prefix);

}  // namespace isoshard::text

#pragma once

#include <string>
#include <string_view>

namespace isoshard::command_line {

/// `path` as it is from the current directory where it is below that, as annotations of a repository have it; otherwise
/// as it is.
std::string relative_path(std::string_view path);

}  // namespace isoshard::command_line

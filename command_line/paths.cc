#include "command_line/paths.h"

#include <filesystem>
#include <system_error>

namespace isoshard::command_line {

std::string relative_path(std::string_view path) {
  const std::filesystem::path given = std::filesystem::path(path).lexically_normal();
  if (!given.is_absolute()) return given.generic_string();
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return given.generic_string();
  const std::filesystem::path below = given.lexically_relative(here);
  const bool outside = below.empty() || *below.begin() == "..";
  return (outside ? given : below).generic_string();
}

}  // namespace isoshard::command_line

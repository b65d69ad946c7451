#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace isoshard::exec {

/// A place in the source of a kernel. As a default argument `Site::here()` is that of the call.
struct Site {
  std::string_view file;
  int line = 0;
  auto operator<=>(const Site&) const = default;

  static Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// `sums.cu:120`.
inline std::string to_string(const Site& site) {
  return std::string(site.file.substr(site.file.rfind('/') + 1)) + ":" + std::to_string(site.line);
}

}  // namespace isoshard::exec

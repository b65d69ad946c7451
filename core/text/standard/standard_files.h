#pragma once

#include <span>
#include <string_view>

namespace isoshard::text {

/// A file of the library that is part of the program.
struct StandardFile {
  std::string_view name;  ///< as it is imported: "std/nn.shard"
  std::string_view text;
};

/// All files of core/text/standard.
std::span<const StandardFile> standard_files();

}  // namespace isoshard::text

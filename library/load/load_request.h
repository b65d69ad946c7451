#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::library {

/// NAME=VALUE pairs of `--mesh` and `--set`, as written.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// For which sizes programs are made, and which of them is meant.
struct LoadRequest {
  std::vector<std::string> mesh;               ///< `data=2,model=4`, several times
  std::optional<int64_t> devices;              ///< how many a mesh has; a size of -1 is what is left of them
  std::vector<std::string> set;                ///< `d=512`, several times
  std::string program;                         ///< which program of a file; empty: the left side of its first check
  std::map<std::string, std::string> texts{};  ///< by name: read in place of files
  std::vector<std::string> ranges{};           ///< of StableHLO texts, `ids=0..32000,-100`, several times
  std::vector<std::string> arguments{};        ///< names of their arguments, `x,w`, for all texts or for each
  size_t arrays = 0;  ///< of two texts lowered for the same arrays in one order: how many; 0: nobody says so
};

/// Splits `a=1,b=2` texts; reports what is not NAME=VALUE and returns nothing.
std::optional<Pairs> parse_pairs(const std::vector<std::string>& texts, std::string_view option, DiagnosticSink& sink);

}  // namespace isoshard::library

#pragma once

#include <optional>
#include <string_view>

#include "core/plan/instruction.h"

namespace isoshard {

/// How kinds of collectives are written, by CollectiveKind.
inline constexpr std::string_view kCollectiveNames[] = {
    "all_reduce", "all_reduce_max", "all_reduce_min", "all_gather", "reduce_scatter", "all_to_all", "assert_equal"};

/// `all_reduce`, `all_to_all`, ...
constexpr std::string_view name(CollectiveKind kind) { return kCollectiveNames[static_cast<size_t>(kind)]; }

/// The kind of such a name; nothing for another one.
constexpr std::optional<CollectiveKind> parse_collective(std::string_view text) {
  for (size_t i = 0; i < std::size(kCollectiveNames); ++i) {
    if (kCollectiveNames[i] == text) return static_cast<CollectiveKind>(i);
  }
  return std::nullopt;
}

}  // namespace isoshard

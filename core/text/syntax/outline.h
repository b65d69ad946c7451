#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace isoshard::text {

/// Where the parts of a file begin and end, for the formatter: all else about its lines are tokens and comments.
struct Outline {
  std::vector<uint32_t> starts;  ///< of items and statements: the offset of the first token, rising
  std::vector<std::pair<uint32_t, uint32_t>> blocks;  ///< the offsets of both braces of blocks of statements
  std::vector<uint32_t> calls;                        ///< of the parentheses of calls in expressions, rising
  std::vector<uint32_t> others;  ///< of names that begin an expression, and of layouts behind one, rising
};

}  // namespace isoshard::text

#pragma once

#include <cstddef>

namespace isoshard::sim {

/// How large tables of soft integers, and of floats that depend on them, become before they are given up.
struct SoftLimits {
  size_t joint = 1024;            ///< the parts of a partition by several variables
  size_t everywhere = 32;         ///< of tables that go through every op; larger ones go through +, - and products only
  size_t chosen = 4096;           ///< the entries of a choice between two integers, which adds no further variable
  size_t kept = size_t{1} << 23;  ///< elements that all tables of floats hold together; beyond, floats are means

  /// Tables go through +, - and products only: the mean of such a table has the degree of what it is the mean of.
  static constexpr SoftLimits linear() { return {.everywhere = 0, .kept = size_t{1} << 24}; }
  bool are_linear() const { return everywhere == 0; }
  /// For who has time: an index into a few hundred rows beside another one.
  static constexpr SoftLimits large() { return {size_t{1} << 14, 256, size_t{1} << 14}; }
};

}  // namespace isoshard::sim

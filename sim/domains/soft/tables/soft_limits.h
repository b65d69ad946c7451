#pragma once

#include <cstddef>

namespace isoshard::sim {

/// How large tables of soft integers, and of floats that depend on them, become before they are given up.
struct SoftLimits {
  size_t joint = 1024;     ///< the parts of a partition by several variables
  size_t everywhere = 32;  ///< of tables that go through every op; larger ones go through +, - and products only
  size_t chosen = 4096;    ///< the entries of a choice between two integers, which adds no further variable

  /// For who has time: an index into a few hundred rows beside another one.
  static constexpr SoftLimits large() { return {size_t{1} << 14, 256, size_t{1} << 14}; }
};

}  // namespace isoshard::sim

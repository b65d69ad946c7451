#pragma once

#include <cstddef>
#include <cstdint>

namespace isoshard::testing {

/// What random programs look like. The same options give the same program on every machine.
struct RandomProgramOptions {
  uint64_t seed = 0;
  size_t ops = 20;             ///< ops to make, besides views and what the returns need
  bool typed = true;           ///< false: an `untyped` program
  size_t max_axes = 3;         ///< the mesh has 0 to max_axes axes ...
  int64_t max_axis_size = 5;   ///< ... of sizes 1 to max_axis_size, at times coprime, and at most 64 devices
  int64_t max_elements = 256;  ///< of any local value
  bool functions = true;       ///< with calls of functions made for the purpose
  bool integers = true;        ///< with values of all integer dtypes and pred beside floats
  bool doubles = false;        ///< all floats are f64
  bool updates = false;        ///< with updates of globals that the program reads
  bool exponentials = true;    ///< with exponential, which may overflow when it is nested
  bool scans = true;           ///< with scans, also nested
};

}  // namespace isoshard::testing

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ir/module.h"

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
  bool integers = true;        ///< with i32, u32, i64 and pred values beside floats
  bool doubles = false;        ///< all floats are f64
  bool updates = false;        ///< with updates of globals that the program reads
  bool exponentials = true;    ///< with exponential, which may overflow when it is nested
  bool scans = true;           ///< with scans, also nested
};

struct RandomProgram {
  Module module;  ///< one mesh, a few globals, the functions, the program
  ProgramId program;
};

/// A well-formed program over a random mesh (with unsorted devices at times) and random fields.
///
/// It has no error of shape, dtype or state: typed programs follow every row of the state table, and returned values
/// are reduced or laid out as the return row asks. No output depends on the padding of uneven blocks. Every op of the
/// language and every feature of features.h occurs over many seeds. Values are named by the Builder or by words and
/// indices.
RandomProgram random_program(const RandomProgramOptions& options);

}  // namespace isoshard::testing

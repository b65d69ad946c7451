#pragma once

#include "core/ir/module.h"
#include "tests/property/generator/random_program_options.h"

namespace isoshard::testing {

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

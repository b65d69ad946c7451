#pragma once

#include "core/plan/passes/lower.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::testing {

/// The Plan of the random program of this seed, of up to 40 ops.
inline Plan random_plan(uint64_t seed) {
  RandomProgramOptions options;
  options.seed = seed;
  options.ops = seed % 41;
  const RandomProgram random = random_program(options);
  return lower(random.module, random.program);
}

}  // namespace isoshard::testing

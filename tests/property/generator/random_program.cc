#include "tests/property/generator/random_program.h"

#include "tests/property/generator/random_body.h"
#include "tests/property/generator/random_globals.h"

namespace isoshard::testing {

RandomProgram random_program(const RandomProgramOptions& options) {
  Dice dice(options.seed);
  RandomProgram result;
  const std::shared_ptr<const Mesh> mesh = random_mesh(dice, options);
  result.module.meshes.push_back(mesh);
  add_globals(result.module, *mesh, dice, options);
  BodyGrower grower(result.module, dice, options, mesh, "p", ProgramKind::program);
  grower.grow(options.ops);
  result.program = grower.finish();
  return result;
}

}  // namespace isoshard::testing

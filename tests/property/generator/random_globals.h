#pragma once

#include <memory>

#include "core/ir/module.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program_options.h"

namespace isoshard::testing {

/// A mesh @m within the limits of `options`, at times with unsorted devices.
std::shared_ptr<const Mesh> random_mesh(Dice& dice, const RandomProgramOptions& options);

/// Adds globals @g0, @g1, ... of every role and dtype, whose dimensions often split over axes of the mesh.
void add_globals(Module& module, const Mesh& mesh, Dice& dice, const RandomProgramOptions& options);

}  // namespace isoshard::testing

#pragma once

#include "core/ir/module.h"

namespace isoshard::stablehlo {

/// Gives each integer global that a program uses as an index the range in which that index lies inside: JAX wraps,
/// clamps or fills what lies outside, which sharded programs do not repeat (docs/jax.md, "Integers"). `program` must be
/// the unsharded one, whose arrays are whole. Of several uses the least range counts.
void give_index_ranges(Module& module, ProgramId program);

}  // namespace isoshard::stablehlo

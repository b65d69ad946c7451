#pragma once

#include <map>
#include <string>

#include "core/ir/module.h"
#include "core/value/tensor.h"

namespace isoshard::golden {

/// What every device computes for the gradient of what it reads of each global, by the global's name, stacked along a
/// new first dimension: the derivative of the sum over all devices of <output, cotangent>. `cotangents` holds one for
/// each output, stacked; `given` the globals that are not zeros. In an untyped program this is jax.grad inside
/// shard_map(check_rep=False). Throws as run_program does.
std::map<std::string, Tensor> run_gradients(Module module, ProgramId program,
                                            const std::map<std::string, Tensor>& given,
                                            const std::map<std::string, Tensor>& cotangents);

}  // namespace isoshard::golden

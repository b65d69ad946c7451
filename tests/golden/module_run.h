#pragma once

#include <map>
#include <string>

#include "core/ir/module.h"
#include "core/value/tensor.h"

namespace isoshard::golden {

/// Runs a program of a module on virtual devices: the whole arrays of its outputs and updated globals by name. `given`
/// are the globals that are not zeros. Throws with all messages where the program has errors of states or the run
/// fails.
std::map<std::string, Tensor> run_program(const Module& module, ProgramId program,
                                          const std::map<std::string, Tensor>& given);

}  // namespace isoshard::golden

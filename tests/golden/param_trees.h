#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parallel/sharding/stack_params.h"
#include "tests/golden/golden.h"
#include "tests/golden/program_run.h"

/// Trees of parameters or gradients: the data's, a program's, and what it gave.
namespace isoshard::golden {

/// The names of a leaf as groups of `mesh`.
std::optional<std::vector<Group>> names_of(const Leaf& leaf, const Mesh& mesh);
/// All axes of a mesh.
Group all_axes(const Mesh& mesh);
/// The leaves' local arrays, an input each of `run`.
ParamTree params(ProgramRun& run, const Json& json);
/// Trees under names of their own in one program.
void put_out(ProgramRun& run, const std::string& name, const ParamTree& made);
/// What every device holds of `made`, bit by bit, and its names and paths.
void expect_tree(const ProgramRun& run, const std::map<std::string, std::vector<Tensor>>& outputs,
                 const std::string& name, const ParamTree& made, const Json& json);

}  // namespace isoshard::golden

#pragma once

#include <string>

#include "core/ir/module.h"

namespace isoshard::text {

/// A Module as one JSON object, `"isoshard": 1, "kind": "module"`: meshes, globals, programs with ops, types and
/// states, checks. Values are named as in the text; programs, callees and sides of checks are indices into `programs`.
std::string print_json(const Module& module);
/// The same of `program` and the functions it calls; they keep their indices, the others are null.
std::string print_json(const Module& module, ProgramId program);

}  // namespace isoshard::text

#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace isoshard::testing {

/// The names of all ops of the language, in the order of their list.
std::vector<std::string> all_op_names();

/// The names of the ops on which elements of the outputs and updates of a program depend, also through calls and scans.
std::set<std::string> ops_that_matter(const Module& module, ProgramId program);

/// What is special about a module: which of the features below it has. A verifier that meets only square shapes on one
/// axis of devices misses most mistakes; each feature stands for some that are visible nowhere else.
std::set<std::string> features_of(const Module& module);

/// Every feature that features_of() knows.
std::vector<std::string> all_features();

}  // namespace isoshard::testing

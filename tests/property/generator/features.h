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

/// What is special about a module: which features of all_features() it has.
///
/// Each stands for mistakes of real training code that show nowhere else. Groups mixed up: coprime axes, axes of one
/// device, tuples, other device orders. Shapes and heads that do not divide: uneven blocks, empty ones, masks and
/// padding. Non-contiguous inputs: collectives of transposed values. Buffers used again: collectives of collectives, in
/// scans. Self-sends: permutes to itself, groups of one. Tied weights: two views of one global. Unequal tokens: indices
/// that vary, masks. Accumulation over steps: zero carries, updates (steps_test.cc runs them).
std::set<std::string> features_of(const Module& module);

/// Every feature that features_of() knows.
std::vector<std::string> all_features();

}  // namespace isoshard::testing

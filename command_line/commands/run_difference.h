#pragma once

#include <string>
#include <vector>

#include "command_line/settings.h"
#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "core/value/tensor.h"
#include "exec/algorithms/product_algorithm.h"

namespace isoshard::command_line {

/// Does a step that differs from sim again, with copies of what its calls write, and says which value is the first that
/// differs, on which rank: `first difference  rank 1: FILE:34:8: all_reduce r: [0, 3] is 2, in sim 1 (...)`. `globals`
/// are those with which the step began, `lists` what the ranks issued.
std::string first_difference(const Plan& plan, const std::vector<calls::CallList>& lists,
                             const std::vector<Tensor>& globals, const exec::KnownAlgorithms& known,
                             const Settings& settings);

}  // namespace isoshard::command_line

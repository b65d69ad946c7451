#pragma once

#include <string_view>

#include "core/ir/all_ops.h"

namespace isoshard::autodiff {

/// Why an op has no derivative, for the user; empty for ops that have one, be it zero.
std::string_view no_derivative(const OpData& op);

}  // namespace isoshard::autodiff

#pragma once

#include <optional>

#include "core/plan/plan.h"

namespace isoshard {

/// The same Plan without loops: every iteration has instructions and values of its own, called `%x of iteration 3`
/// (nested: `%x of iteration 3, 0`, outermost first). For a look at single iterations; what runs keeps its loops.
///
/// Nothing when that makes more than `most` instructions.
std::optional<Plan> unroll(const Plan& plan, size_t most);

}  // namespace isoshard

#pragma once

#include <vector>

#include "core/ir/builder/cover.h"
#include "core/plan/plan.h"

namespace isoshard {

/// The elements of an array of sizes `whole` that lie in block[d] of count[d] along each dimension, for the rank at
/// `position` in these iterations of the loops around, outermost first; it may reach over the end of the array.
IndexRange block_box(const Mesh& mesh, const Shape& whole, const std::vector<Expr>& block,
                     const std::vector<int64_t>& count, int64_t position, const std::vector<int64_t>& loops);

/// The part of a global that a LoadBlock reads.
IndexRange loaded_box(const Plan& plan, const LoadBlock& load, int64_t position, const std::vector<int64_t>& loops);

/// The part of an output that a StoreBlock writes.
IndexRange stored_box(const Plan& plan, const StoreBlock& store, int64_t position, const std::vector<int64_t>& loops);

}  // namespace isoshard

#pragma once  // internal

#include <vector>

#include "verify/causes/trial.h"
#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// The values that the instruction of `id` makes in all iterations and calls: those of one place in the source.
std::vector<PlanValueId> copies_of(const Evidence& e, PlanValueId id);

/// Whether the outputs are right with `id` divided by `factor`, alone or wherever its op stands in the program. In
/// pipelines this is not tried, but taken for granted.
bool factor_is_all(const Evidence& e, const Trial& trial, PlanValueId id, const Ratio& factor);

/// Whether the outputs are right with `reference`, held by devices under `folded`, in the place of `id`.
bool stands_for(const Evidence& e, const Trial& trial, PlanValueId id, const ReferenceValue& reference,
                const Folded& folded);

}  // namespace isoshard::verify

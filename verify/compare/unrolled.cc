#include "verify/compare/unrolled.h"

#include <algorithm>

#include "core/plan/passes/unroll.h"

namespace isoshard::verify {

std::optional<Pair> without_loops(const Pair& pair) {
  const auto flat = [](const Plan& plan) { return unroll(plan, std::max(kMostUnrolled, plan.instructions.size())); };
  std::optional<Plan> sharded = flat(pair.sharded.plan), reference = flat(pair.reference.plan);
  if (!sharded || !reference) return std::nullopt;
  Pair result = pair;
  result.sharded.plan = std::move(*sharded);
  result.reference.plan = std::move(*reference);
  return result;
}

}  // namespace isoshard::verify

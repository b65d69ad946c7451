// What collectives compute from what their members bring, whoever brings it together. Cost: one pass over each operand.
#include "sim/evaluate/collective.h"

#include <utility>
#include <vector>

#include "sim/value/movement.h"

namespace isoshard::sim {
namespace {

/// What a reduction computes when it is no sum.
std::optional<Extreme> extreme_of(const Collective& collective) {
  if (collective.kind == CollectiveKind::all_reduce_max) return Extreme::maximum;
  if (collective.kind == CollectiveKind::all_reduce_min) return Extreme::minimum;
  return std::nullopt;
}

}  // namespace

bool is_reduction(const Collective& collective) {
  return collective.kind == CollectiveKind::all_reduce || collective.kind == CollectiveKind::reduce_scatter ||
         extreme_of(collective);
}

Accumulator begin_reduction(const Collective& collective, Value first) {
  return Accumulator(std::move(first), extreme_of(collective), collective.adds_natively());
}

Value exchanged(const Collective& collective, std::span<const Value* const> brought, size_t member) {
  const auto size = static_cast<int64_t>(brought.size());
  std::vector<Value> parts;
  parts.reserve(brought.size());
  for (const Value* value : brought) {
    parts.push_back(take_block(*value, collective.dim, static_cast<int64_t>(member), size));
  }
  return concatenate(parts, collective.concat_dim);
}

}  // namespace isoshard::sim

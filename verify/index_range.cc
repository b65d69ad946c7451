#include "verify/index_range.h"

#include <algorithm>

namespace isoshard::verify {
namespace {

int64_t largest(const Shape& shape) { return shape.empty() ? 0 : *std::max_element(shape.begin(), shape.end()); }

/// What one op looks up or counts; `x` is its first operand's shape, if it has one.
int64_t range_of(const OpData& op, const Shape& x) {
  if (const Gather* gather = std::get_if<Gather>(&op)) return x[static_cast<size_t>(gather->dim)];
  if (const ScatterAdd* scatter = std::get_if<ScatterAdd>(&op)) return x[static_cast<size_t>(scatter->dim)];
  if (std::holds_alternative<DynamicSlice>(op) || std::holds_alternative<DynamicUpdateSlice>(op)) return largest(x);
  const Iota* iota = std::get_if<Iota>(&op);
  return iota != nullptr && is_integer(iota->dtype) ? iota->shape[static_cast<size_t>(iota->dim)] : 0;
}

}  // namespace

int64_t index_range(const Plan& plan) {
  int64_t range = 0;
  for (const Instruction& i : plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data);
    if (local == nullptr) continue;
    range = std::max(range, range_of(local->op, i.operands.empty() ? Shape() : plan.value(i.operands[0]).type.shape));
  }
  return range;
}

}  // namespace isoshard::verify

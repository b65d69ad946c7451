#include <utility>

#include "core/support/check.h"
#include "sim/evaluators.h"
#include "sim/integer_ops.h"
#include "sim/new_value.h"

namespace isoshard::sim {

TwoValues apply(const Reduce& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  ISOSHARD_CHECK(op.op == Reducer::add, "a reducer without an evaluator");
  const ReducePlan plan(x.type.shape, op.dims);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.sum(x.type.dtype, plan, x.data.get(), result.data.get());
  } else {
    integer::sum(x.type.dtype, plan, x.data.get(), result.data.get());
  }
  return {std::move(result).finish(), Value{}};
}

}  // namespace isoshard::sim

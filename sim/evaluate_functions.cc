#include <utility>

#include "sim/evaluators.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

Value float_unary(UnaryOp op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  c.domain.unary(op, x.type.dtype, x.size(), x.data.get(), result.data.get());
  return std::move(result).finish();
}

}  // namespace

Value apply(const Exponential&, const EvalContext& c) { return float_unary(UnaryOp::exponential, c); }
Value apply(const Log&, const EvalContext& c) { return float_unary(UnaryOp::log, c); }
Value apply(const Tanh&, const EvalContext& c) { return float_unary(UnaryOp::tanh, c); }
Value apply(const Logistic&, const EvalContext& c) { return float_unary(UnaryOp::logistic, c); }
Value apply(const StopGradient&, const EvalContext& c) { return c.operand(0); }

}  // namespace isoshard::sim

// Evaluates functions of floats and conversions. Functions are the domain's, one call per array. A conversion has nine
// cases, from and to floats, integers and predicates; those within one kind are the domain's too, and predicates from
// floats are comparisons with zero, so that rings need no case of their own. Floats become integers by truncation,
// integers wrap around. `stop_gradient` is the value itself, since derivatives are made before a program runs. Cost:
// one pass.
#include <utility>

#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluators.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

Value float_unary(UnaryOp op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  c.domain.unary(op, x.type.dtype, x.size(), x.data.get(), result.data.get());
  return std::move(result).finish();
}

Value float_binary(BinaryOp op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  c.domain.binary(op, x.type.dtype, x.size(), x.data.get(), c.operand(1).data.get(), result.data.get());
  return std::move(result).finish();
}

/// x as floats of the result's dtype.
Value to_float(const Value& x, const EvalContext& c) {
  const DType from = x.type.dtype, to = c.result().dtype;
  NewValue result(c.result(), c.domain.storage(to));
  if (is_float(from)) {
    c.domain.convert(from, to, x.size(), x.data.get(), result.data.get());
  } else if (from == DType::pred) {
    c.domain.to_float(to, x.size(), x.data.get(), result.data.get());
  } else {
    c.domain.integers_to_floats(from, to, x.size(), x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

/// x as integers of the result's dtype: floats truncated toward zero, integers modulo its range, predicates as 0 and 1.
Value to_integer(const Value& x, const EvalContext& c) {
  const DType from = x.type.dtype, to = c.result().dtype;
  NewValue result(c.result(), storage_of(to, c.domain));
  if (is_float(from)) {
    c.domain.floats_to_integers(from, to, x.size(), x.data.get(), result.data.get());
  } else if (from == DType::pred) {
    c.domain.predicates_to_integers(to, x.size(), x.data.get(), result.data.get());
  } else {
    c.domain.integers_to_integers(from, to, x.size(), x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

/// x != 0.
Value to_predicate(const Value& x, const EvalContext& c) {
  NewValue result(c.result(), storage_of(DType::pred, c.domain));
  if (is_float(x.type.dtype)) {
    const Value zero = zeros(x.type, c.domain);
    c.domain.compare(Direction::ne, x.type.dtype, x.size(), x.data.get(), zero.data.get(), result.data.get());
    return std::move(result).finish();
  }
  c.domain.integers_to_predicates(x.type.dtype, x.size(), x.data.get(), result.data.get());
  return std::move(result).finish();
}

}  // namespace

Value apply(const Convert& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  if (x.type.dtype == op.dtype) return x;
  if (is_float(op.dtype)) return to_float(x, c);
  return op.dtype == DType::pred ? to_predicate(x, c) : to_integer(x, c);
}

Value apply(const Exponential&, const EvalContext& c) { return float_unary(UnaryOp::exponential, c); }
Value apply(const Log&, const EvalContext& c) { return float_unary(UnaryOp::log, c); }
Value apply(const Tanh&, const EvalContext& c) { return float_unary(UnaryOp::tanh, c); }
Value apply(const Logistic&, const EvalContext& c) { return float_unary(UnaryOp::logistic, c); }
Value apply(const Sqrt&, const EvalContext& c) { return float_unary(UnaryOp::sqrt, c); }
Value apply(const Rsqrt&, const EvalContext& c) { return float_unary(UnaryOp::rsqrt, c); }
Value apply(const Sine&, const EvalContext& c) { return float_unary(UnaryOp::sine, c); }
Value apply(const Cosine&, const EvalContext& c) { return float_unary(UnaryOp::cosine, c); }
Value apply(const ErfInv&, const EvalContext& c) { return float_unary(UnaryOp::erf_inv, c); }
Value apply(const Floor&, const EvalContext& c) { return float_unary(UnaryOp::floor, c); }
Value apply(const ExponentialMinusOne&, const EvalContext& c) { return float_unary(UnaryOp::exponential_minus_one, c); }
Value apply(const LogPlusOne&, const EvalContext& c) { return float_unary(UnaryOp::log_plus_one, c); }
Value apply(const Cbrt&, const EvalContext& c) { return float_unary(UnaryOp::cbrt, c); }
Value apply(const Erf&, const EvalContext& c) { return float_unary(UnaryOp::erf, c); }
Value apply(const Erfc&, const EvalContext& c) { return float_unary(UnaryOp::erfc, c); }
Value apply(const RoundNearestEven&, const EvalContext& c) { return float_unary(UnaryOp::round_nearest_even, c); }
Value apply(const RoundNearestAfz&, const EvalContext& c) { return float_unary(UnaryOp::round_nearest_afz, c); }
Value apply(const Atan2&, const EvalContext& c) { return float_binary(BinaryOp::atan2, c); }
Value apply(const Power&, const EvalContext& c) { return float_binary(BinaryOp::power, c); }

Value apply(const Remainder&, const EvalContext& c) {
  const Value& x = c.operand(0);
  if (is_float(x.type.dtype)) return float_binary(BinaryOp::remainder, c);
  NewValue result(c.result(), x.storage);
  c.domain.integer_op(IntegerOp::remainder, x.type.dtype, x.size(), x.data.get(), c.operand(1).data.get(),
                      result.data.get());
  return std::move(result).finish();
}

Value apply(const StopGradient&, const EvalContext& c) { return c.operand(0); }

}  // namespace isoshard::sim

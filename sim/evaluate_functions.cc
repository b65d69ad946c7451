#include <utility>
#include <vector>

#include "sim/conversion.h"
#include "sim/evaluators.h"
#include "sim/integer_ops.h"
#include "sim/new_value.h"

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

/// Integers as 64-bit numbers.
std::vector<int64_t> widened(const Value& x) {
  std::vector<int64_t> numbers(static_cast<size_t>(x.size()));
  integer::widen(x.type.dtype, x.size(), x.data.get(), numbers.data());
  return numbers;
}

/// Predicates of `value` as bytes 0 and 1.
std::vector<uint8_t> decided(const Value& value, const Domain& domain) {
  std::vector<uint8_t> holds(static_cast<size_t>(value.size()));
  domain.decide(value.size(), value.data.get(), holds.data());
  return holds;
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
    c.domain.from_integers(to, x.size(), widened(x).data(), result.data.get());
  }
  return std::move(result).finish();
}

/// x as integers of the result's dtype: floats truncated toward zero, integers modulo its range, predicates as 0 and 1.
Value to_integer(const Value& x, const EvalContext& c) {
  const DType from = x.type.dtype, to = c.result().dtype;
  NewValue result(c.result(), storage_of(to, c.domain));
  std::vector<int64_t> numbers(static_cast<size_t>(x.size()));
  if (is_float(from)) {
    c.domain.to_integers(from, x.size(), x.data.get(), to, numbers.data());
  } else if (from == DType::pred) {
    const std::vector<uint8_t> holds = decided(x, c.domain);
    numbers.assign(holds.begin(), holds.end());
  } else {
    numbers = widened(x);
  }
  integer::wrap(to, x.size(), numbers.data(), result.data.get());
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
  std::vector<uint8_t> holds;
  for (const int64_t i : widened(x)) holds.push_back(i != 0 ? 1 : 0);
  c.domain.from_native(x.size(), holds.data(), result.data.get());
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
Value apply(const Power&, const EvalContext& c) { return float_binary(BinaryOp::power, c); }

Value apply(const Remainder&, const EvalContext& c) {
  const Value& x = c.operand(0);
  if (is_float(x.type.dtype)) return float_binary(BinaryOp::remainder, c);
  NewValue result(c.result(), x.storage);
  integer::remainder(x.type.dtype, x.size(), x.data.get(), c.operand(1).data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const StopGradient&, const EvalContext& c) { return c.operand(0); }

}  // namespace isoshard::sim

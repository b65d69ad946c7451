#include "sim/evaluate/combine.h"

#include <utility>

#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

void combine(Extreme op, const std::byte* x, const Value& y, const Domain& domain, std::byte* out) {
  if (is_float(y.type.dtype)) {
    domain.extreme(op, y.type.dtype, y.size(), x, y.data.get(), out);
  } else {
    const IntegerOp of_integers = op == Extreme::maximum ? IntegerOp::maximum : IntegerOp::minimum;
    domain.integer_op(of_integers, y.type.dtype, y.size(), x, y.data.get(), out);
  }
}

}  // namespace

Value extreme(Extreme op, const Value& x, const Value& y, const Domain& domain) {
  NewValue result(x.type, x.storage);
  combine(op, x.data.get(), y, domain, result.data.get());
  return std::move(result).finish();
}

void extreme_into(Extreme op, std::byte* acc, const Value& x, const Domain& domain) {
  combine(op, acc, x, domain, acc);
}

}  // namespace isoshard::sim

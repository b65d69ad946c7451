// Functions of one number that the language does not have, written in those that it has. What would cancel near 0 is
// written with exp(x) - 1 and log(1 + x), and angles with atan2, so that what `sim` computes is as good as JAX's. The
// next float is known of constants only: of other numbers it is no function of real numbers. Cost: a few ops each.
#include <cmath>
#include <limits>
#include <optional>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"

namespace isoshard::stablehlo {
namespace {

/// Appends functions of one operand, all of its type.
class OfNumber {
 public:
  OfNumber(Lowering& lowering, const Operation& op, Scope& scope)
      : lowering_(lowering), op_(op), x_(lowering.value(op, 0, scope)) {}

  ValueId x() const { return x_; }
  ValueId number(int64_t n) const { return number(Rational(n)); }
  ValueId number(const Rational& n) const { return lowering_.splat(n, lowering_.builder().type(x_).tensor, op_); }
  template <class Op>
  ValueId of(ValueId a) const {
    return lowering_.append(Op{}, {a}, op_);
  }
  template <class Op>
  ValueId of(ValueId a, ValueId b) const {
    return lowering_.append(Op{}, {a, b}, op_);
  }
  template <class Op>
  std::vector<Wire> is(ValueId a, ValueId b) const {
    return {lowering_.emit(Op{}, {a, b}, op_)};
  }
  /// sqrt(1 - x^2)
  ValueId rest_of_square() const { return of<Sqrt>(of<Multiply>(of<Subtract>(number(1), x_), of<Add>(number(1), x_))); }

 private:
  Lowering& lowering_;
  const Operation& op_;
  ValueId x_;
};

std::vector<Wire> tan(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  return f.is<Divide>(f.of<Sine>(f.x()), f.of<Cosine>(f.x()));
}

/// (e^x - 1)/2 and (e^-x - 1)/2: their difference, or their sum and 1.
std::vector<Wire> sinh(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  const ValueId up = f.of<ExponentialMinusOne>(f.x()), down = f.of<ExponentialMinusOne>(f.of<Negate>(f.x()));
  return f.is<Divide>(f.of<Subtract>(up, down), f.number(2));
}

std::vector<Wire> cosh(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  const ValueId up = f.of<Exponential>(f.x()), down = f.of<Exponential>(f.of<Negate>(f.x()));
  return f.is<Divide>(f.of<Add>(up, down), f.number(2));
}

std::vector<Wire> atan(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  return f.is<Atan2>(f.x(), f.number(1));
}

std::vector<Wire> asin(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  return f.is<Atan2>(f.x(), f.rest_of_square());
}

std::vector<Wire> acos(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  return f.is<Atan2>(f.rest_of_square(), f.x());
}

/// log(|x| + sqrt(x^2 + 1)) with the sign of x, as log(1 + (|x| + x^2 / (1 + sqrt(x^2 + 1)))).
std::vector<Wire> asinh(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  const ValueId square = f.of<Multiply>(f.x(), f.x());
  const ValueId root = f.of<Sqrt>(f.of<Add>(square, f.number(1)));
  const ValueId more = f.of<Divide>(square, f.of<Add>(f.number(1), root));
  return f.is<Multiply>(f.of<Sign>(f.x()), f.of<LogPlusOne>(f.of<Add>(f.of<Abs>(f.x()), more)));
}

std::vector<Wire> acosh(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  const ValueId below = f.of<Sqrt>(f.of<Subtract>(f.x(), f.number(1)));
  const ValueId above = f.of<Sqrt>(f.of<Add>(f.x(), f.number(1)));
  const ValueId sum = f.of<Add>(f.x(), f.of<Multiply>(below, above));
  return {lowering.emit(Log{}, {sum}, op)};
}

std::vector<Wire> atanh(Lowering& lowering, const Operation& op, Scope& scope) {
  const OfNumber f(lowering, op, scope);
  const ValueId up = f.of<LogPlusOne>(f.x()), down = f.of<LogPlusOne>(f.of<Negate>(f.x()));
  return f.is<Divide>(f.of<Subtract>(up, down), f.number(2));
}

/// The one number that operand i is.
std::optional<double> scalar_of(const Lowering& lowering, const Operation& op, size_t i, const Scope& scope) {
  const ConstantArray* array = lowering.constant(op, i, scope);
  return array != nullptr && array->is_splat() ? std::optional(array->elements[0].to_double()) : std::nullopt;
}

std::vector<Wire> next_after(Lowering& lowering, const Operation& op, Scope& scope) {
  const std::optional<double> from = scalar_of(lowering, op, 0, scope), towards = scalar_of(lowering, op, 1, scope);
  const TensorType& type = op.result_types.at(0);
  const bool wide = type.dtype == DType::f64;
  if (!from || !towards || !(wide || type.dtype == DType::f32) || !std::isfinite(*from) || std::isnan(*towards)) {
    lowering.unsupported(op, "the float next to what is no number known here, in f32 or f64");
  }
  const double next =
      wide ? std::nextafter(*from, *towards)
           : static_cast<double>(std::nextafter(static_cast<float>(*from), static_cast<float>(*towards)));
  if (!std::isfinite(next) || next == 0) lowering.unsupported(op, "the float next to the least or the largest of all");
  return {Wire{type, {}, std::make_shared<const ConstantArray>(ConstantArray{type, {Rational::from_double(next)}})}};
}

}  // namespace

std::span<const NamedRule> function_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.tan", tan},
      {"chlo.tan", tan},
      {"chlo.sinh", sinh},
      {"chlo.cosh", cosh},
      {"chlo.atan", atan},
      {"chlo.asin", asin},
      {"chlo.acos", acos},
      {"chlo.asinh", asinh},
      {"chlo.acosh", acosh},
      {"chlo.atanh", atanh},
      {"chlo.next_after", next_after},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo

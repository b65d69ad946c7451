// Derivatives of elementwise functions, written as JAX writes them: with the output where that is the stable form.
// Each rule gives the cotangent times the derivative to every operand that wants one (docs/spec/autodiff.md, "Rules").
// tanh, logistic, exp and roots use their result, which is not computed again and does not overflow. Maxima share at
// ties, half to each, and powers have the derivatives of JAX at 0. Floor and sign are constant between jumps and give
// nothing. The state of each gradient is the dual one, which decides how the rule of a quotient is written. Cost: a
// constant number of ops per op.
#include <numeric>
#include <utility>
#include <vector>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {

void adjoint(const Negate&, OpAdjoint& at) { at.give(0, at.negate(at.cotangent())); }

void adjoint(const Exponential&, OpAdjoint& at) { at.give(0, at.multiply(at.cotangent(), at.result())); }

void adjoint(const Log&, OpAdjoint& at) { at.give(0, at.divide(at.cotangent(), at.operand(0))); }

/// (g + g y) (1 - y).
void adjoint(const Tanh&, OpAdjoint& at) {
  const ValueId g = at.cotangent(), y = at.result();
  const ValueId rest = at.subtract(at.constant_like(y, Rational(1)), y);
  at.give(0, at.multiply(at.add(g, at.multiply(g, y)), rest));
}

void adjoint(const Logistic&, OpAdjoint& at) {
  const ValueId y = at.result();
  const ValueId slope = at.multiply(y, at.subtract(at.constant_like(y, Rational(1)), y));
  at.give(0, at.multiply(at.cotangent(), slope));
}

void adjoint(const Sqrt&, OpAdjoint& at) {
  at.give(0, at.divide(at.scale(at.cotangent(), Rational(1, 2)), at.result()));
}

/// -1/2 g y / x.
void adjoint(const Rsqrt&, OpAdjoint& at) {
  const ValueId slope = at.scale(at.divide(at.result(), at.operand(0)), Rational(-1, 2));
  at.give(0, at.multiply(at.cotangent(), slope));
}

void adjoint(const Sine&, OpAdjoint& at) { at.give(0, at.multiply(at.cotangent(), at.op(Cosine{}, {at.operand(0)}))); }

void adjoint(const Cosine&, OpAdjoint& at) {
  at.give(0, at.negate(at.multiply(at.cotangent(), at.op(Sine{}, {at.operand(0)}))));
}

/// sqrt(pi) / 2 g e^(y^2); a domain rounds the digits to its own.
void adjoint(const ErfInv&, OpAdjoint& at) {
  static const Rational half_root_of_pi = *Rational::parse("0.88622692545275801364908374167057259139877");
  const ValueId y = at.result();
  const ValueId slope = at.scale(at.op(Exponential{}, {at.multiply(y, y)}), half_root_of_pi);
  at.give(0, at.multiply(at.cotangent(), slope));
}

/// g (y + 1).
void adjoint(const ExponentialMinusOne&, OpAdjoint& at) {
  const ValueId y = at.result();
  at.give(0, at.multiply(at.cotangent(), at.add(y, at.constant_like(y, Rational(1)))));
}

/// g / (x + 1).
void adjoint(const LogPlusOne&, OpAdjoint& at) {
  const ValueId x = at.operand(0);
  at.give(0, at.divide(at.cotangent(), at.add(x, at.constant_like(x, Rational(1)))));
}

/// 1/3 g / y^2.
void adjoint(const Cbrt&, OpAdjoint& at) {
  const ValueId y = at.result();
  at.give(0, at.divide(at.scale(at.cotangent(), Rational(1, 3)), at.multiply(y, y)));
}

namespace {

/// 2 / sqrt(pi) e^(-x^2).
ValueId slope_of_erf(OpAdjoint& at) {
  static const Rational two_over_root_of_pi = *Rational::parse("1.1283791670955125738961589031215451716881");
  const ValueId x = at.operand(0);
  return at.scale(at.op(Exponential{}, {at.negate(at.multiply(x, x))}), two_over_root_of_pi);
}

}  // namespace

void adjoint(const Erf&, OpAdjoint& at) { at.give(0, at.multiply(at.cotangent(), slope_of_erf(at))); }
void adjoint(const Erfc&, OpAdjoint& at) { at.give(0, at.negate(at.multiply(at.cotangent(), slope_of_erf(at)))); }

/// Of the angle of (b, a): b / (a^2 + b^2) and -a / (a^2 + b^2).
void adjoint(const Atan2&, OpAdjoint& at) {
  const ValueId a = at.operand(0), b = at.operand(1);
  const ValueId square = at.add(at.multiply(a, a), at.multiply(b, b));
  if (at.wants(0)) at.give(0, at.multiply(at.cotangent(), at.divide(b, square)));
  if (at.wants(1)) at.give(1, at.negate(at.multiply(at.cotangent(), at.divide(a, square))));
}

/// Constant between jumps.
void adjoint(const Floor&, OpAdjoint&) {}
void adjoint(const Ceil&, OpAdjoint&) {}
void adjoint(const RoundNearestEven&, OpAdjoint&) {}
void adjoint(const RoundNearestAfz&, OpAdjoint&) {}
void adjoint(const Sign&, OpAdjoint&) {}

void adjoint(const Abs&, OpAdjoint& at) { at.give(0, at.multiply(at.cotangent(), at.op(Sign{}, {at.operand(0)}))); }

void adjoint(const Add&, OpAdjoint& at) {
  for (const size_t i : {0U, 1U}) at.give(i, at.cotangent());
}

void adjoint(const Subtract&, OpAdjoint& at) {
  at.give(0, at.cotangent());
  if (at.wants(1)) at.give(1, at.negate(at.cotangent()));
}

/// Of x x one product, twice.
void adjoint(const Multiply&, OpAdjoint& at) {
  if (at.wants(0) && at.op_data().operands[0] == at.op_data().operands[1]) {
    const ValueId half = at.multiply(at.cotangent(), at.operand(0));
    at.give(0, half);
    return at.give(1, half);
  }
  for (const size_t i : {0U, 1U}) {
    if (at.wants(i)) at.give(i, at.multiply(at.cotangent(), at.operand(1 - i)));
  }
}

/// The denominator's share is -g y / b: y is P where the numerator is, and g is = there.
void adjoint(const Divide&, OpAdjoint& at) {
  if (at.wants(0)) at.give(0, at.divide(at.cotangent(), at.operand(1)));
  if (at.wants(1)) at.give(1, at.negate(at.divide(at.multiply(at.cotangent(), at.result()), at.operand(1))));
}

/// b a^(b - 1) and a^b log a, as JAX: an exponent of 0 has derivative 0 in a, a base of 0 counts as 1 under the log.
void adjoint(const Power&, OpAdjoint& at) {
  const ValueId a = at.operand(0), b = at.operand(1);
  const ValueId one = at.constant_like(a, Rational(1)), zero = at.constant_like(a, Rational(0));
  if (at.wants(0)) {
    const ValueId exponent = at.select(at.compare(Direction::eq, b, zero), one, at.subtract(b, one));
    at.give(0, at.multiply(at.cotangent(), at.multiply(b, at.op(Power{}, {a, exponent}))));
  }
  if (at.wants(1)) {
    const ValueId base = at.select(at.compare(Direction::eq, a, zero), one, a);
    at.give(1, at.multiply(at.cotangent(), at.multiply(at.op(Log{}, {base}), at.result())));
  }
}

/// a - b trunc(a / b): the quotient counts as constant.
void adjoint(const Remainder&, OpAdjoint& at) {
  at.give(0, at.cotangent());
  if (!at.wants(1)) return;
  const ValueId quotient = at.divide(at.operand(0), at.operand(1));
  const ValueId whole = at.multiply(at.op(Sign{}, {quotient}), at.op(Floor{}, {at.op(Abs{}, {quotient})}));
  at.give(1, at.negate(at.multiply(at.cotangent(), whole)));
}

namespace {

/// All of g where operand i is the one that is taken, half of it where both are equal.
void give_to_chosen(Direction direction, OpAdjoint& at) {
  for (const size_t i : {0U, 1U}) {
    if (!at.wants(i)) continue;
    const ValueId own = at.operand(i), other = at.operand(1 - i), g = at.cotangent();
    const ValueId tie = at.where(at.compare(Direction::eq, own, other), at.scale(g, Rational(1, 2)));
    at.give(i, at.select(at.compare(direction, own, other), g, tie));
  }
}

}  // namespace

void adjoint(const Maximum&, OpAdjoint& at) { give_to_chosen(Direction::gt, at); }
void adjoint(const Minimum&, OpAdjoint& at) { give_to_chosen(Direction::lt, at); }

void adjoint(const Select&, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  if (at.wants(1)) at.give(1, at.where(at.operand(0), g));
  if (at.wants(2)) at.give(2, at.select(at.operand(0), at.constant_like(g, Rational(0)), g));
}

namespace {

/// A bound in the shape of what is clamped.
ValueId whole_bound(size_t i, OpAdjoint& at) {
  const Shape shape = at.result_type(0).shape;
  return at.operand_type(i).shape == shape ? at.operand(i) : at.broadcast(at.operand(i), {}, shape);
}

/// To a bound, which may be a scalar, the part of g where it is taken.
void give_to_bound(size_t i, ValueId taken, OpAdjoint& at) {
  const ValueId g = at.where(taken, at.cotangent());
  std::vector<int64_t> dims(at.operand_type(i).shape.empty() ? at.result_type(0).shape.size() : 0);
  std::iota(dims.begin(), dims.end(), 0);
  at.give(i, at.sum(g, std::move(dims)));
}

}  // namespace

/// As jax.lax.clamp, at ties too, where neither side has any: all to the operand strictly between the bounds, to min
/// above the operand and below max, to max below both (where JAX looks at the operand only, which is no slope if
/// min > max).
void adjoint(const Clamp&, OpAdjoint& at) {
  const ValueId min = whole_bound(0, at), x = at.operand(1), max = whole_bound(2, at);
  const ValueId raised = at.op(Maximum{}, {x, min});
  const ValueId below = at.compare(Direction::lt, raised, max);
  const auto below_and = [&](ValueId other) { return at.op(And{}, {other, below}); };
  if (at.wants(0)) give_to_bound(0, below_and(at.compare(Direction::gt, min, x)), at);
  if (at.wants(1)) at.give(1, at.where(below_and(at.compare(Direction::gt, x, min)), at.cotangent()));
  if (at.wants(2)) give_to_bound(2, at.compare(Direction::lt, max, raised), at);
}

void adjoint(const Convert&, OpAdjoint& at) {
  if (at.wants(0)) at.give(0, at.op(Convert{at.operand_type(0).dtype}, {at.cotangent()}));
}

void adjoint(const StopGradient&, OpAdjoint&) {}

}  // namespace isoshard::autodiff

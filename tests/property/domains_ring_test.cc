// The laws that the ring of rung A must keep: each of them is true of real numbers and is used by a verdict.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_ring_test {
namespace {

using testing_support::random_ring;

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

const TensorType kType{DType::f32, {4, 4}};

/// A ring and a few elements of it, with operators.
struct Laboratory {
  RingDomain ring{static_cast<size_t>(draw(1, 8)), static_cast<uint64_t>(draw(0, 1 << 30))};
  uint64_t seed = static_cast<uint64_t>(draw(0, 1 << 30));

  Value variable(const char* name) const { return random_ring(kType, ring.lanes(), seed, name); }
  Value number(int64_t n, int64_t d = 1) const { return splat(kType, Rational(n, d), ring); }
  Value apply(const OpData& op, const std::vector<Value>& x) const { return evaluate(op, x, kType, ring); }
  Value add(const Value& a, const Value& b) const { return apply(Add{}, {a, b}); }
  Value subtract(const Value& a, const Value& b) const { return apply(Subtract{}, {a, b}); }
  Value multiply(const Value& a, const Value& b) const { return apply(Multiply{}, {a, b}); }
  Value divide(const Value& a, const Value& b) const { return apply(Divide{}, {a, b}); }
  Value negate(const Value& a) const { return apply(Negate{}, {a}); }
  Value dot(const Value& a, const Value& b) const { return apply(DotGeneral{DimPairs{{1}, {0}}, {}}, {a, b}); }
  Value transpose(const Value& a) const { return apply(Transpose{{1, 0}}, {a}); }
};

RC_GTEST_PROP(RingLaws, OfAField, ()) {
  const Laboratory lab;
  const Value a = lab.variable("a");
  const Value b = lab.variable("b");
  const Value c = lab.variable("c");
  RC_ASSERT(same_bits(lab.divide(a, a), lab.number(1)));
  RC_ASSERT(same_bits(lab.multiply(lab.divide(a, b), b), a));
  RC_ASSERT(same_bits(lab.subtract(lab.add(a, b), b), a));
  RC_ASSERT(same_bits(lab.add(a, lab.negate(a)), lab.number(0)));
  RC_ASSERT(same_bits(lab.multiply(a, lab.add(b, c)), lab.add(lab.multiply(a, b), lab.multiply(a, c))));
  RC_ASSERT(same_bits(lab.divide(a, lab.multiply(b, c)), lab.divide(lab.divide(a, b), c)));
  RC_ASSERT(same_bits(lab.multiply(a, b), lab.multiply(b, a)));
  RC_ASSERT(!same_bits(lab.subtract(a, b), lab.subtract(b, a)));
}

RC_GTEST_PROP(RingLaws, OfMatrices, ()) {
  const Laboratory lab;
  const Value a = lab.variable("a");
  const Value b = lab.variable("b");
  const Value c = lab.variable("c");
  RC_ASSERT(same_bits(lab.dot(lab.dot(a, b), c), lab.dot(a, lab.dot(b, c))));
  RC_ASSERT(same_bits(lab.dot(a, lab.add(b, c)), lab.add(lab.dot(a, b), lab.dot(a, c))));
  RC_ASSERT(same_bits(lab.transpose(lab.dot(a, b)), lab.dot(lab.transpose(b), lab.transpose(a))));
  RC_ASSERT(!same_bits(lab.dot(a, b), lab.dot(b, a)));
}

RC_GTEST_PROP(RingLaws, LogisticAndTanhAreOdd, ()) {
  const Laboratory lab;
  const Value x = lab.variable("x");
  const Value one = lab.number(1);
  const Value two = lab.number(2);
  const Value s = lab.apply(Logistic{}, {x});
  const Value t = lab.apply(Tanh{}, {x});
  RC_ASSERT(same_bits(lab.add(s, lab.apply(Logistic{}, {lab.negate(x)})), one));
  RC_ASSERT(same_bits(lab.apply(Tanh{}, {lab.negate(x)}), lab.negate(t)));
  const Value s2 = lab.apply(Logistic{}, {lab.multiply(two, x)});
  RC_ASSERT(same_bits(t, lab.subtract(lab.multiply(two, s2), one)));
  RC_ASSERT(!same_bits(s, t));
}

RC_GTEST_PROP(RingLaws, OpaqueResultsAreUnits, ()) {
  const Laboratory lab;
  const Value x = lab.variable("x");
  for (const OpData& op : {OpData(Exponential{}), OpData(Logistic{})}) {
    const Value y = lab.apply(op, {x});
    RC_ASSERT(same_bits(lab.divide(y, y), lab.number(1)));
  }
  for (size_t lane = 0; lane < lab.ring.lanes(); ++lane) RC_ASSERT(lab.ring.non_units(lane) == 0u);
}

/// No law that is not true of real numbers may hold by the way opaque functions are made.
RC_GTEST_PROP(RingLaws, NothingElseHoldsOfOpaqueFunctions, ()) {
  const Laboratory lab;
  const Value x = lab.variable("x");
  const Value y = lab.variable("y");
  for (const OpData& op : {OpData(Exponential{}), OpData(Logistic{}), OpData(Tanh{})}) {
    const Value fx = lab.apply(op, {x});
    RC_ASSERT(!same_bits(lab.apply(op, {lab.add(x, y)}), lab.add(fx, lab.apply(op, {y}))));
    RC_ASSERT(!same_bits(lab.apply(op, {lab.multiply(lab.number(2), x)}), lab.multiply(lab.number(2), fx)));
    RC_ASSERT(!same_bits(fx, lab.apply(op, {y})));
  }
  RC_ASSERT(!same_bits(lab.apply(Exponential{}, {lab.negate(x)}), lab.apply(Exponential{}, {x})));
}

RC_GTEST_PROP(RingLaws, ConstantsAreRationals, ()) {
  const Laboratory lab;
  const int64_t n = draw(-50, 50);
  const int64_t d = draw(1, 60);
  const Value read = splat(kType, Rational(n, d), lab.ring);
  RC_ASSERT(same_bits(lab.multiply(read, lab.number(d)), lab.number(n)));
  RC_ASSERT(same_bits(read, lab.number(n, d)));
}

/// One random op on integer-valued matrices, in both domains.
struct Twin {
  Value real;
  Value exact;
};

Twin both(const OpData& op, const std::vector<Twin>& x, const RingDomain& ring) {
  std::vector<Value> real, exact;
  for (const Twin& t : x) {
    real.push_back(t.real);
    exact.push_back(t.exact);
  }
  const Domain& f64 = float_domain(Precision::f64);
  return {evaluate(op, real, kType, f64), evaluate(op, exact, kType, ring)};
}

RC_GTEST_PROP(RingLaws, IntegersAreThoseOfF64, ()) {
  const Laboratory lab;
  const Domain& f64 = float_domain(Precision::f64);
  std::vector<Twin> pool;
  for (int i = 0; i < 3; ++i) {
    const auto values = *rc::gen::container<std::vector<int>>(16, rc::gen::inRange(-8, 9));
    const std::vector<double> doubles(values.begin(), values.end());
    pool.push_back(Twin{from_doubles(kType, doubles, f64), from_doubles(kType, doubles, lab.ring)});
  }
  const OpData ops[] = {Add{}, Subtract{}, Multiply{}, DotGeneral{DimPairs{{0}, {1}}, {}}, Negate{}, Transpose{{1, 0}}};
  for (int step = 0; step < 4; ++step) {  // |x| <= 4^15 * 8^16 = 2^78 would not do; see the check below
    const OpData& op = ops[draw(0, 5)];
    std::vector<Twin> operands;
    for (int i = 0; i < operand_count(op); ++i) operands.push_back(pool[static_cast<size_t>(draw(0, 2))]);
    const Twin result = both(op, operands, lab.ring);
    const auto large = [](double x) { return x > 0x1p+50 || x < -0x1p+50; };
    const auto plane = result.real.plane<double>(0);
    if (std::any_of(plane.begin(), plane.end(), large)) continue;
    RC_ASSERT(same_bits(result.exact, from_doubles(kType, plane, lab.ring)));
    pool[static_cast<size_t>(draw(0, 2))] = result;
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_ring_test

// The laws that rungs E and Eh must keep: each of them is true of real numbers and is used by a verdict.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "sim/domains/tower/tower_domain.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_tower_laws_test {
namespace {

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

const TensorType kType{DType::f32, {4, 4}};

TowerOptions options_of(int64_t rung, bool by_exponentials) {
  TowerOptions options;
  options.by_exponentials = by_exponentials;
  options.order.key = rung % 2 == 0 ? 0 : 12345678901;
  options.height = static_cast<size_t>(draw(by_exponentials ? 3 : 2, 4));
  return options;
}

/// One of the two rungs and a few elements of its ring, with operators.
struct Laboratory {
  explicit Laboratory(bool made_of_them = false) : by_exponentials(made_of_them) {}

  bool by_exponentials;
  int64_t rung = draw(0, 1);
  TowerDomain ring{static_cast<size_t>(draw(1, 8)), static_cast<uint64_t>(draw(0, 1 << 30)),
                   options_of(rung, by_exponentials)};
  uint64_t seed = static_cast<uint64_t>(draw(0, 1 << 30));

  Value variable(uint64_t number) const {
    std::mt19937_64 random(seed + number);
    NewValue result(kType, ring.storage(DType::f32));
    ring.random(
        element_count(kType.shape), [&](size_t, uint64_t) { return random(); }, result.data.get());
    return std::move(result).finish();
  }
  Value number(int64_t n, int64_t d = 1) const { return splat(kType, Rational(n, d), ring); }
  Value apply(const OpData& op, const std::vector<Value>& x) const { return evaluate(op, x, kType, ring); }
  Value add(const Value& a, const Value& b) const { return apply(Add{}, {a, b}); }
  Value subtract(const Value& a, const Value& b) const { return apply(Subtract{}, {a, b}); }
  Value multiply(const Value& a, const Value& b) const { return apply(Multiply{}, {a, b}); }
  Value divide(const Value& a, const Value& b) const { return apply(Divide{}, {a, b}); }
  Value negate(const Value& a) const { return apply(Negate{}, {a}); }
  Value exp(const Value& a) const { return apply(Exponential{}, {a}); }
  Value log(const Value& a) const { return apply(Log{}, {a}); }
  Value sine(const Value& a) const { return apply(Sine{}, {a}); }
  Value cosine(const Value& a) const { return apply(Cosine{}, {a}); }
  Value logistic(const Value& a) const { return apply(Logistic{}, {a}); }
  Value dot(const Value& a, const Value& b) const { return apply(DotGeneral{DimPairs{{1}, {0}}, {}}, {a, b}); }

  bool same(Value a, Value b) const {
    Value* const both[] = {&a, &b};
    ring.make_comparable(both);
    return same_bits(a, b);
  }
};

RC_GTEST_PROP(TowerLaws, OfARing, ()) {
  const Laboratory lab;
  const Value a = lab.variable(1), b = lab.variable(2), c = lab.variable(3);
  RC_ASSERT(lab.same(lab.divide(a, a), lab.number(1)));
  RC_ASSERT(lab.same(lab.multiply(lab.divide(a, b), b), a));
  RC_ASSERT(lab.same(lab.add(a, lab.negate(a)), lab.number(0)));
  RC_ASSERT(lab.same(lab.multiply(a, lab.add(b, c)), lab.add(lab.multiply(a, b), lab.multiply(a, c))));
  RC_ASSERT(lab.same(lab.divide(a, lab.multiply(b, c)), lab.divide(lab.divide(a, b), c)));
  RC_ASSERT(lab.same(lab.dot(lab.dot(a, b), c), lab.dot(a, lab.dot(b, c))));
  RC_ASSERT(!lab.same(lab.dot(a, b), lab.dot(b, a)));
  RC_ASSERT(!lab.same(lab.subtract(a, b), lab.subtract(b, a)));
}

RC_GTEST_PROP(TowerLaws, OfExponentials, ()) {
  const Laboratory lab;
  const Value a = lab.variable(1), b = lab.variable(2);
  RC_ASSERT(lab.same(lab.exp(lab.add(a, b)), lab.multiply(lab.exp(a), lab.exp(b))));
  RC_ASSERT(lab.same(lab.exp(lab.subtract(a, b)), lab.divide(lab.exp(a), lab.exp(b))));
  RC_ASSERT(lab.same(lab.exp(lab.number(0)), lab.number(1)));
  RC_ASSERT(!lab.same(lab.exp(lab.multiply(a, b)), lab.multiply(lab.exp(a), lab.exp(b))));
  RC_ASSERT(!lab.same(lab.exp(a), lab.exp(b)));
}

RC_GTEST_PROP(TowerLaws, OfPairs, ()) {
  const Laboratory lab;
  const Value a = lab.variable(1), u = lab.variable(2), v = lab.variable(3);
  const Value n = lab.number(draw(1, 9), draw(1, 9));
  RC_ASSERT(lab.same(lab.log(lab.exp(a)), a));
  RC_ASSERT(lab.same(lab.exp(lab.log(u)), u));
  RC_ASSERT(lab.same(lab.log(lab.multiply(u, v)), lab.add(lab.log(u), lab.log(v))));
  RC_ASSERT(lab.same(lab.log(lab.divide(u, v)), lab.subtract(lab.log(u), lab.log(v))));
  RC_ASSERT(lab.same(lab.exp(lab.add(a, lab.log(u))), lab.multiply(lab.exp(a), u)));
  const Value scaled = lab.multiply(n, lab.add(a, lab.log(u)));
  RC_ASSERT(lab.same(scaled, lab.add(lab.multiply(n, a), lab.multiply(n, lab.log(u)))));
  RC_ASSERT(lab.same(lab.divide(scaled, n), lab.add(a, lab.log(u))));
  RC_ASSERT(!lab.same(lab.log(u), lab.log(v)));
  RC_ASSERT(!lab.same(lab.log(lab.add(u, v)), lab.add(lab.log(u), lab.log(v))));
}

RC_GTEST_PROP(TowerLaws, OfLogistic, ()) {
  const Laboratory lab;
  const Value x = lab.variable(1), one = lab.number(1);
  RC_ASSERT(lab.same(lab.logistic(lab.negate(x)), lab.subtract(one, lab.logistic(x))));
  const Value by_exp = lab.divide(one, lab.add(one, lab.exp(lab.negate(x))));
  RC_ASSERT(lab.same(lab.logistic(x), by_exp));
}

/// Each in a tower of its own, 100 of them.
RC_GTEST_PROP(TowerLaws, OfSinusoids, ()) {
  const Laboratory lab(true);
  const Value a = lab.variable(1), b = lab.variable(2), one = lab.number(1), two = lab.number(2);
  const Value sa = lab.sine(a), ca = lab.cosine(a), sb = lab.sine(b), cb = lab.cosine(b);
  const Value cc = lab.multiply(ca, cb), ss = lab.multiply(sa, sb), sc = lab.multiply(sa, cb),
              cs = lab.multiply(ca, sb);
  const Value both = lab.add(a, b), sum = lab.sine(both), squares = lab.multiply(sa, sa), rest = lab.multiply(ca, ca);
  RC_ASSERT(lab.same(lab.add(squares, rest), one));
  RC_ASSERT(lab.same(sum, lab.add(sc, cs)));
  RC_ASSERT(lab.same(lab.cosine(both), lab.subtract(cc, ss)));
  RC_ASSERT(lab.same(lab.sine(lab.subtract(a, b)), lab.subtract(sc, cs)));
  RC_ASSERT(lab.same(lab.cosine(lab.multiply(two, a)), lab.subtract(one, lab.multiply(two, squares))));
  RC_ASSERT(lab.same(lab.sine(lab.negate(a)), lab.negate(sa)));
  RC_ASSERT(lab.same(lab.exp(lab.multiply(sa, sa)), lab.divide(lab.exp(one), lab.exp(rest))));
  RC_ASSERT(!lab.same(lab.subtract(squares, rest), one));
  RC_ASSERT(!lab.same(lab.cosine(both), lab.add(cc, ss)));
  RC_ASSERT(!lab.same(sum, lab.subtract(sc, cs)));
  RC_ASSERT(!lab.same(sum, lab.add(sa, sb)));
  RC_ASSERT(!lab.same(sa, ca));
  RC_ASSERT(!lab.same(lab.multiply(sa, sa), lab.add(one, rest)));
  RC_ASSERT(!lab.same(lab.sine(lab.multiply(two, a)), lab.multiply(two, sa)));
  RC_ASSERT(!lab.same(lab.sine(lab.sine(both)), lab.sine(lab.add(sa, sb))));
}

RC_GTEST_PROP(TowerLaws, OfPowers, ()) {
  const Laboratory lab(true);
  const Value x = lab.variable(1), a = lab.variable(2), b = lab.variable(3), two = lab.number(2);
  const auto power = [&](const Value& base, const Value& exponent) { return lab.apply(Power{}, {base, exponent}); };
  RC_ASSERT(lab.same(power(x, a), lab.exp(lab.multiply(a, lab.log(x)))));
  RC_ASSERT(lab.same(power(x, lab.add(a, b)), lab.multiply(power(x, a), power(x, b))));
  RC_ASSERT(lab.same(power(two, lab.subtract(a, b)), lab.divide(power(two, a), power(two, b))));
  RC_ASSERT(lab.same(power(x, two), lab.multiply(x, x)));
  RC_ASSERT(!lab.same(power(x, lab.multiply(a, b)), lab.multiply(power(x, a), power(x, b))));
  RC_ASSERT(!lab.same(power(x, a), power(a, x)));
  RC_ASSERT(!lab.same(power(x, a), lab.exp(lab.multiply(x, a))));
  RC_ASSERT(!lab.same(power(lab.add(x, a), b), lab.add(power(x, b), power(a, b))));
}

/// Through an exponential of a sinusoid of a sinusoid: needs one prime each.
RC_GTEST_PROP(TowerLaws, OfNestedSinusoids, ()) {
  const Laboratory lab(true);
  const Value a = lab.variable(1), b = lab.variable(2);
  const Value sum = lab.add(lab.multiply(lab.sine(a), lab.cosine(b)), lab.multiply(lab.cosine(a), lab.sine(b)));
  RC_ASSERT(lab.same(lab.exp(lab.sine(lab.add(a, b))), lab.exp(sum)));
  RC_ASSERT(lab.same(lab.cosine(lab.sine(lab.add(a, b))), lab.cosine(sum)));
  RC_ASSERT(!lab.same(lab.exp(lab.cosine(lab.add(a, b))), lab.exp(sum)));
}

/// The same program in f64 and in the ring, on small integers: f64 is exact there, too.
struct Twin {
  Value real;
  Value exact;
};

RC_GTEST_PROP(TowerLaws, IntegersAreThoseOfF64, ()) {
  const Laboratory lab;
  const Domain& f64 = float_domain(Precision::f64);
  std::vector<Twin> pool;
  for (int i = 0; i < 3; ++i) {
    const auto values = *rc::gen::container<std::vector<int>>(16, rc::gen::inRange(-8, 9));
    const std::vector<double> doubles(values.begin(), values.end());
    pool.push_back(Twin{from_doubles(kType, doubles, f64), from_doubles(kType, doubles, lab.ring)});
  }
  const OpData ops[] = {Add{},    Subtract{},        Multiply{}, DotGeneral{DimPairs{{0}, {1}}, {}},
                        Negate{}, Transpose{{1, 0}}, Floor{}};
  for (int step = 0; step < 4; ++step) {
    const OpData& op = ops[draw(0, 6)];
    std::vector<Value> real, exact;
    for (int i = 0; i < operand_count(op); ++i) {
      const Twin& t = pool[static_cast<size_t>(draw(0, 2))];
      real.push_back(t.real);
      exact.push_back(t.exact);
    }
    const Twin result{evaluate(op, real, kType, f64), evaluate(op, exact, kType, lab.ring)};
    const auto small = [](double x) { return x > -10000 && x < 10000; };  // larger ones are infinities beside data
    const auto plane = result.real.plane<double>(0);
    if (!std::all_of(plane.begin(), plane.end(), small)) continue;
    RC_ASSERT(lab.same(result.exact, from_doubles(kType, plane, lab.ring)));
    pool[static_cast<size_t>(draw(0, 2))] = result;
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_tower_laws_test

// Arrays of soft integers among floats: where every variable takes one entry, each op gives what the ring gives for
// these integers, with tables of floats, with linear ones, and without.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>
#include <span>
#include <vector>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/domains/tower/tower_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"

namespace isoshard::sim::soft_domain_test {
namespace {

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

std::unique_ptr<ExactRing> make_ring(bool tower) {
  if (tower) return std::make_unique<TowerDomain>(2, 5);
  return std::make_unique<RingDomain>(2, 5);
}

/// A soft domain at a vertex and the ring inside it, on the same inputs.
struct Laboratory {
  bool tower = draw(0, 1) == 1;
  std::unique_ptr<ExactRing> ring = make_ring(tower);
  SoftDomain soft{make_ring(tower), static_cast<uint64_t>(draw(0, 1 << 30)),
                  SoftDomain::Options{.tabled = draw(0, 1) == 1,
                                      .weights = SoftIntegers::Weights::vertex,
                                      .most_entries = 2048,
                                      .limits = draw(0, 1) == 1 ? SoftLimits::linear() : SoftLimits()}};

  struct Both {
    Value soft, known;
  };

  Both floats(Shape shape) const {
    const TensorType type{DType::f32, std::move(shape)};
    const auto seed = static_cast<uint64_t>(draw(0, 1 << 30));
    const auto drawn = [&](const ExactRing& domain) {
      std::mt19937_64 random(seed);
      NewValue result(type, domain.storage(DType::f32));
      domain.random(
          result.size(), [&](size_t, uint64_t) { return random(); }, result.data.get());
      return std::move(result).finish();
    };
    return {drawn(soft), drawn(*ring)};
  }

  Both integers(const std::string& name, Shape shape, int64_t below) const {
    const TensorType type{DType::i32, std::move(shape)};
    NewValue result(type, soft.integer_storage(DType::i32));
    std::vector<int64_t> values;
    for (int64_t i = -1; i < below; ++i) values.push_back(i);
    soft.inputs(
        name, 1, result.size(), [&](int64_t) { return std::span<const int64_t>(values); }, result.data.get());
    const Value words = std::move(result).finish();
    std::vector<int32_t> numbers;
    const Tensor known = soft.to_tensor(words);
    for (const int64_t number : known.as<int64_t>()) {
      numbers.push_back(number > 1 << 20 ? -1 : static_cast<int32_t>(number));
    }
    return {words, from_tensor(Tensor::from<int32_t>(DType::i32, type.shape, numbers), *ring)};
  }

  Both apply(const OpData& op, const std::vector<Both>& x, const TensorType& type) const {
    std::vector<Value> of_soft, of_ring;
    for (const Both& b : x) {
      of_soft.push_back(b.soft);
      of_ring.push_back(b.known);
    }
    return {evaluate(op, of_soft, type, soft), evaluate(op, of_ring, type, *ring)};
  }

  /// Result `which` of an op that has two.
  Both apply_to(const OpData& op, const Both& x, const std::array<TensorType, 2>& types, size_t which) const {
    const std::array<const TensorType*, 2> results{&types[0], &types[1]};
    std::array<Value, 2> of_soft, of_ring;
    evaluate(op, std::span(&x.soft, 1), results, soft, of_soft);
    evaluate(op, std::span(&x.known, 1), results, *ring, of_ring);
    return {of_soft[which], of_ring[which]};
  }

  /// Integers and predicates as floats, so that there is one comparison.
  Both as_floats(const Both& x) const {
    if (is_float(x.soft.type.dtype)) return x;
    return apply(Convert{DType::f32}, {x}, TensorType{DType::f32, x.soft.type.shape});
  }

  bool agree(const Both& x) const {
    const Both both = as_floats(x);
    for (int64_t i = 0; i < both.known.size(); ++i) {
      for (size_t l = 0; l < ring->lanes(); ++l) {
        if (soft.residue(both.soft, l, i) == ring->residue(both.known, l, i)) continue;
        RC_LOG() << "element " << i << " is " << soft.residue(both.soft, l, i) << ", expected "
                 << ring->residue(both.known, l, i);
        return false;
      }
    }
    if (!soft.undecided().empty()) RC_LOG() << soft.undecided();
    return soft.undecided().empty();
  }
};

constexpr DType kFloat = DType::f32;

RC_GTEST_PROP(SoftDomainProperty, LooksUpAndScattersWhatTheIndicesSay, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 5), q = draw(1, 3), i = draw(1, 4);
  const auto ids = lab.integers("ids", {i}, n + 1);
  const auto x = lab.floats({n, q}), updates = lab.floats({i, q});
  Gather gather;
  RC_ASSERT(lab.agree(lab.apply(gather, {x, ids}, {kFloat, {i, q}})));
  RC_ASSERT(lab.agree(lab.apply(ScatterAdd{}, {x, ids, updates}, {kFloat, {n, q}})));
  const auto table = lab.integers("table", {n}, 3);
  RC_ASSERT(lab.agree(lab.apply(gather, {table, ids}, {DType::i32, {i}})));
}

RC_GTEST_PROP(SoftDomainProperty, LooksUpInRowsThatHangOnIntegers, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 4), q = draw(1, 3), i = draw(1, 4);
  const std::string of_rows = draw(0, 1) == 1 ? "ids" : "rows";  // the index's own variables, or others
  const auto ids = lab.integers("ids", {i}, 4);
  const auto rows =
      lab.apply(Multiply{}, {lab.floats({n, q}), lab.as_floats(lab.integers(of_rows, {n, q}, 4))}, {kFloat, {n, q}});
  const auto found = lab.apply(Gather{}, {rows, ids}, {kFloat, {i, q}});
  RC_ASSERT(lab.agree(found));
  const auto updates = lab.floats({i, q});
  RC_ASSERT(lab.agree(lab.apply(Multiply{}, {found, updates}, {kFloat, {i, q}})));
  RC_ASSERT(lab.agree(lab.apply(Gather{}, {found, ids}, {kFloat, {i, q}})));
}

RC_GTEST_PROP(SoftDomainProperty, CountsInFloats, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 4), q = draw(1, 3);
  const auto a = lab.as_floats(lab.integers("a", {n, q}, 3)), b = lab.as_floats(lab.integers("b", {n, q}, 2));
  Reduce sum;
  sum.op = Reducer::add;
  sum.dims = {draw(0, 1)};
  const int64_t left = sum.dims[0] == 0 ? q : n;
  const auto total = lab.apply(sum, {a}, {kFloat, {left}});
  RC_ASSERT(lab.agree(lab.apply(Convert{DType::i32}, {total}, {DType::i32, {left}})));
  const auto product = lab.apply(DotGeneral{DimPairs{{0}, {0}}, {}}, {a, b}, {kFloat, {q, q}});
  RC_ASSERT(lab.agree(product));
  RC_ASSERT(lab.agree(lab.apply(Convert{DType::i32}, {product}, {DType::i32, {q, q}})));
}

RC_GTEST_PROP(SoftDomainProperty, LooksUpAndScattersAmongManyNumbers, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 5), q = draw(1, 3), i = draw(1, 3);
  const TensorType found{kFloat, {i, q}}, rows{kFloat, {n, q}};
  const auto ids = lab.integers("ids", {i}, 1100);
  const auto x = lab.floats({n, q}), updates = lab.floats({i, q});
  const auto taken = lab.apply(Gather{}, {x, ids}, found);
  RC_ASSERT(lab.agree(taken));
  const auto product = lab.apply(Multiply{}, {taken, updates}, found);
  RC_ASSERT(lab.agree(product));
  RC_ASSERT(lab.agree(lab.apply(ScatterAdd{}, {x, ids, product}, rows)));
}

RC_GTEST_PROP(SoftDomainProperty, SlicesWhereTheStartsSay, ()) {
  const Laboratory lab;
  const int64_t n = draw(2, 6), size = draw(1, n), q = draw(1, 3);
  const auto start = lab.integers("start", {}, n + 2), other = lab.integers("other", {}, 2);
  const auto x = lab.floats({n, q}), update = lab.floats({size, q});
  RC_ASSERT(lab.agree(lab.apply(DynamicSlice{{size, q}}, {x, start, other}, {kFloat, {size, q}})));
  const auto written = lab.apply(DynamicUpdateSlice{}, {x, update, start, other}, {kFloat, {n, q}});
  RC_ASSERT(lab.agree(written));
  RC_ASSERT(lab.agree(lab.apply(DynamicSlice{{size, q}}, {written, start, other}, {kFloat, {size, q}})));
  const auto cache = lab.integers("cache", {n}, 3), entry = lab.integers("entry", {size}, 3);
  RC_ASSERT(lab.agree(lab.apply(DynamicUpdateSlice{}, {cache, entry, start}, {DType::i32, {n}})));
}

RC_GTEST_PROP(SoftDomainProperty, SelectsCountsAndConverts, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 6);
  const TensorType integers{DType::i32, {n}}, predicates{DType::pred, {n}}, floats{kFloat, {n}};
  const auto a = lab.integers("a", {n}, 3), b = lab.integers("b", {n}, 3);
  const auto x = lab.floats({n}), y = lab.floats({n});
  const auto less = lab.apply(Compare{Direction::lt}, {a, b}, predicates);
  const auto chosen = lab.apply(Select{}, {less, x, y}, floats);
  RC_ASSERT(lab.agree(chosen));
  RC_ASSERT(lab.agree(lab.apply(Select{}, {less, a, b}, integers)));
  const auto mask = lab.apply(Convert{kFloat}, {less}, floats);
  const auto product = lab.apply(Multiply{}, {mask, chosen}, floats);
  RC_ASSERT(lab.agree(product));
  RC_ASSERT(lab.agree(lab.apply(Subtract{}, {product, mask}, floats)));
  const auto count = lab.apply(Cumsum{0}, {lab.apply(Convert{DType::i32}, {less}, integers)}, integers);
  RC_ASSERT(lab.agree(count));
  RC_ASSERT(lab.agree(lab.apply(Compare{Direction::le}, {count, a}, predicates)));
  Reduce sum;
  sum.op = Reducer::add;
  sum.dims = {0};
  RC_ASSERT(lab.agree(lab.apply(sum, {product}, {kFloat, {}})));
  RC_ASSERT(lab.agree(lab.apply(sum, {count}, {DType::i32, {}})));
  RC_ASSERT(lab.agree(lab.apply(DotGeneral{DimPairs{{0}, {0}}, {}}, {product, y}, {kFloat, {}})));
  if (lab.tower) RC_ASSERT(lab.agree(lab.apply(Exponential{}, {chosen}, floats)));
}

RC_GTEST_PROP(SoftDomainProperty, FindsTheLargestIntegerAndItsPlace, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 7), rows = draw(1, 2);
  const auto x = lab.integers("a", {rows, n}, draw(0, 3));  // few numbers: ties are common
  const TensorType ranked{DType::i32, {rows, 1}}, first{DType::i32, {rows}};
  for (const size_t result : {size_t{0}, size_t{1}}) {
    RC_ASSERT(lab.agree(lab.apply_to(TopK{1}, x, {ranked, ranked}, result)));
    RC_ASSERT(lab.agree(lab.apply_to(Reduce{Reducer::argmax, {1}, {}}, x, {first, first}, result)));
  }
}

RC_GTEST_PROP(SoftDomainProperty, RoundsAndComparesFloatsMadeOfIntegers, ()) {
  const Laboratory lab;
  const int64_t n = draw(1, 4);
  const TensorType integers{DType::i32, {n}}, predicates{DType::pred, {n}}, floats{kFloat, {n}};
  const auto a = lab.as_floats(lab.integers("a", {n}, 20)), b = lab.as_floats(lab.integers("b", {n}, 3));
  const auto constant = [&](int64_t numerator, int64_t denominator) {
    const Rational number(numerator, denominator);
    return Laboratory::Both{splat(floats, number, lab.soft), splat(floats, number, *lab.ring)};
  };
  const auto page = constant(draw(1, 6), 1), half = constant(1, 2);
  const auto quotient = lab.apply(Divide{}, {a, page}, floats);
  const auto sum = lab.apply(Add{}, {quotient, b}, floats);
  RC_ASSERT(lab.agree(sum));
  RC_ASSERT(lab.agree(lab.apply(Floor{}, {sum}, floats)));
  RC_ASSERT(lab.agree(lab.apply(Convert{DType::i32}, {sum}, integers)));
  RC_ASSERT(lab.agree(lab.apply(Remainder{}, {sum, half}, floats)));
  // The ring has no order: what integers say is the measure.
  const auto times = lab.apply(Convert{DType::i32}, {lab.apply(Multiply{}, {b, page}, floats)}, integers);
  const auto a_integers = lab.integers("a", {n}, 20);
  const auto by_integers = lab.apply(Compare{Direction::gt}, {a_integers, times}, predicates);
  const auto by_floats = lab.apply(Compare{Direction::gt}, {quotient, b}, predicates);
  RC_ASSERT(lab.agree({by_floats.soft, by_integers.known}));
  const auto larger = lab.apply(Select{}, {by_integers, quotient, b}, floats);
  RC_ASSERT(lab.agree({lab.apply(Maximum{}, {quotient, b}, floats).soft, larger.known}));
  const auto gap = lab.apply(Subtract{}, {quotient, b}, floats), opposite = lab.apply(Negate{}, {gap}, floats);
  const auto distance = lab.apply(Select{}, {by_integers, gap, opposite}, floats);
  RC_ASSERT(lab.agree({lab.apply(Abs{}, {gap}, floats).soft, distance.known}));
}

/// With tables of floats and without: y + r (x - y), r what the predicate is worth.
TEST(SoftDomain, AnOpaquePredicateDoesNotChooseTheSecondOfTwoFloats) {
  for (const bool tabled : {false, true}) {
    SoftDomain soft(make_ring(false), 3, SoftDomain::Options{tabled});
    const Value x = splat({kFloat, {1}}, Rational(5), soft), y = splat({kFloat, {1}}, Rational(3), soft);
    NewValue any({DType::i32, {1}}, soft.integer_storage(DType::i32));
    soft.inputs(
        "any", 1, 1, [](int64_t) { return std::span<const int64_t>(); }, any.data.get());
    const Value predicate{{DType::pred, {1}}, soft.storage(DType::pred), std::move(any).finish().data};
    const Value chosen = evaluate(Select{}, std::vector{predicate, x, y}, {kFloat, {1}}, soft);
    EXPECT_NE(soft.residue(chosen, 0, 0), 3U) << tabled;
    EXPECT_NE(soft.residue(chosen, 0, 0), 5U) << tabled;
  }
}

}  // namespace
}  // namespace isoshard::sim::soft_domain_test

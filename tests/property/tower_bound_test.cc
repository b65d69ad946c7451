// The error bound of rung E, measured: in towers of small primes wrong programs are accepted often enough to count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "sim/domains/tower/tower_functions.h"

namespace isoshard::sim::tower_bound_test {
namespace {

using Random = std::mt19937_64;

bool is_prime(uint64_t x) {
  for (uint64_t d = 2; d * d <= x; ++d) {
    if (x % d == 0) return false;
  }
  return x > 1;
}

/// A chain of three primes within [low, high], largest first, which are 1 modulo 4 if they must be split.
std::vector<uint64_t> draw_chain(Random& random, uint64_t low, uint64_t high, bool split) {
  const auto is_prime = [split](uint64_t p) { return (!split || p % 4 == 1) && tower_bound_test::is_prime(p); };
  for (;;) {
    std::vector<uint64_t> chain{low + random() % (high / 4 - low)};
    while (chain.size() < 3 && is_prime(chain[0])) {
      std::vector<uint64_t> next;
      for (uint64_t p = 2 * chain[0] + 1; p <= high; p += 2 * chain[0]) {
        if (is_prime(p)) next.push_back(p);
      }
      if (next.empty()) break;
      chain.insert(chain.begin(), next[random() % next.size()]);
    }
    if (chain.size() == 3) return chain;
  }
}

/// One lane of a tower of small primes.
class SmallTower {
 public:
  SmallTower(Random& random, uint64_t low, uint64_t high, bool by_exponentials = false)
      : random_(random),
        primes_(draw_chain(random, low, high, by_exponentials)),
        options_(options(primes_, by_exponentials)),
        ring_(1, random(), options_),
        functions_(ring_, options_) {}

  double smallest() const { return static_cast<double>(primes_.back()); }
  TowerElement draw() {
    TowerElement x;
    for (size_t r = 0; r < ring_.residues(); ++r) x.a[r] = random_() % primes_[r];
    return x;
  }
  TowerElement number(int64_t x) const { return TowerElement{ring_.integer(x).a, RingForms::kPlain}; }
  TowerElement exp(const TowerElement& x) const { return functions_.exponential(x); }
  TowerElement sine(const TowerElement& x) const { return functions_.apply(UnaryOp::sine, x); }
  TowerElement cosine(const TowerElement& x) const { return functions_.apply(UnaryOp::cosine, x); }
  TowerElement add(const TowerElement& x, const TowerElement& y) const { return ring_.sum(x, y); }
  TowerElement sub(const TowerElement& x, const TowerElement& y) const { return ring_.difference(x, y); }
  TowerElement mul(const TowerElement& x, const TowerElement& y) const { return ring_.product(x, y); }
  TowerElement product(size_t count, const std::function<TowerElement(size_t)>& factor) const {
    TowerElement result = number(1);
    for (size_t i = 0; i < count; ++i) result = mul(result, factor(i));
    return result;
  }
  bool is_zero(const TowerElement& x) const { return ring_.is_zero(x); }

 private:
  TowerOptions options(const std::vector<uint64_t>& primes, bool by_exponentials) {
    TowerOptions result;
    result.by_exponentials = by_exponentials;
    result.towers = std::make_shared<std::vector<PrimeTower>>(1, PrimeTower(primes, [this] { return random_(); }));
    return result;
  }
  Random& random_;
  std::vector<uint64_t> primes_;
  TowerOptions options_;
  TowerElements ring_;
  TowerFunctions functions_;
};

/// A formula that is not 0, with what the bound says of it: K exponentials whose arguments differ by degree Dq, and the
/// degree D with each exponential a variable.
struct Wrong {
  const char* name;
  double exponentials, exponent_degree, degree;
  std::function<TowerElement(SmallTower&)> value;
  bool by_exponentials = false;  ///< each is two exponentials
};

/// Two values exchanged in an attention over `keys` keys of two numbers each, before the division.
TowerElement swapped_attention(SmallTower& t, size_t keys) {
  const TowerElement q[] = {t.draw(), t.draw()};
  std::vector<TowerElement> weights, values;
  for (size_t k = 0; k < keys; ++k) {
    weights.push_back(t.exp(t.add(t.mul(q[0], t.draw()), t.mul(q[1], t.draw()))));
    values.push_back(t.draw());
  }
  TowerElement sum = t.number(0);
  std::vector<TowerElement> other = values;
  std::swap(other[0], other[1]);
  for (size_t k = 0; k < keys; ++k) sum = t.add(sum, t.mul(weights[k], t.sub(values[k], other[k])));
  return sum;
}

const std::vector<Wrong>& wrong_formulas() {
  static const std::vector<Wrong> all{
      {"e^a - e^b", 2, 1, 1, [](SmallTower& t) { return t.sub(t.exp(t.draw()), t.exp(t.draw())); }},
      {"e^Q = 1, Q a product of 8 factors of one variable", 1, 8, 1,
       [](SmallTower& t) {
         const TowerElement x = t.draw();
         const auto factor = [&](size_t i) { return t.sub(x, t.number(static_cast<int64_t>(i) + 1)); };
         return t.sub(t.exp(t.product(8, factor)), t.number(1));
       }},
      {"e^Q = 1, Q a product of 8 differences", 1, 8, 1,
       [](SmallTower& t) {
         const auto factor = [&](size_t) { return t.sub(t.draw(), t.draw()); };
         return t.sub(t.exp(t.product(8, factor)), t.number(1));
       }},
      {"a product of 8 factors e^x - c", 1, 1, 8,
       [](SmallTower& t) {
         const TowerElement e = t.exp(t.draw());
         return t.product(8, [&](size_t i) { return t.sub(e, t.number(static_cast<int64_t>((i + 2) * (i + 2)))); });
       }},
      {"a product of 8 factors e^x - c in e^x, e^2x, ... that split", 4, 1, 8,
       [](SmallTower& t) {
         const TowerElement x = t.draw();
         return t.product(8, [&](size_t i) {
           const auto times = static_cast<int64_t>(i % 4) + 1;
           return t.sub(t.exp(t.mul(t.number(times), x)), t.number(static_cast<int64_t>((i + 2) * (i + 2))));
         });
       }},
      {"e^(e^a) - e^(e^b)", 4, 1, 1,
       [](SmallTower& t) { return t.sub(t.exp(t.exp(t.draw())), t.exp(t.exp(t.draw()))); }},
      {"e^Q = 1, Q a product of 6 differences of exponentials", 13, 6, 1,
       [](SmallTower& t) {
         const auto factor = [&](size_t) { return t.sub(t.exp(t.draw()), t.exp(t.draw())); };
         return t.sub(t.exp(t.product(6, factor)), t.number(1));
       }},
      {"an attention over 16 keys with two values exchanged", 16, 2, 3,
       [](SmallTower& t) { return swapped_attention(t, 16); }},
      {"e^a (x^20 - 1)", 1, 1, 21,
       [](SmallTower& t) {
         const TowerElement x = t.draw();
         return t.mul(t.exp(t.draw()), t.sub(t.product(20, [&](size_t) { return x; }), t.number(1)));
       }},
      {"(sin x)^2 - (cos x)^2 = 1", 2, 2, 2,
       [](SmallTower& t) {
         const TowerElement x = t.draw(), s = t.sine(x), c = t.cosine(x);
         return t.sub(t.sub(t.mul(s, s), t.mul(c, c)), t.number(1));
       },
       true},
      {"cos(a + b) = cos a cos b + sin a sin b", 6, 1, 2,
       [](SmallTower& t) {
         const TowerElement a = t.draw(), b = t.draw();
         const TowerElement product = t.add(t.mul(t.cosine(a), t.cosine(b)), t.mul(t.sine(a), t.sine(b)));
         return t.sub(t.cosine(t.add(a, b)), product);
       },
       true},
      {"e^(sin a) = e^(sin b)", 6, 1, 1,
       [](SmallTower& t) { return t.sub(t.exp(t.sine(t.draw())), t.exp(t.sine(t.draw()))); }, true},
      {"a product of 6 factors sin x - c", 2, 1, 6,
       [](SmallTower& t) {
         const TowerElement s = t.sine(t.draw());
         return t.product(6, [&](size_t i) { return t.sub(s, t.number(static_cast<int64_t>(i + 2))); });
       },
       true},
  };
  return all;
}

/// How often each formula is 0 in one lane, in units of what the bound allows.
void expect_within_bound(uint64_t low, uint64_t high, int trials) {
  constexpr int kDraws = 5;  // of inputs in a tower
  for (const Wrong& wrong : wrong_formulas()) {
    Random random(11);
    double zeros = 0, allowed = 0;
    for (int i = 0; i < trials / kDraws; ++i) {
      SmallTower tower(random, low, wrong.by_exponentials ? 16 * high : high,
                       wrong.by_exponentials);  // such chains grow faster
      const double factor = (wrong.exponentials + 1) * wrong.exponent_degree + 1;
      for (int k = 0; k < kDraws; ++k) zeros += tower.is_zero(wrong.value(tower)) ? 1 : 0;
      allowed += kDraws * std::min(1.0, factor * wrong.degree / tower.smallest());
    }
    EXPECT_LE(zeros, allowed + 3 * std::sqrt(allowed) + 1) << wrong.name;
  }
}

TEST(TowerBound, HoldsForPrimesOf50To500) { expect_within_bound(50, 2000, 4000); }
TEST(TowerBound, HoldsForPrimesOf2000To60000) { expect_within_bound(2000, 60000, 4000); }

/// The measure measures: with the bound of a formula of degree 1, formulas of degree 8 are accepted too often.
TEST(TowerBound, WouldNotHoldIfItWereLess) {
  Random random(5);
  double zeros = 0, allowed = 0;
  for (int i = 0; i < 4000; ++i) {
    SmallTower tower(random, 50, 2000);
    zeros += tower.is_zero(wrong_formulas()[2].value(tower)) ? 1 : 0;
    allowed += 1 / tower.smallest();
  }
  EXPECT_GT(zeros, 2 * allowed);
}

/// A generator whose order is not the next prime of the chain: sums of exponents that wrap around are no products.
TEST(TowerBound, FormulasThatAreEqualAreAlwaysAccepted) {
  Random random(9);
  for (int i = 0; i < 500; ++i) {
    SmallTower t(random, 50, 2000);
    const TowerElement x = t.draw(), y = t.draw();
    EXPECT_TRUE(t.is_zero(t.sub(t.exp(t.add(x, y)), t.mul(t.exp(x), t.exp(y)))));
    EXPECT_TRUE(t.is_zero(t.sub(t.exp(t.exp(t.add(x, y))), t.exp(t.mul(t.exp(x), t.exp(y))))));
  }
}

}  // namespace
}  // namespace isoshard::sim::tower_bound_test

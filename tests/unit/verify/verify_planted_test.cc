// Mistakes planted in what the verdict rests on: weights, tables, collapse, the ends of domains, towers, hashes,
// readings. Each makes a wrong pair equal in the ring, or a right one different, so that the pairs here would notice
// it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/domains/tower/tower_domain.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/pair.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify::verify_planted_test {
namespace {

using Weights = sim::SoftIntegers::Weights;

/// Two programs with the same inputs.
struct Claim {
  Module module;
  Pair pair;
  explicit Claim(const std::string& body) : module(parse(body)), pair(make_pair_of(module, module.checks.at(0))) {}
};

Claim claim(const std::string& globals, const std::string& views, const std::string& left, const std::string& right) {
  const auto program = [&](const std::string& name, const std::string& body) {
    return "program @" + name + " {\n" + views + body + "  return @y = %y [-]\n}\n";
  };
  return Claim(globals + program("left", left) + program("right", right) + "check @left == @right\n");
}

/// With all integers covered, by variables that are weighted so.
RingOptions covered(const Claim& claim, Weights weights) {
  const std::vector<IntegerValues> values = integer_values(claim.pair);
  IntegerInputs inputs;
  for (size_t g = 0; g < values.size(); ++g) inputs.emplace(claim.module.globals[g].name, values[g]);
  RingOptions options;
  options.seed = 3;
  options.workers = 1;
  options.covered = std::make_shared<IntegerInputs>(std::move(inputs));
  options.domain = [weights](size_t lanes, uint64_t seed) {
    const sim::SoftDomain::Options soft{true, weights};
    return std::make_unique<sim::SoftDomain>(std::make_unique<sim::RingDomain>(lanes, seed), seed, soft);
  };
  return options;
}

bool equal(const Claim& claim, const RingOptions& options) {
  const RingOutcome outcome = compare_in_ring(claim.pair, options);
  return outcome.speaks() && outcome.equal();
}
bool different(const Claim& claim, const RingOptions& options) {
  const RingOutcome outcome = compare_in_ring(claim.pair, options);
  return outcome.speaks() && !outcome.equal();
}

const char* const kLookup = "global @t : f32[3] param\nglobal @k : i32[2] input in 0..3\n";
const char* const kLookupViews = "  %t = view @t [-]\n  %k = view @k [-]\n";

/// The row of the other index.
TEST(Planted, AWeightThatIntegersShare) {
  const Claim wrong = claim(kLookup, kLookupViews, "  %r = reverse %k {dims=[0]}\n  %y = gather %t, %r {dim=0}\n",
                            "  %y = gather %t, %k {dim=0}\n");
  EXPECT_TRUE(different(wrong, covered(wrong, Weights::random)));
  EXPECT_TRUE(equal(wrong, covered(wrong, Weights::shared)));
}

/// m and m is m, also where each program compares anew.
TEST(Planted, ATableWithoutTheSquareOfAPredicate) {
  const Claim right = claim("global @x : f32[2] input\nglobal @z : f32[2] input\n",
                            "  %x = view @x [-]\n  %z = view @z [-]\n  %a = compare %x, %z {direction=gt}\n",
                            "  %b = compare %z, %x {direction=lt}\n  %m = and %a, %b\n  %y = convert %m {dtype=f32}\n",
                            "  %y = convert %a {dtype=f32}\n");
  EXPECT_TRUE(equal(right, covered(right, Weights::random)));
  EXPECT_TRUE(different(right, covered(right, Weights::renewed)));
}

/// k k of an index is a function of its values, not of its mean.
TEST(Planted, AMeanTakenTooEarly) {
  const Claim right = claim(kLookup, kLookupViews, "  %y = multiply %k, %k\n",
                            "  %two = compare %k, 2 {direction=eq}\n  %b = convert %two {dtype=i32}\n"
                            "  %more = multiply %b, 2\n  %y = add %k, %more\n");
  EXPECT_TRUE(equal(right, covered(right, Weights::random)));
  EXPECT_FALSE(equal(right, covered(right, Weights::early)));
}

/// Any integer that is compared with 7 and 9: these, their neighbours and the ends of its dtype stand for all. That it
/// is not 8 shows at the upper neighbour of 7 only.
TEST(Planted, ADomainWithoutANeighbour) {
  const Claim wrong = claim("global @k : i32[2] input\n", "  %k = view @k [-]\n",
                            "  %a = compare %k, 7 {direction=le}\n  %b = compare %k, 9 {direction=ge}\n"
                            "  %o = or %a, %b\n  %y = convert %o {dtype=f32}\n",
                            "  %y = constant {value=1, dtype=f32, shape=[2]}\n");
  RingOptions options = covered(wrong, Weights::random);
  EXPECT_TRUE(different(wrong, options));
  IntegerInputs fewer = *options.covered;
  EXPECT_EQ(std::erase(fewer.at("k").values, 8), 1U);
  options.covered = std::make_shared<IntegerInputs>(fewer);
  EXPECT_TRUE(equal(wrong, options));
}

/// Towers whose generators have twice the order: g -> -g.
sim::Towers with_wrong_generators(size_t lanes, uint64_t seed) {
  const sim::Towers good = sim::draw_towers(lanes, 3, sim::PrimeSize::small, seed);
  auto towers = std::make_shared<std::vector<sim::PrimeTower>>();
  for (const sim::PrimeTower& tower : *good) {
    std::vector<uint64_t> primes, generators;
    for (size_t i = 0; i < tower.height(); ++i) primes.push_back(tower.field(i).modulus());
    for (size_t i = 0; i + 1 < primes.size(); ++i) generators.push_back(primes[i] - tower.exponential(i, 1));
    towers->emplace_back(primes, generators);
  }
  return towers;
}

/// On rung E in towers that `change` has changed.
RingOptions in_towers(const std::function<void(sim::TowerOptions&, size_t lanes, uint64_t seed)>& change) {
  RingOptions options;
  options.seed = 3;
  options.workers = 1;
  options.rung = Rung::e;
  options.domain = [change](size_t lanes, uint64_t seed) {
    sim::TowerOptions tower;
    change(tower, lanes, seed);
    return std::make_unique<sim::TowerDomain>(lanes, seed, tower);
  };
  return options;
}

const RingOptions kHonest = in_towers([](sim::TowerOptions&, size_t, uint64_t) {});
const char* const kFloats = "global @x : f32[8] input\nglobal @z : f32[8] input\n";
const char* const kFloatViews = "  %x = view @x [-]\n  %z = view @z [-]\n";

TEST(Planted, AGeneratorOfAnotherOrder) {
  const Claim right = claim(kFloats, kFloatViews, "  %s = add %x, %z\n  %y = exponential %s\n",
                            "  %a = exponential %x\n  %b = exponential %z\n  %y = multiply %a, %b\n");
  EXPECT_TRUE(equal(right, kHonest));
  EXPECT_TRUE(different(right, in_towers([](sim::TowerOptions& tower, size_t lanes, uint64_t seed) {
                          tower.towers = with_wrong_generators(lanes, seed);
                        })));
}

/// exp(x + z) and exp(x) exp(z) agree in all components but the last.
TEST(Planted, AHashOfAllComponents) {
  const Claim right = claim(kFloats, kFloatViews, "  %s = add %x, %z\n  %e = exponential %s\n  %y = sine %e\n",
                            "  %a = exponential %x\n  %b = exponential %z\n  %p = multiply %a, %b\n  %y = sine %p\n");
  EXPECT_TRUE(equal(right, kHonest));
  EXPECT_TRUE(
      different(right, in_towers([](sim::TowerOptions& tower, size_t, uint64_t) { tower.hashed_components = 3; })));
}

/// What is written as bits or as a rational is that number.
TEST(Planted, ASecondReadingOfARational) {
  const Claim wrong =
      claim(kFloats, kFloatViews, "  %c = constant {value=1/765, dtype=f32, shape=[8]}\n  %y = multiply %x, %c\n",
            "  %c = constant {value=1/768, dtype=f32, shape=[8]}\n  %y = multiply %x, %c\n");
  RingOptions options;
  EXPECT_TRUE(different(wrong, options));
  options.constants.set(Rational(1, 765), DType::f32, sim::ConstantReading{Rational(1, 768)});
  EXPECT_TRUE(equal(wrong, options));
  const CheckReport report = check(wrong.module, wrong.module.checks[0]);
  EXPECT_EQ(report.equivalence, Verdict::not_equal);
  EXPECT_TRUE(report.assumes.readings.empty());
}

}  // namespace
}  // namespace isoshard::verify::verify_planted_test

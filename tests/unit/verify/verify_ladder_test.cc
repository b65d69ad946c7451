// Which rung is asked about what.
#include <gmock/gmock.h>

#include "sim/domains/residues/ring_a.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/restrict_outputs.h"
#include "verify/ladder/ladder.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify::verify_ladder_test {
namespace {

using ::testing::ElementsAre;

/// Two programs of one device over f64[6] inputs @x, @y, each with these lines; they end in returns.
std::string two(const std::string& left, const std::string& right, const std::string& globals = "") {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n";
  return "global @x : f64[6] input\nglobal @y : f64[6] input\n" + globals + "program @left" + head + left +
         "}\nprogram @right" + head + right + "}\ncheck @left == @right\n";
}

/// A module and its check's pair, which points into it.
struct Claim {
  Module module;
  Pair pair;
  explicit Claim(const std::string& body) : module(parse(body)), pair(make_pair_of(module, module.checks.at(0))) {}
};

RingOutcome outcome_of(const Claim& claim, RingOptions options = {}) { return run_ladder(claim.pair, options); }

/// `A: =!  E: =` with one sign per output asked: = equal, ! differs, ? too improbable, - could not speak.
std::string told(const RingOutcome& ring) {
  std::string text;
  for (const RungRecord& r : ring.rungs) {
    text += (text.empty() ? "" : "  ") + std::string(name(r.rung())) + ":" + (r.silent.empty() ? " " : " -");
    for (const RungAnswer& a : r.answers) {
      text += a.says == RungSays::equal ? "=" : a.says == RungSays::differs ? "!" : "?";
    }
  }
  return text;
}

const std::string kDense = "  %d = multiply %x, %y\n  return @d = %d [-]\n";
const std::string kExpOfSum = "  %s = add %x, %y\n  %e = exponential %s\n  return @e = %e [-]\n";
const std::string kProductOfExps =
    "  %a = exponential %x\n  %b = exponential %y\n  %e = multiply %a, %b\n  return @e = %e [-]\n";
const std::string kMaxOfSum = "  %m = maximum %x, %y\n  %n = maximum %m, 0\n  return @m = %n [-]\n";
const std::string kMaxOtherwise = "  %m = maximum %y, 0\n  %n = maximum %x, %m\n  return @m = %n [-]\n";

TEST(VerifyLadder, EachRungIsAskedAboutWhatIsOpen) {
  const RingOutcome ring =
      outcome_of(Claim(two(kDense + kExpOfSum + kMaxOfSum, kDense + kProductOfExps + kMaxOtherwise)));
  EXPECT_EQ(told(ring), "A: =!!  B: !=  E: =");
  EXPECT_TRUE(ring.equal());
  EXPECT_EQ(enumerated(ring.terms.deciding), "A, B and E");
  EXPECT_EQ(ring.rungs.at(1).answers.at(0).output, 1U);
  EXPECT_EQ(ring.rungs.at(2).answers.at(0).output, 1U);
}

TEST(VerifyLadder, ARungThatDecidesAllIsNamedAlone) {
  const RingOutcome ring = outcome_of(Claim(two(kExpOfSum, kProductOfExps)));
  EXPECT_EQ(told(ring), "A: !  E: =");
  EXPECT_EQ(enumerated(ring.terms.deciding), "E");
}

/// What only decided outputs contain is not a reason for a rung: no comparison is left after rung A.
TEST(VerifyLadder, DecidedOutputsAddNoRungs) {
  const std::string relu = "  %m = maximum %x, 0\n  return @m = %m [-]\n";
  EXPECT_EQ(told(outcome_of(Claim(two(relu + kExpOfSum, relu + kProductOfExps)))), "A: =!  E: =");
}

/// The bound of the verdict is that of the rungs that decided.
TEST(VerifyLadder, ErrorsOfDecidingRungsAddUp) {
  const RingOutcome both = outcome_of(Claim(two(kDense + kExpOfSum, kDense + kProductOfExps)));
  ASSERT_EQ(both.rungs.size(), 2U);
  EXPECT_DOUBLE_EQ(both.terms.log2_error, log2_sum(both.rungs[0].terms.log2_error, both.rungs[1].terms.log2_error));
  const RingOutcome one = outcome_of(Claim(two(kExpOfSum, kProductOfExps)));
  EXPECT_DOUBLE_EQ(one.terms.log2_error, one.rungs.at(1).terms.log2_error);
}

/// -inf has no place on rungs A and B: what rung E says of each output counts.
TEST(VerifyLadder, RungsThatCannotSpeakLeaveAllOpen) {
  const std::string masked = "  %i = constant {value=-inf, dtype=f64, shape=[6]}\n  %j = maximum %i, %x\n";
  const RingOutcome ring = outcome_of(Claim(
      two(masked + "  %e = exponential %j\n  %f = exponential %y\n  %o = multiply %e, %f\n  return @o = %o [-]\n" +
              kMaxOfSum,
          "  %s = add %x, %y\n  %o = exponential %s\n  return @o = %o [-]\n" + kMaxOtherwise)));
  EXPECT_EQ(told(ring), "A: -  B: -  E: =!  E: =") << "then with maxima of sets";
  EXPECT_EQ(enumerated(ring.terms.deciding), "E");
  EXPECT_TRUE(ring.silent.empty());
  EXPECT_TRUE(ring.equal());
}

/// An infinite constant that nothing reads keeps no rung from speaking.
TEST(VerifyLadder, WhatNothingReadsIsNotAsked) {
  const std::string dead = "  %i = constant {value=-inf, dtype=f64, shape=[6]}\n  %j = add %i, 1\n";
  EXPECT_EQ(told(outcome_of(Claim(two(dead + kDense, kDense)))), "A: =");
}

/// What numbers refute is not asked about any further; what they do not refute is.
TEST(VerifyLadder, NoLongProofsOfWhatNumbersRefute) {
  const Claim claim(two(kMaxOfSum, "  %m = maximum %y, 0\n  %n = maximum %x, %y\n  return @m = %n [-]\n"));
  const auto asked = [&](bool refuted) {
    RingOptions options;
    return run_ladder(claim.pair, options,
                      [&](const std::vector<RingOutput>&, const std::vector<bool>& open) {
                        return std::vector<bool>(open.size(), refuted);
                      })
        .rungs.size();
  };
  EXPECT_LT(asked(true), asked(false));
  EXPECT_EQ(asked(false), outcome_of(claim).rungs.size());
}

TEST(VerifyLadder, TooLittleMemoryForRungE) {
  RingOptions options;
  options.memory = sim::MemoryLimit{100, "a test"};
  const RingOutcome ring = outcome_of(Claim(two(kDense + kExpOfSum, kDense + kProductOfExps)), options);
  EXPECT_EQ(told(ring), "A: =!  E: -");
  EXPECT_TRUE(ring.outputs.at(0).equal);
  EXPECT_THAT(ring.open.text, ::testing::StartsWith("rung E "));
  EXPECT_THAT(ring.open.text, ::testing::HasSubstr("a test"));
}

CheckReport decided_on(Rung rung, const std::string& body) {
  CheckOptions options;
  options.only_rung = rung;
  return check_text(body, options);
}

TEST(VerifyLadder, OnlyOneRung) {
  const std::string exps = two(kExpOfSum, kProductOfExps);
  for (const Rung rung : {Rung::a, Rung::b}) {
    const CheckReport r = decided_on(rung, exps);
    EXPECT_EQ(r.verdict(), Verdict::undecided) << name(rung);
    EXPECT_EQ(r.tried(), std::vector{rung});
  }
  for (const Rung rung : {Rung::e, Rung::eh}) {
    const CheckReport r = decided_on(rung, exps);
    EXPECT_EQ(r.verdict(), rung == Rung::eh ? Verdict::not_refuted : Verdict::equal) << name(rung) << r.headline();
    EXPECT_EQ(r.terms.deciding, std::vector{rung});
    EXPECT_EQ(r.tried(), std::vector{rung});
  }
  EXPECT_EQ(decided_on(Rung::e, two(kDense, kDense)).verdict(), Verdict::equal);
  EXPECT_EQ(decided_on(Rung::a, two(kMaxOfSum, kMaxOtherwise)).verdict(), Verdict::undecided);
  EXPECT_EQ(decided_on(Rung::b, two(kMaxOfSum, kMaxOtherwise)).verdict(), Verdict::equal);
}

TEST(VerifyLadder, OnlyOneRungFindsWhatIsWrong) {
  const std::string wrong = "  %d = multiply %x, %x\n  return @d = %d [-]\n";
  for (const Rung rung : {Rung::a, Rung::b, Rung::e, Rung::eh}) {
    EXPECT_EQ(decided_on(rung, two(kDense, wrong)).verdict(), Verdict::not_equal) << name(rung);
  }
}

TEST(VerifyLadder, ARungThatCannotSpeakSaysWhy) {
  const std::string infinite =
      "  %i = constant {value=inf, dtype=f64, shape=[6]}\n  %d = maximum %x, %i\n"
      "  return @d = %d [-]\n";
  for (const Rung rung : {Rung::a, Rung::b, Rung::e}) {
    const CheckReport r = decided_on(rung, two(infinite, infinite));
    EXPECT_EQ(r.exit_code(), 3) << name(rung);
    EXPECT_EQ(r.reason.text, rungs_in_words({rung}) + " has no inf");
  }
}

CheckReport decided_in(const LaneChoice& lanes, const std::string& body) {
  CheckOptions options;
  options.lanes = lanes;
  return check_text(body, options);
}

TEST(VerifyLadder, ExactlySoManyLanes) {
  const std::string dense = two(kDense, kDense);
  for (const size_t n : {1U, 2U, 5U, 8U}) {
    const CheckReport r = decided_in(LaneChoice{n, n}, dense);
    EXPECT_EQ(r.verdict(), Verdict::equal) << n;
    EXPECT_EQ(r.terms.lanes, n);
  }
  EXPECT_EQ(decided_in(LaneChoice{1, 1}, dense).headline(), "EQUAL as formulas (rung A, 1 lane, error <= 2^-29)");
  const CheckReport e = decided_in(LaneChoice{1, 1}, two(kExpOfSum, kProductOfExps));
  EXPECT_EQ(e.verdict(), Verdict::equal) << "of large primes: " << e.headline();
  EXPECT_LE(e.terms.log2_error, LaneChoice{}.target);
}

TEST(VerifyLadder, AnErrorIsReachedOrNothingIsDecided) {
  const std::string dense = two(kDense, kDense), order = two(kMaxOfSum, kMaxOtherwise);
  EXPECT_EQ(decided_in(LaneChoice{2, 8, -103, -100}, dense).headline(),
            "EQUAL as formulas (rung A, 4 lanes, error <= 2^-119)");
  const CheckReport b = decided_in(LaneChoice{2, 8, -103, -100}, order);
  EXPECT_EQ(b.verdict(), Verdict::equal) << b.headline();
  EXPECT_LE(b.terms.log2_error, -100);
  const CheckReport exps = decided_in(LaneChoice{2, 2, -203, -200}, two(kExpOfSum, kProductOfExps));
  EXPECT_EQ(exps.exit_code(), 3);
  EXPECT_THAT(exps.reason.text, ::testing::HasSubstr("2^-200 is the most that is accepted"));
  const CheckReport two_lanes = decided_in(LaneChoice{2, 2, -103, -100}, dense);
  EXPECT_EQ(
      two_lanes.headline(),
      "COULD NOT DECIDE: the formulas have so high a degree that rung A may err with probability up to 2^-59 in 2 "
      "lanes; 2^-100 is the most that is accepted");
}

/// The updates of keys and counters are equal in every draw; once all that is asked about has differed they keep no
/// rung going, which for orders is a hundred runs.
TEST(VerifyLadder, DrawsEndWithTheOutputsThatAreWanted) {
  const std::string lines = "  %i = view @i [-]\n  return @z = %x [-]\n  return @j = %i [-]\n";
  const Claim claim(
      two(lines + "  return @o = %x [-]\n", lines + "  return @o = %y [-]\n", "global @i : i32[2] input\n"));
  const auto runs = [&](const std::vector<bool>& wanted) {
    int count = 0;
    RingOptions options;
    options.domain = [&](size_t lanes, uint64_t seed) {
      ++count;
      return std::make_unique<sim::RingDomain>(lanes, seed);
    };
    const RingOutcome outcome = compare_in_ring(claim.pair, options, wanted);
    EXPECT_TRUE(outcome.outputs[0].equal && outcome.outputs[1].equal && !outcome.outputs[2].equal);
    return count;
  };
  EXPECT_EQ(runs({}), 8);
  EXPECT_EQ(runs({true, false, true}), 8);
  EXPECT_EQ(runs({false, false, true}), 1);
}

TEST(VerifyRestrict, KeepsTheUpdatesThatTheNextStepReads) {
  const std::string lines =
      "  %s = view @s [-]\n  %u = view @u [-]\n  %t = add %s, %x\n  %v = multiply %u, %s\n"
      "  update @s = %t [-]\n  update @u = %v [-]\n  return @y = %s [-]\n  return @z = %x [-]\n";
  const std::string globals = "global @s : f64[6] state\nglobal @u : f64[6] state\n";
  Claim claim(two(lines, lines, globals));
  const auto names = [](const Restricted& r) {
    std::vector<std::string> result;
    for (const Output& o : r.pair.sharded.plan.outputs) result.push_back(o.name);
    return result;
  };
  EXPECT_THAT(names(restrict_to(claim.pair, {true, false, false, false})), ElementsAre("y"));
  claim.pair.steps = 2;
  const Restricted part = restrict_to(claim.pair, {true, false, false, false});
  EXPECT_THAT(names(part), ElementsAre("y", "s"));
  EXPECT_THAT(part.wanted, ElementsAre(true, false));
  EXPECT_THAT(part.outputs, ElementsAre(0U, 2U));
  EXPECT_THAT(names(restrict_to(claim.pair, {false, true, false, false})), ElementsAre("z"));
  EXPECT_THAT(names(restrict_to(claim.pair, {false, false, false, true})), ElementsAre("s", "u"));
}

}  // namespace
}  // namespace isoshard::verify::verify_ladder_test

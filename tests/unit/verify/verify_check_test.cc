#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/random.h"
#include "verify/equivalence.h"

namespace isoshard::verify::verify_check_test {
namespace {

using ::testing::HasSubstr;

/// Two programs of one device over f64[6] inputs @x, @y.
std::string two(const std::string& left, const std::string& right, const std::string& globals = "") {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n", tail = "  return @o = %o [-]\n}\n";
  return "global @x : f64[6] input\nglobal @y : f64[6] input\n" + globals + "program @left" + head + left + tail +
         "program @right" + head + right + tail + "check @left == @right\n";
}

CheckReport decide(const std::string& body, const EquivalenceOptions& options) {
  const Module module = parse(body);
  CheckReport report;
  decide_equivalence(make_pair_of(module, module.checks.at(0)), options, report);
  return report;
}

TEST(VerifyCheck, EqualByTheLawsOfTheRing) {
  const CheckReport r = check_text(two("  %s = add %x, %y\n  %e = exponential %s\n  %o = multiply %e, %x\n",
                                       "  %s = add %y, %x\n  %e = exponential %s\n  %o = multiply %x, %e\n"));
  EXPECT_EQ(r.verdict(), Verdict::equal);
  EXPECT_EQ(r.exit_code(), 0);
  EXPECT_EQ(r.headline(), "EQUAL as formulas (rung A, 2 lanes, error <= 2^-59)");
  EXPECT_TRUE(r.diagnosis.empty());
}

/// Hears of the parts of a check, and ends it at the one that it is told.
class PartsHeard : public sim::Caller {
 public:
  explicit PartsHeard(std::string end = "") : end_(std::move(end)) {}
  void begin_part(std::string_view part) override {
    parts_.emplace_back(part);
    if (part == end_) throw std::runtime_error("stopped");
  }
  void go_on(int64_t instructions) override { steps_ += static_cast<int>(instructions); }
  void begin_run(const Plan&) override { ++runs_; }
  void found(std::string_view what) override { found_.emplace_back(what); }
  const std::vector<std::string>& parts() const { return parts_; }
  int steps() const { return steps_; }
  int runs() const { return runs_; }
  const std::vector<std::string>& findings() const { return found_; }

 private:
  std::string end_;
  std::vector<std::string> parts_, found_;
  std::atomic<int> steps_ = 0, runs_ = 0;
};

TEST(VerifyCheck, ACallerHearsOfThePartsAndMayEndThem) {
  const std::string body = two("  %o = add %x, %y\n", "  %o = subtract %x, %y\n");
  PartsHeard all;
  CheckOptions options;
  options.workers.caller = &all;
  EXPECT_EQ(check_text(body, options).verdict(), Verdict::not_equal);
  EXPECT_GT(all.steps(), 0);
  EXPECT_GT(all.runs(), 2);
  EXPECT_THAT(all.findings(), ::testing::Contains("rung A: 0 of 1 output equal"));
  for (const std::string part : {"deadlock and race", "rung A", "rung F", "diagnosis"}) {
    EXPECT_THAT(all.parts(), ::testing::Contains(part));
    PartsHeard some(part);
    options.workers.caller = &some;
    EXPECT_THROW(static_cast<void>(check_text(body, options)), std::runtime_error) << part;
    EXPECT_EQ(some.parts().back(), part);
  }
}

/// What shows for numbers of one sign only is found whatever the seed: rung F draws again where a ring found a
/// difference.
TEST(VerifyCheck, DifferencesOfOneSignAreFound) {
  const std::string clipped =
      "global @x : f64[] input\nprogram @left {\n  %x = view @x []\n  %o = maximum %x, 0\n  return @o = %o []\n}\n"
      "program @right {\n  %x = view @x []\n  return @o = %x []\n}\ncheck @left == @right\n";
  for (uint64_t seed = 0; seed < 64; ++seed) {
    EquivalenceOptions options;
    options.seed = seed;
    EXPECT_EQ(decide(clipped, options).verdict(), Verdict::not_equal) << "seed " << seed;
  }
}

TEST(VerifyCheck, DivisionIsExact) {
  const CheckReport r =
      check_text(two("  %a = divide %x, %y\n  %o = divide %a, %y\n", "  %b = multiply %y, %y\n  %o = divide %x, %b\n"));
  EXPECT_EQ(r.verdict(), Verdict::equal) << r.headline();
}

TEST(VerifyCheck, NotEqualIsShownByACounterexample) {
  const CheckReport r = check_text(two("  %o = add %x, %y\n", "  %o = subtract %x, %y\n"));
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
  EXPECT_EQ(r.exit_code(), 1);
  ASSERT_TRUE(r.outputs.at(0).floats.counterexample);
  const Counterexample& c = *r.outputs[0].floats.counterexample;
  EXPECT_GT(std::abs(c.sharded - c.reference), 1000 * c.bound);
}

TEST(VerifyCheck, ADifferenceOfScaleNeedsAnotherScale) {
  // tanh is 1 in f64 from about 19 on: x + 1e6 shows nothing at scale 1, nor at any other; x * 300 shows at 2^-8.
  const CheckReport r =
      check_text(two("  %a = multiply %x, 3000\n  %o = tanh %a\n", "  %a = multiply %x, 3001\n  %o = tanh %a\n"));
  EXPECT_EQ(r.verdict(), Verdict::not_equal) << r.headline();
}

TEST(VerifyCheck, CouldNotDecideNamesTheMissingLaw) {
  const CheckReport r = check_text(two("  %s = multiply %x, %x\n  %a = sqrt %s\n  %o = power %a, 4\n",
                                       "  %s = multiply %x, %x\n  %o = multiply %s, %s\n"));
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_EQ(r.headline(), "COULD NOT DECIDE: the formulas differ, by less than f64 can show at scales 2^-8, 1 and 2^8");
  EXPECT_EQ(r.diagnosis.value, "%o") << "all that differs: %a is made otherwise";
}

TEST(VerifyCheck, DifferencesBelowRoundingAreUndecided) {
  const CheckReport r =
      check_text(two("  %x2 = multiply %x, %x\n  %s = add %x2, 1\n  %e = multiply %y, 1e-30\n  %o = add %s, %e\n",
                     "  %x2 = multiply %x, %x\n  %o = add %x2, 1\n"));
  EXPECT_EQ(r.verdict(), Verdict::undecided) << r.headline();
  EXPECT_THAT(r.headline(), HasSubstr("the formulas differ, by less than f64 can show"));
}

TEST(VerifyCheck, UnderflowInDotProductsIsWithinTheBound) {
  const std::string k = "  %k = constant {value=1e-200, dtype=f64, shape=[1, 1]}\n";
  const std::string dots =
      "  %r = reshape %a {shape=[6, 1]}\n  %b = dot_general %r, %k {contract=[1]x[0]}\n"
      "  %c = dot_general %b, %k {contract=[1]x[0]}\n  %d = reshape %c {shape=[6]}\n";
  const CheckReport r = check_text(two(k + "  %a = add %x, 0\n" + dots + "  %o = multiply %d, 1e300\n",
                                       k + "  %a = multiply %x, 1e300\n" + dots + "  %o = add %d, 0\n"));
  EXPECT_EQ(r.verdict(), Verdict::equal) << r.headline();
  EXPECT_GT(r.outputs.at(0).floats.max_abs, 1e-110) << "x 1e-200 1e-200 is 0 in f64";
}

TEST(VerifyCheck, UnderflowElsewhereIsWithinTheBound) {
  const CheckReport r =
      check_text(two("  %a = multiply %x, 1e-200\n  %b = multiply %a, 1e-200\n  %o = multiply %b, 1e300\n",
                     "  %a = multiply %x, 1e300\n  %b = multiply %a, 1e-200\n  %o = multiply %b, 1e-200\n"));
  EXPECT_EQ(r.verdict(), Verdict::equal) << r.headline();
}

TEST(VerifyCheck, CancellationWithinTheBoundIsEqual) {
  const CheckReport r = check_text(two("  %a = add %x, 1e30\n  %o = subtract %a, 1e30\n", "  %o = add %x, 0\n"));
  EXPECT_EQ(r.verdict(), Verdict::equal) << "the rounding bound knows that f64 loses x here";
  EXPECT_GT(r.outputs.at(0).floats.max_abs, 0.01);
}

TEST(VerifyCheck, XOver0HasNoValue) {
  const std::string program = "  %z = subtract %x, %x\n  %o = divide %y, %z\n";
  const CheckReport r = check_text(two(program, program));
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.headline(), "COULD NOT DECIDE: the denominator %z is 0 in every draw, and x/0 has no value");
  EXPECT_EQ(r.reason.location.line(), 8U);
}

TEST(VerifyCheck, InfinityAndNanAreNotInTheRing) {
  for (const std::string value : {"inf", "nan"}) {
    const std::string program = "  %k = constant {value=" + value + ", dtype=f64, shape=[6]}\n  %o = add %x, %k\n";
    const CheckReport r = check_text(two(program, program));
    EXPECT_EQ(r.headline(), "COULD NOT DECIDE: rung A has no " + value);
    EXPECT_EQ(r.exit_code(), 3);
    EXPECT_EQ(r.reason.location.line(), 7U);
  }
}

/// Constants that the primes of lanes divide: these primes are drawn again.
TEST(VerifyCheck, NoPrimeDividesAConstant) {
  mpz_class multiple = 1;
  for (const sim::Mod31& p : sim::draw_lane_primes(8, RandomStream(0).part("ring key").word(0)))
    multiple *= mpz_class(p.modulus());
  const std::string number = multiple.get_str();
  EXPECT_EQ(check_text(two("  %o = multiply %x, " + number + "\n", "  %o = multiply %x, 0\n")).verdict(),
            Verdict::not_equal);
  const std::string small = "  %o = multiply %x, 1/" + number + "\n";
  EXPECT_EQ(check_text(two(small, small)).verdict(), Verdict::equal);
  const std::string twice = "  %k = multiply %x, 1/" + number + "\n  %o = add %k, %k\n";
  EXPECT_EQ(check_text(two(small, twice)).verdict(), Verdict::not_equal);
}

TEST(VerifyCheck, DegreesTooHighForAnyNumberOfLanes) {
  std::string program = "  %o.{0} = add %x, %y\n";
  for (int i = 0; i < 40; ++i) {
    const std::string a = "%o.{" + std::to_string(i) + "}", b = "%o.{" + std::to_string(i + 1) + "}";
    program += "  " + b + " = multiply " + a + ", " + a + "\n";
  }
  program += "  %o = negate %o.{40}\n";
  const CheckReport r = check_text(two(program, program));
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.terms.lanes, 8U);
  EXPECT_THAT(r.headline(), HasSubstr("so high a degree"));
}

TEST(VerifyCheck, IntegersStandForAllTheirValues) {
  const std::string globals = "global @n : i32[6] input\n";
  const std::string same = "  %n = view @n [-]\n  %o = add %n, %n\n";
  const CheckReport r = check_text(two(same, "  %n = view @n [-]\n  %o = multiply %n, 2\n", globals));
  EXPECT_EQ(r.verdict(), Verdict::equal);
  EXPECT_TRUE(r.assumes.drawn.empty());
  const CheckReport w = check_text(two(same, "  %n = view @n [-]\n  %o = multiply %n, %n\n", globals));
  EXPECT_EQ(w.verdict(), Verdict::not_equal) << "n + n = n * n for n = 0 and 2 only";
}

TEST(VerifyCheck, ExactConstantsKeepTheirValueOthersAreRandom) {
  const std::string constant = "global @k : f64[6] const init=2\n";
  const CheckReport r = check_text(
      two("  %k = view @k [-]\n  %o = multiply %x, %k\n", "  %k = view @k [-]\n  %o = add %x, %x\n", constant));
  EXPECT_EQ(r.verdict(), Verdict::equal);
  const std::string param = "global @k : f64[6] param init=2\n";
  const CheckReport w =
      check_text(two("  %k = view @k [-]\n  %o = multiply %x, %k\n", "  %k = view @k [-]\n  %o = add %x, %x\n", param));
  EXPECT_EQ(w.verdict(), Verdict::not_equal);
}

TEST(VerifyCheck, AZeroDenominatorByChanceRedrawsItsLaneOnly) {
  // x/y/y against x/(y*y): where y is 0 both sides are hashes of different things.
  const std::string body =
      two("  %a = divide %x, %y\n  %o = divide %a, %y\n", "  %b = multiply %y, %y\n  %o = divide %x, %b\n");
  EquivalenceOptions options;
  options.ring_inputs = [](const Global& g, const sim::Domain& domain, const Draw& draw) {
    sim::Value value = draw_ring(g, domain, draw);
    if (g.name != "y" || draw.redrawn.at(1) > 2) return value;
    std::shared_ptr<std::byte> data = allocate_aligned(value.bytes());
    std::memcpy(data.get(), value.data.get(), value.bytes());
    reinterpret_cast<uint32_t*>(data.get() + value.plane_bytes())[4] = 0;
    value.data = std::move(data);
    return value;
  };
  const CheckReport r = decide(body, options);
  EXPECT_EQ(r.equivalence, Verdict::equal);
  EXPECT_EQ(r.terms.redrawn_lanes, 3U);
}

/// Passes everything on to an honest ring, but adds wrongly.
class FaultyRing final : public sim::Domain {
 public:
  FaultyRing(size_t lanes, uint64_t) : ring_(lanes, 0) {}  // inputs are those of this one
  std::string_view name() const override { return "faulty"; }
  sim::Storage storage(DType dtype) const override { return ring_.storage(dtype); }
  void constant(const Rational& c, DType dtype, std::byte* out) const override { ring_.constant(c, dtype, out); }
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override {
    ring_.from_doubles(dtype, n, x, out);
  }
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override {
    ring_.poison(dtype, seed, n, out);
  }
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override {
    ring_.from_integers(dtype, n, x, out);
  }
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override {
    ring_.to_integers(dtype, n, x, to, out);
  }
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_.convert(from, to, n, x, out);
  }
  Tensor to_tensor(const sim::Value& value) const override { return ring_.to_tensor(value); }
  void unary(sim::UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_.unary(op, dtype, n, x, out);
  }
  void binary(sim::BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override {
    ring_.binary(op == sim::BinaryOp::subtract ? sim::BinaryOp::add : op, dtype, n, x, y, out);
  }
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override {
    ring_.dot(dtype, m, n, k, a, b, out);
  }
  void sum(DType dtype, const sim::ReducePlan& plan, const std::byte* x, std::byte* out) const override {
    ring_.sum(dtype, plan, x, out);
  }
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override {
    ring_.accumulate(dtype, n, acc, x);
  }
  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override { ring_.from_native(n, x, out); }
  void decide(int64_t n, const std::byte* p, uint8_t* out) const override { ring_.decide(n, p, out); }
  void to_float(DType dtype, int64_t n, const std::byte* p, std::byte* out) const override {
    ring_.to_float(dtype, n, p, out);
  }
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override {
    ring_.compare(direction, dtype, n, x, y, out);
  }
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_.finite(dtype, n, x, out);
  }
  void logic(sim::Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override {
    ring_.logic(op, n, x, y, out);
  }
  void select(DType dtype, int64_t n, const std::byte* p, const std::byte* x, const std::byte* y,
              std::byte* out) const override {
    ring_.select(dtype, n, p, x, y, out);
  }
  void sign(sim::SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_.sign(op, dtype, n, x, out);
  }
  void extreme(sim::Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override {
    ring_.extreme(op, dtype, n, x, y, out);
  }
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
             int32_t* indices) const override {
    ring_.top_k(dtype, rows, length, k, x, indices);
  }

 private:
  sim::RingDomain ring_;
};

TEST(VerifyCheck, AFaultyRingIsCaughtByF) {
  EquivalenceOptions options;
  options.ring = [](size_t lanes, uint64_t seed) { return std::make_unique<FaultyRing>(lanes, seed); };
  const CheckReport r = decide(two("  %o = add %x, %y\n", "  %o = subtract %x, %y\n"), options);
  EXPECT_EQ(r.equivalence, Verdict::float_differs);
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_NE(
      r.headline().find("BUT f64 differs by more than rounding explains: numerically unsafe, or a bug of isoshard"),
      std::string::npos)
      << r.headline();
}

TEST(VerifyCheck, EveryOutputHasAVerdict) {
  const CheckReport r = check_text(
      "global @x : f64[6] input\n"
      "program @left {\n  %x = view @x [-]\n  %a = negate %x\n  return @p = %a [-]\n  return @q = %x [-]\n}\n"
      "program @right {\n  %x = view @x [-]\n  %a = multiply %x, 2\n  return @q = %x [-]\n  return @p = %a [-]\n}\n"
      "check @left == @right\n");
  ASSERT_EQ(r.outputs.size(), 2U);
  EXPECT_EQ(r.outputs[0].name, "p");
  EXPECT_EQ(r.outputs[0].verdict, Verdict::not_equal);
  EXPECT_EQ(r.outputs[1].verdict, Verdict::equal) << "outputs are paired by name";
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
}

TEST(VerifyCheck, DifferentOutputsAreBadInput) {
  const Module module = parse(
      "global @x : f64[6] input\n"
      "program @p {\n  %x = view @x [-]\n  return @a = %x [-]\n}\n"
      "program @q {\n  %x = view @x [-]\n  return @b = %x [-]\n}\n"
      "program @r {\n  %x = view @x [-]\n  %y = slice %x {start=[0], limit=[2]}\n  return @b = %y [-]\n}\n");
  const CheckReport names = check(module, Check{ProgramId(0), ProgramId(1), {}});
  EXPECT_EQ(names.exit_code(), 2);
  ASSERT_EQ(names.bad_input.size(), 2U);
  EXPECT_EQ(names.bad_input[0].rule, "C-outputs");
  EXPECT_EQ(names.bad_input[0].message, "check: @p returns @a, @q does not; it returns @b");
  EXPECT_EQ(names.bad_input[1].message, "check: @q returns @b, @p does not; it returns @a");
  const CheckReport types = check(module, Check{ProgramId(2), ProgramId(1), {}});
  EXPECT_EQ(types.exit_code(), 2);
  EXPECT_EQ(types.bad_input.at(0).message,
            "check: @b is f64[2] in @r and f64[6] in @q; expected one dtype and global shape");
}

TEST(VerifyCheck, TheReferenceMayStandOnTheLeft) {
  const std::string sharded =
      "mesh @m [k=3]\nglobal @x : f64[6] input\n"
      "program @dense {\n  %x = view @x [-]\n  %y = multiply %x, 2\n  return @o = %y [-]\n}\n"
      "program @sharded on @m {\n  %x = view @x [k]\n  %y = multiply %x, FACTOR\n  return @o = %y [k]\n}\n";
  const auto with = [&](const std::string& factor) {
    return std::regex_replace(sharded, std::regex("FACTOR"), factor) + "check @dense == @sharded\n";
  };
  EXPECT_EQ(check_text(with("2")).verdict(), Verdict::equal);
  const CheckReport r = check_text(with("6"));
  EXPECT_TRUE(r.claim.reference_is_left);
  EXPECT_EQ(r.diagnosis.cause, "%y = multiply takes 6 instead of 2");
}

TEST(VerifyCheck, EqualSeedsGiveEqualReports) {
  const std::string body = two("  %o = add %x, %y\n", "  %o = subtract %x, %y\n");
  CheckOptions one, two_workers, other;
  one.workers = 1, two_workers.workers = 2, other.seed = 5;
  EXPECT_EQ(masked(check_text(body, one)), masked(check_text(body, two_workers)));
  EXPECT_NE(masked(check_text(body, one)), masked(check_text(body, other)));
}

}  // namespace
}  // namespace isoshard::verify::verify_check_test

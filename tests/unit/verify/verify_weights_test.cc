#include <gmock/gmock.h>

#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_weights_test {
namespace {

using ::testing::HasSubstr;

/// Three parts of @x, each with a sum over devices of its own; `body` makes %y of %p.0, %p.1 and %p.2, `dense` of the
/// sums %s.0, %s.1 and %s.2, which a program on one device adds up at once.
std::string three_parts(const std::string& body, const std::string& dense) {
  return "mesh @g [dp=2]\nglobal @x : f64[3, 4, 9] input\n"
         "untyped program @s on @g {\n  for k in 0..3 {\n    %v.{k} = view @x [k of 3, dp, -]\n"
         "    %t.{k} = tanh %v.{k}\n    %p.{k} = reduce %t.{k} {op=add, dims=[0, 1]}\n  }\n" +
         body +
         "  return @y = %y [-]\n}\n"
         "program @d {\n  %x = view @x [-, -, -]\n  %t = tanh %x\n  %whole = reduce %t {op=add, dims=[1]}\n" +
         dense + "  return @y = %y [-]\n}\ncheck @s == @d\n";
}

const char* const kSum = "  %y = reduce %whole {op=add, dims=[0]}\n";

TEST(VerifyWeights, TermsOfASumThatCountOtherwise) {
  const CheckReport r = check_text(
      three_parts("  %a = multiply %p.0, 3\n  %c = divide %p.2, 2\n  %ab = add %a, %p.1\n  %abc = add %ab, %c\n"
                  "  %y = all_reduce %abc {axis=dp}\n",
                  kSum));
  EXPECT_EQ(r.diagnosis.value, "%abc");
  EXPECT_EQ(r.diagnosis.cause, "the terms of %abc count 3x (%p.0), 1x (%p.1) and 1/2x (%p.2) of what they should");
  EXPECT_EQ(r.diagnosis.facts, (std::vector<std::string>{"with each of them counted 1x, %y is exactly %y of @d"}));
}

TEST(VerifyWeights, AScaleInsideALoopOfAdditions) {
  const CheckReport r =
      check_text(three_parts("  %a = divide %p.0, 2\n  %b = add %a, %p.1\n  %c = divide %b, 2\n  %d = add %c, %p.2\n"
                             "  %e = divide %d, 2\n  %y = all_reduce %e {axis=dp}\n",
                             "  %s = reduce %whole {op=add, dims=[0]}\n  %y = divide %s, 2\n"));
  EXPECT_EQ(r.diagnosis.cause, "the terms of %d count 1/4x (%p.0), 1/2x (%p.1) and 1x (%p.2) of what they should");
}

TEST(VerifyWeights, TermsThatOnlyOneDeviceAdds) {
  const CheckReport r = check_text(
      three_parts("  %ab = add %p.0, %p.1\n  %sum = all_reduce %ab {axis=dp}\n  %y = add %sum, %p.2\n", kSum));
  EXPECT_EQ(r.diagnosis.value, "%y");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce of %p.2 over `dp` before add");
}

TEST(VerifyWeights, TermsOfOneDeviceThatCountOtherwise) {
  const CheckReport r =
      check_text(three_parts("  %i = axis_index {axis=dp}\n  %n = add %i, 1\n  %f = convert %n {dtype=f64}\n"
                             "  %fs = broadcast_in_dim %f {dims=[], shape=[9]}\n  %own = multiply %p.0, %fs\n"
                             "  %ab = add %own, %p.1\n  %abc = add %ab, %p.2\n  %y = all_reduce %abc {axis=dp}\n",
                             kSum));
  EXPECT_EQ(
      r.diagnosis.cause,
      "the terms of %abc count 1x (%p.0 on dp=0), 2x (%p.0 on dp=1), 1x (%p.1) and 1x (%p.2) of what they should");
}

TEST(VerifyWeights, AFactorOfAllTermsIsNoMatterOfWeights) {
  const CheckReport r = check_text(three_parts(
      "  %ab = add %p.0, %p.1\n  %abc = add %ab, %p.2\n  %sum = all_reduce %abc {axis=dp}\n  %y = multiply %sum, 2\n",
      kSum));
  EXPECT_EQ(r.diagnosis.cause, "%y is 2x too large");
}

/// Rows of @x over `dp`; `local` makes a value of the rows of a device, `behind` %y of its sum over devices.
std::string mean(const std::string& local, const std::string& behind, const std::string& uneven = "") {
  return "mesh @g [dp=2, tp=3]\nglobal @x : f64[10, 3] input\n"
         "untyped program @s on @g {\n  %x = view @x [dp, -]\n  %i = axis_index {axis=dp}\n" +
         uneven + "  %q = reduce %x {op=add, dims=[0]}\n" + local + "  %sum = all_reduce %m {axis=dp}\n" + behind +
         "  return @y = %y [-]\n}\n"
         "program @d {\n  %x = view @x [-, -]\n  %q = reduce %x {op=add, dims=[0]}\n  %y = divide %q, 10\n"
         "  return @y = %y [-]\n}\ncheck @s == @d\n";
}

TEST(VerifyWeights, AFactorThatIsMadeGoodIsNotTheCause) {
  EXPECT_EQ(check_text(mean("  %m = divide %q, 5\n", "  %y = divide %sum, 2\n")).verdict(), Verdict::equal);
  const CheckReport r = check_text(mean("  %m = divide %q, 5\n", "  %y = divide %sum, 6\n"));
  EXPECT_EQ(r.diagnosis.value, "%y");
  EXPECT_EQ(r.diagnosis.cause, "%y is 3x too small");
}

TEST(VerifyWeights, AFactorThatIsThatOfTheResultIsTheCause) {
  const CheckReport r = check_text(mean("  %m = divide %q, 5\n", "  %y = multiply %sum, 1\n"));
  EXPECT_EQ(r.diagnosis.value, "%m");
  EXPECT_EQ(r.diagnosis.cause, "%m is 2x too large");
}

TEST(VerifyWeights, EachDeviceDividesByANumberOfItsOwn) {
  const CheckReport r = check_text(mean("  %m = divide %q, %ns\n", "  %y = multiply %sum, 1\n",
                                        "  %n = add %i, 4\n  %f = convert %n {dtype=f64}\n"
                                        "  %ns = broadcast_in_dim %f {dims=[], shape=[3]}\n"));
  EXPECT_EQ(r.diagnosis.cause, "each device of `dp` divides its term of a sum by its own %ns");
  ASSERT_EQ(r.diagnosis.facts.size(), 1U);
  EXPECT_THAT(r.diagnosis.facts[0], HasSubstr("%ns is 4 and 5 on its devices"));
}

/// A pipeline of two stages; `scale` is done to the gradients of the stages.
std::string pipeline(const std::string& scale) {
  return "mesh @m [pp=2]\nglobal @x : f64[4, 3] input\nglobal @w : f64[2, 3] param\n"
         "func @stage(%x: f64[2, 3], %w: f64[3]) on @m -> f64[2, 3] {\n"
         "  %r = broadcast_in_dim %w {dims=[1], shape=[2, 3]}\n  %z = multiply %x, %r\n  %y = tanh %z\n  return %y\n}\n"
         "func @loss(%y: f64[2, 3]) on @m -> f64[] {\n  %l = reduce %y {op=add, dims=[0, 1]}\n  return %l\n}\n"
         "program @p on @m {\n  %x = view @x [-, -]\n  %w = view @w [stack pp, -]\n  %rank = axis_index {axis=pp}\n"
         "  %l, %g = pipeline @stage(%x, %w) @loss() {axis=pp, microbatches=2, wrt=[1], schedule=\"GPipe\"}\n" +
         scale +
         "  return @g = %s [stack pp, -]\n}\n"
         "program @d {\n  %x = view @x [-, -]\n  %w = view @w [-, -]\n  %l, %g = grad @model(%x, %w) {wrt=[1]}\n"
         "  return @g = %g [-, -]\n}\n"
         "func @model(%x: f64[4, 3], %w: f64[2, 3]) -> f64[] {\n  for s in 0..2 {\n"
         "    %ws.{s} = slice %w {start=[s, 0], limit=[s + 1, 3]}\n    %w.{s} = reshape %ws.{s} {shape=[3]}\n"
         "    %r.{s} = broadcast_in_dim %w.{s} {dims=[1], shape=[4, 3]}\n  }\n"
         "  %z0 = multiply %x, %r.0\n  %h0 = tanh %z0\n  %z1 = multiply %h0, %r.1\n  %h1 = tanh %z1\n"
         "  %l = reduce %h1 {op=add, dims=[0, 1]}\n  %m = divide %l, 2\n  return %m\n}\n"
         "check @p == @d\n";
}

TEST(VerifyWeights, BlocksWithAnotherFactorOnEachDevice) {
  EXPECT_EQ(check_text(pipeline("  %s = multiply %g, 1\n")).verdict(), Verdict::equal);
  const CheckReport r = check_text(
      pipeline("  %n = add %rank, 1\n  %f = convert %n {dtype=f64}\n  %fs = broadcast_in_dim %f {dims=[], shape=[3]}\n"
               "  %s = multiply %g, %fs\n"));
  EXPECT_EQ(r.diagnosis.value, "@g");
  EXPECT_EQ(r.diagnosis.cause, "@g is right on pp=0 and 2x the right value on pp=1");
}

TEST(VerifyWeights, ResultsOfCallsHaveTheNamesOfTheProgram) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4, 4] input\n"
      "func @f(%a: f64[4, 2]) on @g -> f64[4] {\n  %inner = reduce %a {op=add, dims=[1]}\n  return %inner\n}\n"
      "untyped program @s on @g {\n  %a = view @a [-, k]\n  %outer = call @f(%a)\n  %t = tanh %outer\n"
      "  return @l = %t [-]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  %l = reduce %a {op=add, dims=[1]}\n  %t = tanh %l\n"
      "  return @l = %t [-]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce of %outer over `k` before tanh");
}

TEST(VerifyWeights, TheLastLineNamesWhatDiffersFirst) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4] input\nglobal @w : f64[] state\n"
      "untyped program @s on @g {\n  %a = view @a [-]\n  %w = view @w []\n  %i = axis_index {axis=k}\n"
      "  %f = convert %i {dtype=f64}\n  %n = power %w, %f\n  update @w = %n []\n  return @w0 = %w []\n}\n"
      "program @d {\n  %a = view @a [-]\n  %w = view @w []\n  %n = tanh %w\n  update @w = %n []\n"
      "  return @w0 = %w []\n}\ncheck @s == @d {steps=2}\n");
  EXPECT_THAT(masked(r), HasSubstr("NOT EQUAL: each device of `k` has its own %n, @d one for all: %n"));
}

}  // namespace
}  // namespace isoshard::verify::verify_weights_test

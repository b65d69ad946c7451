#include <gmock/gmock.h>

#include "tests/unit/verify/verify_fixture.h"
#include "verify/answers/words.h"

namespace isoshard::verify::verify_diagnose_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Rows of @in over `dp` (3), contraction over `tp` (2): out = in . weight + shift; @dense is right.
std::string linear(const std::string& body) {
  return "mesh @grid [dp=3, tp=2]\n"
         "global @in : f64[6, 8] input\nglobal @weight : f64[8, 5] param\nglobal @shift : f64[5] param\n"
         "untyped program @sharded on @grid {\n"
         "  %in = view @in [dp, tp]\n  %weight = view @weight [tp, -]\n  %shift = view @shift [-]\n"
         "  %rows = broadcast_in_dim %shift {dims=[1], shape=[2, 5]}\n" +
         body +
         "}\n"
         "program @dense {\n"
         "  %a = view @in [-, -]\n  %b = view @weight [-, -]\n  %c = view @shift [-]\n"
         "  %ab = dot_general %a, %b {contract=[1]x[0]}\n"
         "  %cs = broadcast_in_dim %c {dims=[1], shape=[6, 5]}\n"
         "  %out = add %ab, %cs\n  return @out = %out [-, -]\n}\n"
         "check @sharded == @dense\n";
}

const char* const kDot = "  %part = dot_general %in, %weight {contract=[1]x[0]}\n";

TEST(VerifyDiagnose, TheRightProgramIsEqual) {
  EXPECT_EQ(check_text(linear(std::string(kDot) + "  %whole = all_reduce %part {axis=tp}\n"
                                                  "  %out = add %whole, %rows\n  return @out = %out [dp, -]\n"))
                .verdict(),
            Verdict::equal);
}

TEST(VerifyDiagnose, MissingAllReduceBeforeAnAdd) {
  const CheckReport r =
      check_text(linear(std::string(kDot) + "  %out = add %part, %rows\n  return @out = %out [dp, -]\n"));
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.diagnosis.value, "%out");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce of %part over `tp` before add");
  EXPECT_EQ(axes_in_words(r.outputs[0].ring.disagreeing_axes, r.claim.mesh), "`tp`");
  EXPECT_EQ(r.outputs[0].ring.disagreeing_positions, (std::vector<int64_t>{1, 3, 5}));
}

TEST(VerifyDiagnose, MissingAllReduceBeforeReturn) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4, 4] input\n"
      "untyped program @s on @g {\n  %a = view @a [-, k]\n  %l = reduce %a {op=add, dims=[1]}\n"
      "  return @l = %l [-]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  %l = reduce %a {op=add, dims=[1]}\n  return @l = %l [-]\n}\n"
      "check @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce of %l over `k` before return");
}

TEST(VerifyDiagnose, MissingAllReduceBeforeANonlinearFunction) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4, 4] input\n"
      "untyped program @s on @g {\n  %a = view @a [-, k]\n  %l = reduce %a {op=add, dims=[1]}\n  %t = tanh %l\n"
      "  %r = all_reduce %t {axis=k}\n  return @l = %r [-]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  %l = reduce %a {op=add, dims=[1]}\n  %t = tanh %l\n"
      "  return @l = %t [-]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.value, "%t");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce of %l over `k` before tanh");
}

std::string scaled_by_maximum(const std::string& maximum) {
  return "mesh @g [dp=2, tp=3]\nglobal @x : f32[8, 12] input\nuntyped program @s on @g {\n  %x = view @x [dp, tp]\n"
         "  %a = abs %x\n" +
         maximum +
         "  %tops = broadcast_in_dim %top {dims=[], shape=[4, 4]}\n  %y = divide %x, %tops\n  return @y = %y [dp, "
         "tp]\n}\n"
         "program @d {\n  %x = view @x [-, -]\n  %a = abs %x\n  %top = reduce %a {op=max, dims=[0, 1]}\n"
         "  %tops = broadcast_in_dim %top {dims=[], shape=[8, 12]}\n  %y = divide %x, %tops\n"
         "  return @y = %y [-, -]\n}\ncheck @s == @d\n";
}

TEST(VerifyDiagnose, MaximumOfOneDevice) {
  const CheckReport r = check_text(scaled_by_maximum("  %top = reduce %a {op=max, dims=[0, 1]}\n"));
  EXPECT_EQ(r.diagnosis.value, "%top");
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce {op=max} of %top over `dp` and `tp`");
  EXPECT_EQ(r.diagnosis.facts, (std::vector<std::string>{"the maximum of %top over `dp` and `tp` is %top of @d"}));
}

TEST(VerifyDiagnose, MaximumOverOneAxisOfTwo) {
  const std::string own = "  %own = reduce %a {op=max, dims=[0, 1]}\n";
  const CheckReport r = check_text(scaled_by_maximum(own + "  %top = all_reduce %own {axis=tp, op=max}\n"));
  EXPECT_EQ(r.diagnosis.cause, "missing all_reduce {op=max} of %top over `dp`");
  const std::string both = "  %top = all_reduce %own {axis=(dp, tp), op=max}\n";
  EXPECT_EQ(check_text(scaled_by_maximum(own + both)).verdict(), Verdict::equal);
}

TEST(VerifyDiagnose, DoubledAllReduce) {
  const CheckReport r = check_text(
      linear(std::string(kDot) + "  %once = all_reduce %part {axis=tp}\n  %twice = all_reduce %once {axis=tp}\n"
                                 "  %out = add %twice, %rows\n  return @out = %out [dp, -]\n"));
  EXPECT_EQ(r.diagnosis.value, "%twice");
  EXPECT_EQ(r.diagnosis.cause, "one all_reduce over `tp` too many: 2x too large (= size(tp))");
}

TEST(VerifyDiagnose, DoubledOverAnAxisTheValueNeverDependedOn) {
  const CheckReport r = check_text(
      "mesh @g [i=5, j=3]\nglobal @a : f64[9] input\n"
      "untyped program @s on @g {\n  %a = view @a [j]\n  %b = all_reduce %a {axis=i}\n  return @l = %b [j]\n}\n"
      "program @d {\n  %a = view @a [-]\n  return @l = %a [-]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "one all_reduce over `i` too many: 5x too large (= size(i))");
  EXPECT_EQ(r.outputs[0].ratio_words, "size(i)");
}

TEST(VerifyDiagnose, WrongAxis) {
  const CheckReport r =
      check_text(linear(std::string(kDot) + "  %sum = all_reduce %part {axis=dp}\n"
                                            "  %out = add %sum, %rows\n  return @out = %out [dp, -]\n"));
  EXPECT_EQ(r.diagnosis.value, "%sum");
  EXPECT_EQ(r.diagnosis.cause, "wrong axis: all_reduce over `dp` instead of `tp`");
}

TEST(VerifyDiagnose, BiasOnEveryDevice) {
  const CheckReport r =
      check_text(linear(std::string(kDot) + "  %q = add %part, %rows\n"
                                            "  %out = all_reduce %q {axis=tp}\n  return @out = %out [dp, -]\n"));
  EXPECT_EQ(r.diagnosis.value, "%q");
  EXPECT_EQ(r.diagnosis.cause, "%rows is added on every device of `tp`: counted 2x (= size(tp))");
}

/// A ring all-gather matmul over `r` (5).
std::string ring(int shift, const std::string& weight) {
  return "mesh @g [r=5]\nglobal @u : f64[2, 10] input\nglobal @v : f64[10, 5] param\n"
         "untyped program @s on @g {\n  %b.{0} = view @u [-, r]\n"
         "  for k in 0..size(r)-1 { %b.{k+1} = collective_permute %b.{k} {axis=r, shift=" +
         std::to_string(shift) + "} }\n  for k in 0..size(r) {\n    %v.{k} = view @v [" + weight +
         ", r]\n    %p.{k} = dot_general %b.{k}, %v.{k} {contract=[1]x[0]}\n  }\n"
         "  %o = sum %p.{0..size(r)}\n  return @o = %o [-, r]\n}\n"
         "program @d {\n  %u = view @u [-, -]\n  %v = view @v [-, -]\n  %o = dot_general %u, %v {contract=[1]x[0]}\n"
         "  return @o = %o [-, -]\n}\ncheck @s == @d\n";
}

TEST(VerifyDiagnose, ReversedRing) {
  EXPECT_EQ(check_text(ring(1, "r-k")).verdict(), Verdict::equal);
  const CheckReport r = check_text(ring(-1, "r-k"));
  EXPECT_EQ(r.diagnosis.value, "%p.1");
  EXPECT_THAT(r.diagnosis.cause, HasSubstr("the ring runs the wrong way: collective_permute"));
}

TEST(VerifyDiagnose, RingThatStartsOneBlockLate) {
  const CheckReport r = check_text(ring(1, "r-k+1"));
  EXPECT_EQ(r.diagnosis.value, "%p.0");
  EXPECT_EQ(r.diagnosis.cause, "dot_general joins blocks that do not belong together");
  EXPECT_THAT(r.diagnosis.facts.at(0), HasSubstr("on device r=0 it meets 0..2 (dim 1) of"));
  EXPECT_THAT(r.diagnosis.facts.at(0), HasSubstr("with 2..4 (dim 0) of"));
}

/// Each position minus the one before it, round the circle, over `sp` (3) blocks of 4.
std::string halo(const std::string& last, const std::string& body) {
  return "mesh @g [sp=3]\nglobal @t : f64[2, 12] input\n"
         "untyped program @s on @g {\n  %t = view @t [-, sp]\n  %last = slice %t " +
         last + "\n  %left = collective_permute %last {axis=sp, shift=1}\n  %rest = slice %t " + body +
         "\n  %prev = concatenate %left, %rest {dim=1}\n  %o = subtract %t, %prev\n  return @o = %o [-, sp]\n}\n"
         "program @d {\n  %t = view @t [-, -]\n  %e = slice %t {start=[0, 11], limit=[2, 12]}\n"
         "  %f = slice %t {start=[0, 0], limit=[2, 11]}\n  %g = concatenate %e, %f {dim=1}\n"
         "  %o = subtract %t, %g\n  return @o = %o [-, -]\n}\ncheck @s == @d\n";
}

TEST(VerifyDiagnose, OffByOneSliceOfTheHalo) {
  const std::string body = "{start=[0, 0], limit=[2, 3]}";
  EXPECT_EQ(check_text(halo("{start=[0, 3], limit=[2, 4]}", body)).verdict(), Verdict::equal);
  const CheckReport r = check_text(halo("{start=[0, 2], limit=[2, 3]}", body));
  EXPECT_EQ(r.diagnosis.value, "%last");
  EXPECT_THAT(r.diagnosis.cause, HasSubstr("off by one: %last = slice takes [0, 10] of"));
  EXPECT_THAT(r.diagnosis.cause, HasSubstr("instead of [0, 11]"));
}

TEST(VerifyDiagnose, OffByOneSliceOfTheBodyIsNotBlamedOnTheHalo) {
  const CheckReport r = check_text(halo("{start=[0, 3], limit=[2, 4]}", "{start=[0, 1], limit=[2, 4]}"));
  // Only a quarter of %prev is right, so the place is all that is known: a slice without a counterpart.
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
  EXPECT_THAT(r.diagnosis.value, AnyOf("%last", "%rest"));
}

TEST(VerifyDiagnose, UnscaledMean) {
  const CheckReport r = check_text(
      "mesh @g [w=2, h=3]\nglobal @a : f64[12] input\n"
      "untyped program @s on @g {\n  %a = view @a [h]\n  %q = multiply %a, %a\n"
      "  %t = reduce %q {op=add, dims=[0]}\n  %n = divide %t, 4\n  %l = all_reduce %n {axis=h}\n"
      "  return @l = %l []\n}\n"
      "program @d {\n  %a = view @a [-]\n  %q = multiply %a, %a\n  %t = reduce %q {op=add, dims=[0]}\n"
      "  %n = divide %t, 12\n  return @l = %n []\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.value, "%n");
  EXPECT_EQ(r.diagnosis.cause, "%n is 3x too large");
  EXPECT_EQ(r.outputs[0].ratio_words, "size(h)");
}

TEST(VerifyDiagnose, MeanDividedTwice) {
  const CheckReport r = check_text(
      "mesh @g [w=4]\nglobal @a : f64[12] input\n"
      "untyped program @s on @g {\n  %a = view @a [w]\n  %t = reduce %a {op=add, dims=[0]}\n"
      "  %l = all_reduce %t {axis=w}\n  %n = divide %l, 48\n  return @l = %n []\n}\n"
      "program @d {\n  %a = view @a [-]\n  %t = reduce %a {op=add, dims=[0]}\n  %n = divide %t, 12\n"
      "  return @l = %n []\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "%n = divide takes 48 instead of 12");
  EXPECT_EQ(to_string(*r.outputs[0].ring.ratio), "1/4");
  EXPECT_EQ(r.outputs[0].ratio_words, "1/size(w)");
}

TEST(VerifyDiagnose, TransposedShardOrderOfAGather) {
  const CheckReport r = check_text(
      "mesh @g [i=2, j=3]\nglobal @a : f64[12, 2] input\n"
      "untyped program @s on @g {\n  %a = view @a [(i, j), -]\n  %b = all_gather %a {axis=(j, i), dim=0}\n"
      "  return @o = %b [-, -]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  return @o = %a [-, -]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.value, "%b");
  EXPECT_EQ(r.diagnosis.cause, "transposed shard order: gathered as (j, i), stored as (i, j)");
}

TEST(VerifyDiagnose, TransposedShardOrderOfAReturn) {
  const CheckReport r = check_text(
      "mesh @g [i=2, j=3]\nglobal @a : f64[12, 2] input\n"
      "untyped program @s on @g {\n  %a = view @a [(i, j), -]\n  %b = multiply %a, 2\n"
      "  return @o = %b [(j, i), -]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  %b = multiply %a, 2\n  return @o = %b [-, -]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.value, "@o");
  EXPECT_EQ(r.diagnosis.cause, "transposed shard order: @o is returned in another layout than %b has");
  EXPECT_THAT(r.diagnosis.facts.at(1), HasSubstr("holds block 1 along dim 0 and returns it as block 2"));
}

TEST(VerifyDiagnose, GatherAlongAnotherDimension) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4, 4] input\n"
      "untyped program @s on @g {\n  %a = view @a [k, -]\n  %b = all_gather %a {axis=k, dim=1}\n"
      "  %c = reshape %b {shape=[4, 4]}\n  return @o = %c [-, -]\n}\n"
      "program @d {\n  %a = view @a [-, -]\n  return @o = %a [-, -]\n}\ncheck @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "all_gather along dim 1 instead of dim 0");
}

TEST(VerifyDiagnose, TheWrongValueReturned) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @a : f64[4] input\n"
      "untyped program @s on @g {\n  %a = view @a [k]\n  %b = multiply %a, 3\n  %c = tanh %b\n  return @o = %b [k]\n}\n"
      "program @d {\n  %a = view @a [-]\n  %b = multiply %a, 3\n  %c = tanh %b\n  return @o = %c [-]\n}\n"
      "check @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "@o is %b of @d, not %c");
}

TEST(VerifyDiagnose, SmallMultiplesOfOtherValuesAreNamed) {
  // Residual counted by every device through a psum of (x / 2 + term).
  const CheckReport r = check_text(
      "mesh @g [k=4]\nglobal @a : f64[8] input\nglobal @b : f64[8] input\n"
      "untyped program @s on @g {\n  %a = view @a [k]\n  %b = view @b [k]\n  %c = multiply %b, 3\n  %t = tanh %a\n"
      "  %o = add %t, %c\n  return @o = %o [k]\n}\n"
      "program @d {\n  %a = view @a [-]\n  %b = view @b [-]\n  %t = tanh %a\n  %o = add %t, %b\n  return @o = %o "
      "[-]\n}\n"
      "check @s == @d\n");
  EXPECT_EQ(r.diagnosis.value, "%c");
  EXPECT_THAT(r.diagnosis.cause, HasSubstr("%c is 3x too large"));
}

TEST(VerifyDiagnose, BlocksOfDifferentPlacesMeet) {
  const CheckReport r = check_text(
      "mesh @g [k=4]\nglobal @a : f64[8] input\nglobal @b : f64[8] input\n"
      "untyped program @s on @g {\n  %a = view @a [k]\n  %b = view @b [k+1]\n  %o = multiply %a, %b\n"
      "  return @o = %o [k]\n}\n"
      "program @d {\n  %a = view @a [-]\n  %b = view @b [-]\n  %o = multiply %a, %b\n  return @o = %o [-]\n}\n"
      "check @s == @d\n");
  EXPECT_EQ(r.diagnosis.cause, "multiply joins blocks that do not belong together");
  EXPECT_EQ(r.diagnosis.facts.at(0), "on device k=0 it meets 0..2 (dim 0) of %a of @d with 2..4 (dim 0) of %b of @d");
}

}  // namespace
}  // namespace isoshard::verify::verify_diagnose_test

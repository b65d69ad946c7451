// Maxima that cancel in softmaxes: which they are, and what the diagnosis says where they do not cancel.
#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/causes/cancelling_maxima.h"
#include "verify/compare/make_pair.h"

namespace isoshard::verify::cancelling_maxima_test {
namespace {

std::string cancelling_in(const std::string& lines) {
  const Module module = parse("global @x : f64[2, 3] input\nprogram @p {\n  %x = view @x [-, -]\n" + lines +
                              "  return @y = %y [-, -]\n}\n");
  const Plan plan = lower(module, *module.find_program("p"));
  std::string names;
  const std::vector<bool> cancelling = find_cancelling_maxima(plan);
  for (size_t v = 0; v < cancelling.size(); ++v) names += cancelling[v] ? plan.values[v].name() + " " : "";
  return names;
}

TEST(CancellingMaxima, MaximaThatShiftArgumentsOfExponentialsOnly) {
  const std::string softmax =
      "  %m = reduce %x {op=max, dims=[1]}\n  %b = broadcast_in_dim %m {dims=[0], shape=[2, 3]}\n"
      "  %s = subtract %x, %b\n  %e = exponential %s\n";
  EXPECT_EQ(cancelling_in(softmax + "  %y = add %e, 0\n"), "m ");
  EXPECT_EQ(cancelling_in(softmax + "  %l = log %e\n  %y = add %l, %b\n"), "m ") << "added again to a logarithm";
  EXPECT_EQ(cancelling_in(softmax + "  %y = multiply %e, %b\n"), "") << "also a factor";
  EXPECT_EQ(cancelling_in("  %m = maximum %x, 0\n  %y = add %m, 1\n"), "") << "no exponential";
  EXPECT_EQ(cancelling_in("  %m = minimum %x, 0\n  %y = exponential %m\n"), "") << "no maximum";
  EXPECT_EQ(cancelling_in("  %m = maximum %x, 0\n  %t = tanh %m\n  %y = exponential %t\n"), "") << "no shift";
}

std::optional<Pair> fixed(const std::string& reference) {
  const Module module = parse("global @x : f32[2, 3] input\nprogram @left {\n  %x = view @x [-, -]\n" + reference +
                              "  return @y = %y [-, -]\n}\nprogram @right {\n  %x = view @x [-, -]\n" + reference +
                              "  return @y = %y [-, -]\n}\ncheck @left == @right\n");
  RingOptions options;
  options.rung = Rung::e;
  Draw draw;
  draw.redrawn = {0, 0};
  return without_cancelling_maxima(make_pair_of(module, module.checks.at(0)), options, draw);
}

TEST(CancellingMaxima, OnlyWhereTheReferenceReturnsTheSameWithoutThem) {
  const std::string softmax =
      "  %m = reduce %x {op=max, dims=[1]}\n  %b = broadcast_in_dim %m {dims=[0], shape=[2, 3]}\n"
      "  %s = subtract %x, %b\n  %e = exponential %s\n  %z = reduce %e {op=add, dims=[1]}\n"
      "  %w = broadcast_in_dim %z {dims=[0], shape=[2, 3]}\n  %y = divide %e, %w\n";
  EXPECT_TRUE(fixed(softmax));
  EXPECT_FALSE(fixed("  %m = maximum %x, 0\n  %y = exponential %m\n")) << "that matters";
  EXPECT_FALSE(fixed("  %y = exponential %x\n")) << "there are none";
}

/// Keys split over `s`; `sums` makes %z and %p of the partial %zo, %po and the local maximum %m.
std::string merged(const std::string& sums) {
  return "mesh @m [s=2]\nglobal @q : f32[2, 2] input\nglobal @k : f32[6, 2] input\n"
         "untyped program @sharded on @m {\n  %q = view @q [-, -]\n  %k = view @k [s, -]\n"
         "  %s = dot_general %q, %k {contract=[1]x[1]}\n  %m = reduce %s {op=max, dims=[1]}\n"
         "  %b = broadcast_in_dim %m {dims=[0], shape=[2, 3]}\n  %x = subtract %s, %b\n  %e = exponential %x\n"
         "  %zo = reduce %e {op=add, dims=[1]}\n  %po = dot_general %e, %k {contract=[1]x[0]}\n" +
         sums +
         "  %w = broadcast_in_dim %z {dims=[0], shape=[2, 2]}\n  %y = divide %p, %w\n  return @y = %y [-, -]\n}\n"
         "program @dense {\n  %q = view @q [-, -]\n  %k = view @k [-, -]\n"
         "  %s = dot_general %q, %k {contract=[1]x[1]}\n  %m = reduce %s {op=max, dims=[1]}\n"
         "  %b = broadcast_in_dim %m {dims=[0], shape=[2, 6]}\n  %x = subtract %s, %b\n  %e = exponential %x\n"
         "  %z = reduce %e {op=add, dims=[1]}\n  %p = dot_general %e, %k {contract=[1]x[0]}\n"
         "  %w = broadcast_in_dim %z {dims=[0], shape=[2, 2]}\n  %y = divide %p, %w\n  return @y = %y [-, -]\n}\n"
         "check @sharded == @dense\n";
}

const char* const kFactor =
    "  %t = all_reduce %m {axis=s, op=max}\n  %d = subtract %m, %t\n  %r = exponential %d\n"
    "  %rb = broadcast_in_dim %r {dims=[0], shape=[2, 2]}\n";

TEST(CancellingMaxima, SumsRelativeToMaximaOfDifferentDevices) {
  const std::string z = "  %zr = multiply %zo, %r\n  %z = all_reduce %zr {axis=s}\n";
  const std::string p = "  %pr = multiply %po, %rb\n  %p = all_reduce %pr {axis=s}\n";
  EXPECT_EQ(check_text(merged(kFactor + z + p)).verdict(), Verdict::equal);
  const CheckReport none = check_text(merged("  %z = all_reduce %zo {axis=s}\n  %p = all_reduce %po {axis=s}\n"));
  EXPECT_EQ(none.verdict(), Verdict::not_equal);
  EXPECT_EQ(none.diagnosis.value, "%z");
  EXPECT_NE(none.diagnosis.cause.find("relative to different maxima"), std::string::npos) << none.diagnosis.cause;
  const CheckReport half = check_text(merged(kFactor + z + "  %p = all_reduce %po {axis=s}\n"));
  EXPECT_EQ(half.verdict(), Verdict::not_equal);
  EXPECT_EQ(half.diagnosis.value, "%p");
  ASSERT_FALSE(half.diagnosis.facts.empty());
  EXPECT_EQ(half.diagnosis.facts[0],
            "another value of %m multiplies %po by other factors on some devices than on others; in @dense the maximum "
            "cancels");
}

}  // namespace
}  // namespace isoshard::verify::cancelling_maxima_test

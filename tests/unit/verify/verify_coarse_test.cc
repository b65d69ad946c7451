// Plain f64 in front of bounds: which differences rounding explains, and where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/domains/floats/upward_f64.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/inputs.h"
#include "verify/compare/make_pair.h"
#include "verify/floats/coarse_difference.h"
#include "verify/floats/plain_agreement.h"

namespace isoshard::verify::verify_coarse_test {
namespace {

std::vector<double> sums(const sim::Domain& domain, std::vector<double> x, const std::vector<double>& y) {
  domain.accumulate(DType::f64, static_cast<int64_t>(x.size()), reinterpret_cast<std::byte*>(x.data()),
                    reinterpret_cast<const std::byte*>(y.data()));
  return x;
}

TEST(UpwardF64, RoundsUpWhatIsNotExact) {
  const std::vector<double> x{1, 1, -1, 0.5}, y{0x1p-60, -0x1p-60, 0x1p-60, 0.25};
  EXPECT_EQ(sums(sim::UpwardF64Domain(), x, y), (std::vector<double>{1 + 0x1p-52, 1, -1 + 0x1p-53, 0.75}));
  EXPECT_EQ(sums(sim::float_domain(sim::Precision::f64), x, y), (std::vector<double>{1, 1, -1, 0.75}));
}

/// Asks of the two programs with these bodies, on random inputs times `scale`.
template <class Question>
bool ask(const std::string& left, const std::string& right, const FloatDraw& floats, const Question& question) {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n", tail = "  return @o = %o [-]\n}\n";
  const Module module = parse("global @x : f64[6] input\nglobal @y : f64[6] input\nprogram @left" + head + left + tail +
                              "program @right" + head + right + tail + "check @left == @right\n");
  const Pair pair = make_pair_of(module, module.checks.at(0));
  const DrawsIn inputs = [&floats](const sim::Domain& domain) {
    return [&](const Global& g, uint32_t step) { return draw_float(g, domain, Draw{1, 0, {}, step}, floats); };
  };
  return question(pair, inputs);
}

bool differs(const std::string& left, const std::string& right) {
  return ask(left, right, {},
             [](const Pair& pair, const DrawsIn& inputs) { return differs_coarsely(pair, {}, inputs, 1); });
}

bool agrees(const std::string& left, const std::string& right, double resolution, const FloatDraw& floats = {}) {
  return ask(left, right, floats, [&](const Pair& pair, const DrawsIn& inputs) {
    return agrees_plainly(pair, {}, inputs, {resolution}, 1);
  });
}

/// Both are 0 but for rounding, which is enlarged to the size of 1.
TEST(CoarseDifference, IsNoneWhereRoundingMakesResults) {
  const std::string noise = "  %s = add %x, %y\n  %a = subtract %s, %x\n  %d = subtract %a, %y\n";
  const std::string other = "  %s = add %x, %y\n  %a = subtract %s, %y\n  %d = subtract %a, %x\n";
  const std::string large =
      "  %t = reduce %d {op=add, dims=[0]}\n  %b = broadcast_in_dim %t {dims=[], shape=[6]}\n"
      "  %o = multiply %b, 1e16\n";
  EXPECT_FALSE(differs(noise + large, other + large));
}

TEST(CoarseDifference, IsWhatAClampForgets) {
  EXPECT_TRUE(differs("  %o = minimum %x, 0.25\n", "  %o = add %x, 0\n"));
  EXPECT_FALSE(differs("  %m = minimum %x, 0.25\n  %n = negate %m\n  %o = negate %n\n", "  %o = minimum %x, 0.25\n"));
}

TEST(PlainAgreement, IsThatOfRoundingOrOfTheSameBits) {
  const std::string thirds = "  %a = divide %x, 3\n  %o = multiply %a, 7\n",
                    sevenths = "  %a = multiply %x, 7\n  %o = divide %a, 3\n";
  EXPECT_TRUE(agrees(thirds, sevenths, kFinest));
  EXPECT_FALSE(agrees(thirds, sevenths, 0));
  EXPECT_TRUE(agrees(thirds, thirds, 0));
}

TEST(PlainAgreement, IsNoneBeyondTheResolution) {
  const std::string sum = "  %o = add %x, 1099511627776\n", more = "  %a = add %x, 3\n  %o = add %a, 1099511627776\n";
  EXPECT_TRUE(agrees(sum, more, kFinest));  // 3 in 2^40
  EXPECT_FALSE(agrees(sum, more, 0x1p-46));
}

TEST(PlainAgreement, KnowsZerosByTheirSignNoNanAndNoInfinityBesideANumber) {
  const FloatDraw zeros{FloatKind::zeros};
  EXPECT_FALSE(agrees("  %o = add %x, 0\n", "  %o = multiply %x, 1\n", kFinest, zeros));
  EXPECT_TRUE(agrees("  %o = multiply %x, 1\n", "  %o = multiply 1, %x\n", kFinest, zeros));
  EXPECT_FALSE(agrees("  %o = divide %x, %x\n", "  %o = divide %x, %x\n", kFinest, zeros));
  EXPECT_FALSE(agrees("  %q = divide 1, %x\n  %o = exponential %q\n",
                      "  %n = negate %x\n  %q = divide 1, %n\n  %o = exponential %q\n", kFinest, zeros));  // inf, 0
}

}  // namespace
}  // namespace isoshard::verify::verify_coarse_test

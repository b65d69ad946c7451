// Plain f64 in front of bounds: which differences rounding explains.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/domains/floats/upward_f64.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/inputs.h"
#include "verify/compare/make_pair.h"
#include "verify/floats/coarse_difference.h"

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

bool differs(const std::string& left, const std::string& right) {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n", tail = "  return @o = %o [-]\n}\n";
  const Module module = parse("global @x : f64[6] input\nglobal @y : f64[6] input\nprogram @left" + head + left + tail +
                              "program @right" + head + right + tail + "check @left == @right\n");
  const Pair pair = make_pair_of(module, module.checks.at(0));
  const DrawsIn inputs = [](const sim::Domain& domain) {
    return [&domain](const Global& g, uint32_t step) { return draw_float(g, domain, Draw{1, 0, {}, step}, {}); };
  };
  return differs_coarsely(pair, {}, inputs, 1);
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

}  // namespace
}  // namespace isoshard::verify::verify_coarse_test

// Derivatives of scalar functions, as the derived program computes them, in binary128 against extrapolated differences
// of an independent f (docs/spec/autodiff.md, "How rules are tested"): 1000 points each, relative 1e-18.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/autodiff/rule_cases.h"
#include "tests/property/generator/dice.h"

namespace isoshard::autodiff::scalar_slopes_test {
namespace {

using reference::Array;
using reference::Element;
using reference::magnitude;
using reference::Quad;
using Quads = std::vector<reference::OnDevices<Quad>>;

/// f of one or two numbers, and where they are drawn: at even distances of the number, or of its logarithm.
struct Function {
  std::string op;
  double low, high;
  bool logarithmic = false;
  double second_low = 0, second_high = 0;  ///< of a second operand, where there is one
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.op; }

class ScalarSlope : public ::testing::TestWithParam<Function> {};

constexpr int kPoints = 1000;

double drawn(double low, double high, bool logarithmic, isoshard::testing::Dice& dice) {
  const double t = static_cast<double>(dice.in(0, int64_t{1} << 40)) / static_cast<double>(int64_t{1} << 40);
  return logarithmic ? low * std::pow(high / low, t) : low + (high - low) * t;
}

reference::OnDevices<Quad> points(double low, double high, bool logarithmic, bool moves, uint64_t seed) {
  isoshard::testing::Dice dice(seed);
  Array<Quad> own{{DType::f64, {kPoints}}, {}};
  for (int i = 0; i < kPoints; ++i) {
    own.elements.push_back({Quad(drawn(low, high, logarithmic, dice), moves ? 1 : 0), 0});
  }
  return {own};
}

TEST_P(ScalarSlope, IsThatOfExtrapolatedDifferences) {
  const Function& c = GetParam();
  const bool binary = c.second_low != c.second_high;
  const std::string type = "f64[" + std::to_string(kPoints) + "]";
  RuleCase rule{c.op, c.op, {"a " + type + " R"}, "  %y = " + c.op + " %a" + (binary ? ", %b\n" : "\n"), type, "t=1"};
  if (binary) rule.arguments.push_back("b " + type + " R");
  RuleFunction f = rule_function(rule);
  const Vjp vjp = vjp_of(f.module, f.function, f.wrt);
  for (size_t moving = 0; moving < rule.arguments.size(); ++moving) {
    Quads in = {points(c.low, c.high, c.logarithmic, moving == 0, 5)};
    if (binary) in.push_back(points(c.second_low, c.second_high, false, moving == 1, 6));
    const Quads expected = reference::call(f.module, f.function, in);
    const Quads forward = reference::call(f.module, vjp.forward, in);
    Quads backward = {expected[0]};
    for (Element<Quad>& e : backward[0][0].elements) e.x = Quad(1);
    backward.insert(backward.end(), forward.begin() + 1, forward.end());
    const Quads got = reference::call(f.module, vjp.backward, backward);
    for (size_t i = 0; i < kPoints; ++i) {
      const __float128 slope = expected[0][0].elements[i].x.slope, x = got[moving][0].elements[i].x.value;
      ASSERT_LE(static_cast<double>(magnitude(x - slope) / magnitude(slope)), 1e-18)
          << "d / d operand " << moving << " at " << static_cast<double>(in[0][0].elements[i].x.value) << ": "
          << static_cast<double>(x) << " and not " << static_cast<double>(slope);
    }
  }
}

// Above 15, 1 - y of logistic and tanh loses more digits than binary128 has to spare; so it does in JAX.
INSTANTIATE_TEST_SUITE_P(
    All, ScalarSlope,
    ::testing::Values(Function{"exponential", -80, 80}, Function{"log", 1e-30, 1e30, true}, Function{"tanh", -15, 15},
                      Function{"logistic", -40, 15}, Function{"sqrt", 1e-30, 1e30, true},
                      Function{"rsqrt", 1e-30, 1e30, true}, Function{"sine", -10, 10}, Function{"cosine", -10, 10},
                      Function{"erf_inv", -0.9999, 0.9999}, Function{"exponential_minus_one", -9, 80},
                      Function{"log_plus_one", -0.999, 9}, Function{"cbrt", 1e-30, 1e30, true}, Function{"erf", -4, 4},
                      Function{"erfc", -4, 4}, Function{"atan2", -9, 9, false, 0.1, 9},
                      Function{"power", 1e-3, 1e3, true, -6, 6}, Function{"multiply", -9, 9, false, -9, 9},
                      Function{"divide", -9, 9, false, 0.1, 9}, Function{"add", -9, 9, false, -9, 9},
                      Function{"subtract", -9, 9, false, -9, 9}, Function{"negate", -9, 9}, Function{"abs", -9, 9}),
    [](const auto& c) { return c.param.op; });

}  // namespace
}  // namespace isoshard::autodiff::scalar_slopes_test

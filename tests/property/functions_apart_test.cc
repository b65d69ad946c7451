// Functions that the reference interpreter cannot judge in a ring, where they are opaque, and in f32, where it has no
// bound: element by element, on their own.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"

namespace isoshard::sim::functions_apart_test {
namespace {

struct Function {
  OpData op;
  double (*real)(double);
};

void PrintTo(const Function& function, std::ostream* out) { *out << op_name(function.op); }

std::string name_of(const ::testing::TestParamInfo<Function>& info) { return std::string(op_name(info.param.op)); }

class FunctionsApart : public ::testing::TestWithParam<Function> {
 protected:
  static Value apply(const std::vector<double>& x, const Domain& domain) {
    const TensorType type{DType::f32, {std::ssize(x)}};
    const std::vector<Value> operands{sim::from_doubles(type, x, domain)};
    return evaluate(GetParam().op, operands, type, domain);
  }
};

/// Of an array it is that of each element, and it differs between arguments.
TEST_P(FunctionsApart, InTheRing) {
  const RingDomain ring(2, 11);
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(i / 4 + 0.375);  // every argument four times
  const Value all = apply(x, ring);
  for (size_t i = 0; i < x.size(); ++i) {
    const Value one = apply({x[i]}, ring);
    for (size_t lane = 0; lane < 2; ++lane)
      EXPECT_EQ(all.plane<uint32_t>(lane)[i], one.plane<uint32_t>(lane)[0]) << x[i];
    for (size_t k = 0; k < i; ++k) {
      EXPECT_EQ(all.plane<uint32_t>(0)[i] == all.plane<uint32_t>(0)[k], x[i] == x[k]) << x[i] << " " << x[k];
    }
  }
}

/// Within two units in the last place of the function of the same number.
TEST_P(FunctionsApart, InSinglePrecision) {
  std::vector<double> x;
  for (int i = 1; i <= 200; ++i) x.push_back(i / 16.0);
  const Value result = apply(x, float_domain(Precision::f32));
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = GetParam().real(x[i]);
    EXPECT_NEAR(result.plane<float>(0)[i], expected, 2 * 0x1p-24 * std::fabs(expected) + 0x1p-26) << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, FunctionsApart,
                         ::testing::Values(Function{Exponential{}, [](double x) { return std::exp(x); }},
                                           Function{Log{}, [](double x) { return std::log(x); }},
                                           Function{Tanh{}, [](double x) { return std::tanh(x); }},
                                           Function{Logistic{}, [](double x) { return 1 / (1 + std::exp(-x)); }},
                                           Function{Sqrt{}, [](double x) { return std::sqrt(x); }},
                                           Function{Rsqrt{}, [](double x) { return 1 / std::sqrt(x); }},
                                           Function{Sine{}, [](double x) { return std::sin(x); }},
                                           Function{Cosine{}, [](double x) { return std::cos(x); }},
                                           Function{ExponentialMinusOne{}, [](double x) { return std::expm1(x); }},
                                           Function{LogPlusOne{}, [](double x) { return std::log1p(x); }},
                                           Function{Cbrt{}, [](double x) { return std::cbrt(x); }},
                                           Function{Erf{}, [](double x) { return std::erf(x); }},
                                           Function{Erfc{}, [](double x) { return std::erfc(x); }}),
                         name_of);

}  // namespace
}  // namespace isoshard::sim::functions_apart_test

#include "tests/golden/same_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/evaluate/conversion.h"

namespace isoshard::golden {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

AssertionResult same_type(const Tensor& made, const Tensor& expected) {
  if (made.dtype() == expected.dtype() && made.shape() == expected.shape()) return AssertionSuccess();
  return AssertionFailure() << "made " << to_string(made.dtype(), made.shape()) << ", expected "
                            << to_string(expected.dtype(), expected.shape());
}

AssertionResult differs(const Tensor& made, const Tensor& expected, size_t i) {
  return AssertionFailure() << "element " << i << ": made " << ::testing::PrintToString(sim::number_at(made, i))
                            << ", expected " << ::testing::PrintToString(sim::number_at(expected, i));
}

}  // namespace

AssertionResult same_bits(const Tensor& made, const Tensor& expected) {
  if (AssertionResult same = same_type(made, expected); !same) return same;
  const size_t size = info(made.dtype()).bytes;
  for (size_t i = 0; i < static_cast<size_t>(made.size()); ++i) {
    const auto a = made.bytes().subspan(i * size, size), b = expected.bytes().subspan(i * size, size);
    if (!std::equal(a.begin(), a.end(), b.begin())) return differs(made, expected, i);
  }
  return AssertionSuccess();
}

AssertionResult close(const Tensor& made, const Tensor& expected, double absolute, double relative) {
  if (!is_float(made.dtype())) return same_bits(made, expected);
  if (AssertionResult same = same_type(made, expected); !same) return same;
  for (size_t i = 0; i < static_cast<size_t>(made.size()); ++i) {
    const double x = sim::number_at(made, i), y = sim::number_at(expected, i);
    const bool equal = x == y || (std::isnan(x) && std::isnan(y));
    if (!equal && !(std::fabs(x - y) <= absolute + relative * std::fabs(y))) return differs(made, expected, i);
  }
  return AssertionSuccess();
}

}  // namespace isoshard::golden

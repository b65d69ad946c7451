#include "tests/golden/same_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ir/scalar/narrow.h"

namespace isoshard::golden {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

double element(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DType::pred:
      return tensor.as<uint8_t>()[i];
    case DType::i32:
      return tensor.as<int32_t>()[i];
    case DType::u32:
      return tensor.as<uint32_t>()[i];
    case DType::i64:
    case DType::key:
      return static_cast<double>(tensor.as<int64_t>()[i]);
    case DType::bf16:
      return static_cast<double>(scalar::widened<scalar::Bf16>(tensor.as<uint16_t>()[i]));
    case DType::f16:
      return static_cast<double>(scalar::widened<scalar::F16>(tensor.as<uint16_t>()[i]));
    case DType::f32:
      return static_cast<double>(tensor.as<float>()[i]);
    case DType::f64:
      return tensor.as<double>()[i];
  }
  return 0;
}

AssertionResult same_type(const Tensor& made, const Tensor& expected) {
  if (made.dtype() == expected.dtype() && made.shape() == expected.shape()) return AssertionSuccess();
  return AssertionFailure() << "made " << to_string(made.dtype(), made.shape()) << ", expected "
                            << to_string(expected.dtype(), expected.shape());
}

AssertionResult differs(const Tensor& made, const Tensor& expected, size_t i) {
  return AssertionFailure() << "element " << i << ": made " << ::testing::PrintToString(element(made, i))
                            << ", expected " << ::testing::PrintToString(element(expected, i));
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
    const double x = element(made, i), y = element(expected, i);
    const bool equal = x == y || (std::isnan(x) && std::isnan(y));
    if (!equal && !(std::fabs(x - y) <= absolute + relative * std::fabs(y))) return differs(made, expected, i);
  }
  return AssertionSuccess();
}

}  // namespace isoshard::golden

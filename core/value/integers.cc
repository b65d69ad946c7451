// Numbers of the integer dtypes outside of arrays: in ranges, reports, constants and the tables of the verifier. All
// but those of u64 from 2^63 on fit an int64_t, and these go as the same 64 bits, because nearly everything that is
// done with a number (sums, products, equality) is the same modulo 2^64; who orders numbers, prints them or makes
// floats of them has to ask for the dtype. Cost: constant.
#include "core/value/integers.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/support/rational_gmp.h"

namespace isoshard {
namespace {

/// Without a sign where T has none.
template <class T>
mpz_class mpz_of(T x) {
  if constexpr (std::is_signed_v<T>) return mpz_class(static_cast<signed long>(x));
  return mpz_class(static_cast<unsigned long>(x));
}

}  // namespace

int64_t wrapped_integer(DType dtype, int64_t x) {
  return with_integer(dtype, [x](auto zero) { return static_cast<int64_t>(static_cast<decltype(zero)>(x)); });
}

int64_t integer_at(const Tensor& array, size_t i) {
  return with_integer(array.dtype(), [&](auto zero) { return static_cast<int64_t>(array.as<decltype(zero)>()[i]); });
}

std::string integer_text(DType dtype, int64_t number) {
  return dtype == DType::u64 ? std::to_string(static_cast<uint64_t>(number)) : std::to_string(number);
}

bool is_integer_of(DType dtype, const Rational& x) {
  return x.is_integer() && to_mpq(x) >= to_mpq(least_integer(dtype)) && to_mpq(x) <= to_mpq(greatest_integer(dtype));
}

Rational least_integer(DType dtype) {
  return with_integer(
      dtype, [](auto zero) { return from_mpq(mpq_class(mpz_of(std::numeric_limits<decltype(zero)>::min()))); });
}

Rational greatest_integer(DType dtype) {
  return with_integer(
      dtype, [](auto zero) { return from_mpq(mpq_class(mpz_of(std::numeric_limits<decltype(zero)>::max()))); });
}

IntegerEnds integer_ends(DType dtype) {
  return with_integer(dtype, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return IntegerEnds{static_cast<int64_t>(Limits::min()),
                       static_cast<int64_t>(std::min(static_cast<uint64_t>(Limits::max()), kMost))};
  });
}

}  // namespace isoshard

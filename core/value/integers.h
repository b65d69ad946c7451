#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/support/check.h"
#include "core/support/rational.h"
#include "core/value/dtype.h"
#include "core/value/tensor.h"

/// Numbers of the integer dtypes. Where one number of any of them is held in an int64_t it is the number itself; those
/// of u64 from 2^63 on are held as the negative number of the same 64 bits.
namespace isoshard {

/// Calls `use` with a 0 of the C++ type of an integer dtype.
template <class Use>
auto with_integer(DType dtype, const Use& use) -> decltype(use(int64_t{})) {
  switch (dtype) {
    case DType::i8:
      return use(int8_t{});
    case DType::u8:
      return use(uint8_t{});
    case DType::i32:
      return use(int32_t{});
    case DType::u32:
      return use(uint32_t{});
    case DType::i64:
      return use(int64_t{});
    case DType::u64:
      return use(uint64_t{});
    case DType::pred:
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::bf16:
    case DType::f16:
    case DType::f32:
    case DType::f64:
    case DType::key:
      break;
  }
  internal_error("integers", "not an integer dtype", __FILE__, __LINE__);
}

/// x modulo the range of an integer dtype, as the dtype has it.
int64_t wrapped_integer(DType dtype, int64_t x);
/// Element `i` of an array of integers, row-major.
int64_t integer_at(const Tensor& array, size_t i);
/// `number` of the dtype as a decimal: of u64 without a sign.
std::string integer_text(DType dtype, int64_t number);

/// Whether a number is one of an integer dtype.
bool is_integer_of(DType dtype, const Rational& x);
/// The ends of an integer dtype.
Rational least_integer(DType dtype);
Rational greatest_integer(DType dtype);

/// The numbers of an integer dtype that an int64_t holds as themselves, all but those of u64 from 2^63 on.
struct IntegerEnds {
  int64_t least, greatest;
  bool contain(int64_t x) const { return least <= x && x <= greatest; }
};
IntegerEnds integer_ends(DType dtype);

}  // namespace isoshard

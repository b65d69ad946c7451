#pragma once

#include <type_traits>

#include "core/value/dtype.h"
#include "exec/kernels/element.h"

/// Picks the instance of a kernel for a dtype.
namespace isoshard::exec {

/// What elements of a dtype are computed in: float, double, int64_t or, of u64, uint64_t.
template <DType dtype>
using NumberOf = std::conditional_t<
    dtype == DType::f64, double,
    std::conditional_t<is_float(dtype), float, std::conditional_t<dtype == DType::u64, uint64_t, int64_t>>>;

template <DType dtype>
using DTypeConstant = std::integral_constant<DType, dtype>;

/// Calls `use` with the DTypeConstant of a numeric dtype; with none for others, which the language has no such ops of.
template <class Use>
void with_numeric(DType dtype, const Use& use) {
  switch (dtype) {
    case DType::i8:
      return use(DTypeConstant<DType::i8>{});
    case DType::u8:
      return use(DTypeConstant<DType::u8>{});
    case DType::i32:
      return use(DTypeConstant<DType::i32>{});
    case DType::u32:
      return use(DTypeConstant<DType::u32>{});
    case DType::i64:
      return use(DTypeConstant<DType::i64>{});
    case DType::u64:
      return use(DTypeConstant<DType::u64>{});
    case DType::f8e4m3:
      return use(DTypeConstant<DType::f8e4m3>{});
    case DType::f8e5m2:
      return use(DTypeConstant<DType::f8e5m2>{});
    case DType::bf16:
      return use(DTypeConstant<DType::bf16>{});
    case DType::f16:
      return use(DTypeConstant<DType::f16>{});
    case DType::f32:
      return use(DTypeConstant<DType::f32>{});
    case DType::f64:
      return use(DTypeConstant<DType::f64>{});
    case DType::pred:
    case DType::key:
      return;
  }
}

/// Sixteen bytes that are moved at once.
struct alignas(16) WideWord {
  uint64_t low, high;
};

/// Calls `use` with a word of so many bytes: 1, 2, 4, 8 or 16.
template <class Use>
void with_word(size_t bytes, const Use& use) {
  if (bytes == 1) return use(uint8_t{});
  if (bytes == 2) return use(uint16_t{});
  if (bytes == 4) return use(uint32_t{});
  if (bytes == 8) return use(uint64_t{});
  return use(WideWord{});
}

}  // namespace isoshard::exec

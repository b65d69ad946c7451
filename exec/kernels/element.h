#pragma once

#include "core/ir/scalar/integers.h"
#include "core/ir/scalar/narrow.h"
#include "core/value/dtype.h"
#include "exec/kernels/simt/simt.h"

/// Elements of the dtypes in memory, read as numbers exactly and written with one rounding.
namespace isoshard::exec {

template <class T>
ISOSHARD_DEVICE T load(const std::byte* base, int64_t i) {
  note_access(base + i * int64_t{sizeof(T)}, sizeof(T), false);
  return reinterpret_cast<const T*>(base)[i];
}
template <class T>
ISOSHARD_DEVICE void store(std::byte* base, int64_t i, T x) {
  note_access(base + i * int64_t{sizeof(T)}, sizeof(T), true);
  reinterpret_cast<T*>(base)[i] = x;
}

/// Element i of an array at `base` as a T: float for floats of at most 32 bits and predicates, double for all floats,
/// int64_t and uint64_t for integers that fit them, predicates and keys.
template <class T>
ISOSHARD_DEVICE T read_number(DType dtype, const std::byte* base, int64_t i);

template <>
ISOSHARD_DEVICE float read_number<float>(DType dtype, const std::byte* base, int64_t i) {
  switch (dtype) {
    case DType::bf16:
      return scalar::widened<scalar::Bf16>(load<uint16_t>(base, i));
    case DType::f16:
      return scalar::widened<scalar::F16>(load<uint16_t>(base, i));
    case DType::f8e4m3:
      return scalar::widened<scalar::F8E4M3>(load<uint8_t>(base, i));
    case DType::f8e5m2:
      return scalar::widened<scalar::F8E5M2>(load<uint8_t>(base, i));
    case DType::pred:
      return static_cast<float>(load<uint8_t>(base, i));
    default:
      return load<float>(base, i);
  }
}

template <>
ISOSHARD_DEVICE double read_number<double>(DType dtype, const std::byte* base, int64_t i) {
  return dtype == DType::f64 ? load<double>(base, i) : static_cast<double>(read_number<float>(dtype, base, i));
}

template <>
ISOSHARD_DEVICE int64_t read_number<int64_t>(DType dtype, const std::byte* base, int64_t i) {
  switch (dtype) {
    case DType::i8:
      return load<int8_t>(base, i);
    case DType::pred:
    case DType::u8:
      return load<uint8_t>(base, i);
    case DType::i32:
      return load<int32_t>(base, i);
    case DType::u32:
      return load<uint32_t>(base, i);
    default:
      return load<int64_t>(base, i);
  }
}

template <>
ISOSHARD_DEVICE uint64_t read_number<uint64_t>(DType dtype, const std::byte* base, int64_t i) {
  return static_cast<uint64_t>(read_number<int64_t>(dtype, base, i));
}

/// An index; what of a u64 no array reaches is the greatest number.
ISOSHARD_DEVICE int64_t read_index(DType dtype, const std::byte* base, int64_t i) {
  const int64_t number = read_number<int64_t>(dtype, base, i);
  return dtype == DType::u64 && number < 0 ? scalar::kGreatestInteger<int64_t> : number;
}

/// A number that narrowed() can round to fewer bits as if it were x.
ISOSHARD_DEVICE float to_be_narrowed(float x) { return x; }
ISOSHARD_DEVICE double to_be_narrowed(double x) { return x; }
ISOSHARD_DEVICE double to_be_narrowed(int64_t x) { return scalar::odd_double(x); }
ISOSHARD_DEVICE double to_be_narrowed(uint64_t x) { return scalar::odd_double(x); }

template <class Narrow, class T>
ISOSHARD_DEVICE typename Narrow::Bits bits_narrowed(T x) {
  return scalar::narrow_bits<Narrow>(static_cast<float>(scalar::narrowed<Narrow>(to_be_narrowed(x))));
}

/// x as the integer type N: floats toward zero and limited to its range, integers modulo it.
template <class N, class T>
ISOSHARD_DEVICE N integer_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::truncated<N>(x);
  } else {
    return static_cast<N>(x);
  }
}

template <class F, class T>
ISOSHARD_DEVICE F float_of(T x) {
  if constexpr (std::is_same_v<F, T>) {
    return x;
  } else {
    return scalar::canonical(static_cast<F>(x));
  }
}

/// Writes element i of an array at `base`.
template <class T>
ISOSHARD_DEVICE void write_number(DType dtype, std::byte* base, int64_t i, T x) {
  switch (dtype) {
    case DType::pred:
      return store<uint8_t>(base, i, x != T(0) ? 1 : 0);
    case DType::i8:
      return store(base, i, integer_of<int8_t>(x));
    case DType::u8:
      return store(base, i, integer_of<uint8_t>(x));
    case DType::i32:
      return store(base, i, integer_of<int32_t>(x));
    case DType::u32:
      return store(base, i, integer_of<uint32_t>(x));
    case DType::i64:
      return store(base, i, integer_of<int64_t>(x));
    case DType::u64:
    case DType::key:
      return store(base, i, integer_of<uint64_t>(x));
    case DType::f8e4m3:
      return store(base, i, bits_narrowed<scalar::F8E4M3>(x));
    case DType::f8e5m2:
      return store(base, i, bits_narrowed<scalar::F8E5M2>(x));
    case DType::bf16:
      return store(base, i, bits_narrowed<scalar::Bf16>(x));
    case DType::f16:
      return store(base, i, bits_narrowed<scalar::F16>(x));
    case DType::f32:
      return store(base, i, float_of<float>(x));
    case DType::f64:
      return store(base, i, float_of<double>(x));
  }
}

}  // namespace isoshard::exec

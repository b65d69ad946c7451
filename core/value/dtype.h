#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace isoshard {

/// Element types of the language. A new one is a row of kDTypes; one of integers also a type of `with_integer`.
///
/// Integers wrap around at their own width. Floats of 16 and 8 bits are rounded after every op; sums and dots
/// accumulate in f32. f8e4m3 has no inf (the float8_e4m3fn of ml_dtypes), and what is beyond 448 is nan; f8e5m2 has
/// one. A key is the two 32-bit words of a Threefry key, the first in the low half.
enum class DType : uint8_t { pred, i8, u8, i32, u32, i64, u64, f8e4m3, f8e5m2, bf16, f16, f32, f64, key };

struct DTypeInfo {
  DType dtype;
  std::string_view name;   ///< as written in `.shard`
  size_t bytes;            ///< of one element in memory and in `.npy`
  std::string_view numpy;  ///< little-endian descriptor of the `.npy` format
  bool is_float;           ///< float values are what exact domains replace by ring elements
};

inline constexpr DTypeInfo kDTypes[] = {
    {DType::pred, "pred", 1, "|b1", false},    {DType::i8, "i8", 1, "|i1", false},
    {DType::u8, "u8", 1, "|u1", false},        {DType::i32, "i32", 4, "<i4", false},
    {DType::u32, "u32", 4, "<u4", false},      {DType::i64, "i64", 8, "<i8", false},
    {DType::u64, "u64", 8, "<u8", false},  // before `key`, which archives cannot tell from it
    {DType::f8e4m3, "f8e4m3", 1, "|V1", true}, {DType::f8e5m2, "f8e5m2", 1, "|V1", true},
    {DType::bf16, "bf16", 2, "|V2", true},     {DType::f16, "f16", 2, "<f2", true},
    {DType::f32, "f32", 4, "<f4", true},       {DType::f64, "f64", 8, "<f8", true},
    {DType::key, "key", 8, "<u8", false},
};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr bool is_float(DType dtype) { return info(dtype).is_float; }
constexpr bool is_integer(DType dtype) { return DType::i8 <= dtype && dtype <= DType::u64; }
constexpr bool is_unsigned(DType dtype) { return dtype == DType::u8 || dtype == DType::u32 || dtype == DType::u64; }
constexpr bool is_numeric(DType dtype) { return is_float(dtype) || is_integer(dtype); }
/// Floats of fewer bits than an f32, which are computed as f32 and rounded.
constexpr bool is_narrow(DType dtype) { return is_float(dtype) && info(dtype).bytes < 4; }
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace isoshard

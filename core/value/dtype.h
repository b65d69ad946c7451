#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace isoshard {

/// Element types of the language. A new one is a row of kDTypes and a storage type in `dispatch_storage`.
enum class DType : uint8_t { pred, i32, f32, f64 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;   ///< as written in `.shard`
  size_t bytes;            ///< of one element in memory and in `.npy`
  std::string_view numpy;  ///< little-endian descriptor of the `.npy` format
  bool is_float;           ///< float values are what exact domains replace by ring elements
};

inline constexpr DTypeInfo kDTypes[] = {
    {DType::pred, "pred", 1, "|b1", false},
    {DType::i32, "i32", 4, "<i4", false},
    {DType::f32, "f32", 4, "<f4", true},
    {DType::f64, "f64", 8, "<f8", true},
};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr bool is_float(DType dtype) { return info(dtype).is_float; }
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace isoshard

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isoshard {
inline namespace v1 {

/// An array by the name of its global or output.
struct NamedArray {
  std::string name;              ///< without `@`
  std::string dtype;             ///< as the language has it: `f32`, `bf16`, `i32`, `pred`, ...
  std::vector<int64_t> shape;    ///< sizes per dimension; empty: a scalar
  std::vector<std::byte> bytes;  ///< row-major and little-endian; a pred is a byte, 0 or 1, a key two u32
};

}  // namespace v1
}  // namespace isoshard

#pragma once

#include <cstdint>

#include "core/plan/calls/call.h"

namespace isoshard::exec {

/// How a matrix of a product lies in memory, wherever that is.
struct MatrixKind {
  bool transposed = false;
  int64_t row = 0;        ///< elements from one row in memory to the next
  int64_t batch = 0;      ///< elements from one matrix to the next
  int64_t alignment = 0;  ///< bytes: the largest power of 2 that divides its place, at most 256
  bool operator==(const MatrixKind&) const = default;
  auto operator<=>(const MatrixKind&) const = default;
};

/// All that the algorithm of a product depends on, beside the device and the library: the product but for its places.
struct ProductKind {
  DType operands = DType::f32;
  DType result = DType::f32;
  bool tf32 = false;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  MatrixKind a, b, c;
  calls::Epilogue epilogue = calls::Epilogue::none;
  int64_t added_alignment = 0;  ///< of what the epilogue adds, as that of a matrix
  bool operator==(const ProductKind&) const = default;
  auto operator<=>(const ProductKind&) const = default;
};

/// The kind of a product in memory that begins at a multiple of 256 bytes.
ProductKind kind_of(const calls::Product& product);

}  // namespace isoshard::exec

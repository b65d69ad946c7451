#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/value/dtype.h"

namespace isoshard {

/// Sizes per dimension, row-major, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// The number of elements of `shape` (1 for a scalar).
int64_t element_count(const Shape& shape);
/// `8,16` as in `f32[8,16]`.
std::string to_string(const Shape& shape);
/// `f32[8,16]`.
std::string to_string(DType dtype, const Shape& shape);

/// A dense row-major array with immutable, shared, 64-byte aligned storage; copying shares it.
///
/// pred elements are bytes 0 or 1. Thread-safe to read from any number of threads.
class Tensor {
 public:
  Tensor() = default;
  /// Copies `bytes` (element_count * info(dtype).bytes of them).
  static Tensor from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes);
  template <class T>
  static Tensor from(DType dtype, const Shape& shape, std::span<const T> values) {
    return from_bytes(dtype, shape, std::as_bytes(values));
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_.get(), static_cast<size_t>(size_) * info(dtype_).bytes}; }
  /// The elements as T, whose size must be that of the dtype.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_.get()), static_cast<size_t>(size_)};
  }
  bool same_storage(const Tensor& other) const { return data_ == other.data_; }

 private:
  DType dtype_ = DType::f32;
  Shape shape_;
  int64_t size_ = 0;
  std::shared_ptr<const std::byte> data_;
};

/// `count` bytes of uninitialised storage aligned to 64, freed with the last owner.
std::shared_ptr<std::byte> allocate_aligned(size_t count);

}  // namespace isoshard

#pragma once

#include <memory>

#include "sim/value/value.h"

namespace isoshard::sim {

/// A value under construction: its elements may be written until `finish`.
struct NewValue {
  TensorType type;
  Storage storage;
  std::shared_ptr<std::byte> data;  ///< uninitialised, aligned to 64

  NewValue(TensorType value_type, Storage value_storage) : type(std::move(value_type)), storage(value_storage) {
    data = allocate_aligned(bytes());
  }

  int64_t size() const { return element_count(type.shape); }
  size_t plane_bytes() const { return static_cast<size_t>(size()) * storage.element_bytes; }
  size_t bytes() const { return plane_bytes() * storage.planes; }
  std::byte* plane(size_t index) const { return data.get() + index * plane_bytes(); }
  template <class T>
  T* elements() const {
    return reinterpret_cast<T*>(data.get());
  }
  Value finish() && { return Value{std::move(type), storage, std::move(data)}; }
};

}  // namespace isoshard::sim

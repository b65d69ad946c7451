#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/ir/types/type.h"

namespace isoshard::sim {

/// How a domain stores float values: `planes` arrays of `element_bytes` each, one after another (lanes of a ring, value
/// and error bound, or a single plane of ordinary floats) and predicates. Integers are one plane of their own dtype.
struct Storage {
  size_t element_bytes = 0;
  size_t planes = 1;
  bool operator==(const Storage&) const = default;
};

/// A tensor as one device holds it in some domain: immutable, reference-counted, row-major within each plane.
struct Value {
  TensorType type;
  Storage storage;
  std::shared_ptr<const std::byte> data;

  int64_t size() const { return element_count(type.shape); }
  size_t plane_bytes() const { return static_cast<size_t>(size()) * storage.element_bytes; }
  size_t bytes() const { return plane_bytes() * storage.planes; }
  template <class T>
  std::span<const T> plane(size_t index) const {
    return {reinterpret_cast<const T*>(data.get() + index * plane_bytes()), static_cast<size_t>(size())};
  }
};

/// True when what one refers to stays as long as the other one does.
inline bool shares_storage(const Value& a, const Value& b) {
  return !a.data.owner_before(b.data) && !b.data.owner_before(a.data);
}

/// True when both hold the same elements bit for bit (types included).
bool same_bits(const Value& a, const Value& b);

}  // namespace isoshard::sim

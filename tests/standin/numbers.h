#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/ir/scalar/narrow.h"

namespace standin {

/// Elements in memory as the numbers that are computed with: floats of 16 and 8 bits as f32, rounded when they are
/// stored.
template <class Narrow>
struct NarrowFloat {
  using Stored = typename Narrow::Bits;
  using Value = float;
  static Value load(Stored bits) { return isoshard::scalar::widened<Narrow>(bits); }
  static Stored store(Value value) {
    return isoshard::scalar::narrow_bits<Narrow>(isoshard::scalar::narrowed<Narrow>(value));
  }
};
template <class T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};
using Bf16 = NarrowFloat<isoshard::scalar::Bf16>;
using F16 = NarrowFloat<isoshard::scalar::F16>;
using F8E4M3 = NarrowFloat<isoshard::scalar::F8E4M3>;
using F8E5M2 = NarrowFloat<isoshard::scalar::F8E5M2>;

/// Element `index` of an array, which need not be aligned.
template <class Format>
typename Format::Value load_at(const void* array, size_t index) {
  typename Format::Stored stored;
  std::memcpy(&stored, static_cast<const char*>(array) + index * sizeof stored, sizeof stored);
  return Format::load(stored);
}
template <class Format>
void store_at(void* array, size_t index, typename Format::Value value) {
  const typename Format::Stored stored = Format::store(value);
  std::memcpy(static_cast<char*>(array) + index * sizeof stored, &stored, sizeof stored);
}

}  // namespace standin

#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/keyed_hash.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/new_value.h"

namespace isoshard::sim::testing_support {

/// All planes of element `i`, one after another: what moving an element must keep.
inline std::string element(const Value& x, int64_t i) {
  std::string bytes;
  const size_t width = x.storage.element_bytes;
  for (size_t p = 0; p < x.storage.planes; ++p) {
    const std::byte* at = x.data.get() + p * x.plane_bytes() + static_cast<size_t>(i) * width;
    bytes.append(reinterpret_cast<const char*>(at), width);
  }
  return bytes;
}

inline std::vector<std::string> elements(const Value& x) {
  std::vector<std::string> all;
  for (int64_t i = 0; i < x.size(); ++i) all.push_back(element(x, i));
  return all;
}

/// The index tuple of element `flat`, row-major.
inline std::vector<int64_t> index_of(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; flat /= shape[d]) index[d] = flat % shape[d];
  return index;
}

inline int64_t flat_of(const std::vector<int64_t>& index, const Shape& shape) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + index[d];
  return flat;
}

/// A float value of `type` whose elements are residues in every RingDomain, independent per element and lane, drawn
/// from (seed, name).
inline Value random_ring(const TensorType& type, size_t lanes, uint64_t seed, std::string_view name) {
  KeyedHash stream(seed, 0x6c6f62616c736772u);
  stream.absorb(name.size());
  for (const char c : name) stream.absorb(static_cast<unsigned char>(c));
  NewValue result(type, Storage{sizeof(uint32_t), lanes});
  const auto n = static_cast<uint64_t>(result.size());
  for (size_t lane = 0; lane < lanes; ++lane) {
    KeyedHash hash = stream;
    hash.absorb(lane);
    Residue* const plane = residues(result.data.get()) + lane * n;
    for (uint64_t i = 0; i < n; ++i) plane[i] = scaled(hash.with(i), kLeastLanePrime);
  }
  return std::move(result).finish();
}

/// Residues, normal numbers, 32-bit integers or predicates, as the type and the domain want.
inline Value random_value(const TensorType& type, const Domain& domain, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto count = static_cast<size_t>(element_count(type.shape));
  if (const auto* ring = dynamic_cast<const RingDomain*>(&domain); ring != nullptr && is_float(type.dtype)) {
    return random_ring(type, ring->lanes(), seed, "x");
  }
  if (is_float(type.dtype)) {
    std::normal_distribution<double> normal;
    std::vector<double> values(count);
    for (double& value : values) value = normal(random);
    return from_doubles(type, values, domain);
  }
  std::vector<std::byte> bytes(count * info(type.dtype).bytes);
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(type.dtype == DType::pred ? random() % 2 : random() % 256);
  return from_tensor(Tensor::from_bytes(type.dtype, type.shape, bytes), domain);
}

/// A value of the given dtype and doubles, which must be small integers for i32.
inline Value value_of(DType dtype, Shape shape, const std::vector<double>& values, const Domain& domain) {
  if (is_float(dtype)) return from_doubles(TensorType{dtype, std::move(shape)}, values, domain);
  const std::vector<int32_t> integers(values.begin(), values.end());
  return from_tensor(Tensor::from<int32_t>(dtype, std::move(shape), integers), domain);
}

}  // namespace isoshard::sim::testing_support

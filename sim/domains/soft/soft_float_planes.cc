#include "sim/domains/soft/soft_float_planes.h"

#include <cstring>
#include <utility>

#include "sim/value/new_value.h"

namespace isoshard::sim {

/// The plane behind those of the ring.
std::byte* SoftFloatPlanes::table_plane(DType dtype, int64_t n, std::byte* x) const {
  return x + ring_.storage(dtype).element_bytes * ring_.storage(dtype).planes * static_cast<size_t>(n);
}

std::byte* SoftFloatPlanes::number_plane(DType dtype, int64_t n, std::byte* x) const {
  return table_plane(dtype, n, x) + ring_.storage(dtype).element_bytes * static_cast<size_t>(n);
}

uint32_t SoftFloatPlanes::id_at(const std::byte* plane, DType dtype, int64_t i) const {
  uint32_t id = 0;
  std::memcpy(&id, plane + static_cast<size_t>(i) * ring_.storage(dtype).element_bytes, sizeof id);
  return id;
}

void SoftFloatPlanes::set_id(uint32_t id, std::byte* plane, DType dtype, int64_t i) const {
  std::memcpy(plane + static_cast<size_t>(i) * ring_.storage(dtype).element_bytes, &id, sizeof id);
}

SoftFloats::Id SoftFloatPlanes::table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  return id_at(table_plane(dtype, n, const_cast<std::byte*>(x)), dtype, i);
}

void SoftFloatPlanes::set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  set_id(id, table_plane(dtype, n, out), dtype, i);
}

std::vector<SoftFloats::Id> SoftFloatPlanes::tables(DType dtype, int64_t n, const std::byte* x) const {
  return ids_in(table_plane(dtype, n, const_cast<std::byte*>(x)), n, ring_.storage(dtype).element_bytes);
}

SoftNumbers::Id SoftFloatPlanes::number_id(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  return id_at(number_plane(dtype, n, const_cast<std::byte*>(x)), dtype, i);
}

void SoftFloatPlanes::set_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  set_id(id, number_plane(dtype, n, out), dtype, i);
}

std::vector<SoftNumbers::Id> SoftFloatPlanes::numbers(DType dtype, int64_t n, const std::byte* x) const {
  return ids_in(number_plane(dtype, n, const_cast<std::byte*>(x)), n, ring_.storage(dtype).element_bytes);
}

std::vector<uint32_t> SoftFloatPlanes::ids_in(const std::byte* plane, int64_t n, size_t width) {
  const size_t bytes = width * static_cast<size_t>(n);
  const bool none = bytes == 0 || (plane[0] == std::byte{0} && std::memcmp(plane, plane + 1, bytes - 1) == 0);
  std::vector<uint32_t> result(none ? 0 : static_cast<size_t>(n));
  for (size_t i = 0; i < result.size(); ++i) std::memcpy(&result[i], plane + i * width, sizeof result[i]);
  return result;
}

void SoftFloatPlanes::no_tables(DType dtype, int64_t n, std::byte* out) const {
  const size_t bytes = 2 * ring_.storage(dtype).element_bytes * static_cast<size_t>(n);  // numbers, too
  if (bytes != 0) std::memset(table_plane(dtype, n, out), 0, bytes);
}

Value SoftFloatPlanes::without_tables(const Value& x) const {
  NewValue result(x.type, x.storage);
  if (result.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), result.bytes());
  no_tables(x.type.dtype, x.size(), result.data.get());
  return std::move(result).finish();
}

std::vector<std::byte> SoftFloatPlanes::copy_of(DType dtype, int64_t n, const std::byte* x) const {
  const Storage storage = ring_.storage(dtype);
  return {x, x + storage.element_bytes * (storage.planes + 2) * static_cast<size_t>(n)};
}

}  // namespace isoshard::sim

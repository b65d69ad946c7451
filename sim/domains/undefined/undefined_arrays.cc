#include "sim/domains/undefined/undefined_arrays.h"

#include <cstring>
#include <span>
#include <utility>

#include "core/support/mix.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

UndefinedArrays::UndefinedArrays(const ExactRing& ring, UndefinedSets& sets)
    : ring_(ring), sets_(sets), residues_(ring.residue_fields().size()) {}

Storage UndefinedArrays::storage(DType dtype) const {
  const Storage inside = ring_.storage(dtype);
  return {inside.element_bytes, inside.planes + 1};
}

size_t UndefinedArrays::plane_of_sets(DType dtype, int64_t n) const {
  const Storage inside = ring_.storage(dtype);
  return inside.planes * inside.element_bytes * static_cast<size_t>(n);
}

UndefinedArrays::Sets UndefinedArrays::read(DType dtype, int64_t n, const std::byte* x) const {
  Sets result(static_cast<size_t>(n));
  const size_t bytes = ring_.storage(dtype).element_bytes;
  const std::byte* plane = x + plane_of_sets(dtype, n);
  bool any = false;
  for (size_t i = 0; i < result.size(); ++i) {
    std::memcpy(&result[i], plane + bytes * i, sizeof(Set));
    any = any || result[i] != 0;
  }
  if (!any) result.clear();
  return result;
}

void UndefinedArrays::write(DType dtype, int64_t n, const Sets& sets, std::byte* out) const {
  const size_t bytes = ring_.storage(dtype).element_bytes;
  std::byte* plane = out + plane_of_sets(dtype, n);
  std::memset(plane, 0, bytes * static_cast<size_t>(n));
  for (size_t i = 0; i < sets.size(); ++i) std::memcpy(plane + bytes * i, &sets[i], sizeof(Set));
}

UndefinedArrays::Element UndefinedArrays::element(int64_t n, const std::byte* x, int64_t i) const {
  if (sets_.exceeded()) return 0;  // sets tell nothing any more
  std::vector<uint64_t> residues(residues_);
  ring_.read_residues(n, x, i, residues);
  return sets_.element(std::span(residues).first(ring_.lanes()));
}

std::vector<UndefinedArrays::Element> UndefinedArrays::weights(int64_t n, const std::byte* predicate) const {
  const NewValue floats(TensorType{DType::f32, {n}}, ring_.storage(DType::f32));
  ring_.to_float(DType::f32, n, predicate, floats.data.get());
  std::vector<Element> result;
  for (int64_t i = 0; i < n; ++i) result.push_back(element(n, floats.data.get(), i));
  return result;
}

void UndefinedArrays::write_any(const std::vector<Element>& names, bool negated, int64_t n,
                                std::byte* predicates) const {
  const std::vector<PrimeField> fields = ring_.residue_fields();
  const NewValue keys(TensorType{DType::f32, {n}}, ring_.storage(DType::f32));
  const NewValue hashed(TensorType{DType::pred, {n}}, ring_.storage(DType::pred));
  const NewValue complements(TensorType{DType::pred, {n}}, ring_.storage(DType::pred));
  ring_.from_doubles(DType::f32, n, std::vector<double>(names.size(), 1).data(), keys.data.get());
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<uint64_t> key;
    for (size_t r = 0; r < residues_; ++r) key.push_back(mix(mix(names[i]) + r) % fields[r].modulus());
    if (names[i] != 0) ring_.write_residues(n, static_cast<int64_t>(i), key, keys.data.get());
  }
  ring_.finite(DType::f32, n, keys.data.get(), hashed.data.get());
  if (negated) ring_.logic(Logic::negation, n, hashed.data.get(), nullptr, complements.data.get());
  const NewValue& any = negated ? complements : hashed;
  for (size_t plane = 0; plane < any.storage.planes; ++plane) {
    const size_t bytes = any.storage.element_bytes;
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t at = bytes * (plane * names.size() + i);
      if (names[i] != 0) std::memcpy(predicates + at, any.data.get() + at, bytes);
    }
  }
}

Value UndefinedArrays::with_sets(const Value& x) const {
  if (!is_float(x.type.dtype) && x.type.dtype != DType::pred) return x;
  NewValue result(x.type, storage(x.type.dtype));
  if (x.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), x.bytes());
  write(x.type.dtype, x.size(), {}, result.data.get());
  return std::move(result).finish();
}

Value UndefinedArrays::without_sets(const Value& x) const {
  if (!is_float(x.type.dtype) && x.type.dtype != DType::pred) return x;
  NewValue result(x.type, ring_.storage(x.type.dtype));
  if (result.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), result.bytes());
  return std::move(result).finish();
}

Value UndefinedArrays::with_sets(const Value& x, const Sets& sets) const {
  NewValue result(x.type, x.storage);
  if (x.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), x.bytes());
  write(x.type.dtype, x.size(), sets, result.data.get());
  return std::move(result).finish();
}

UndefinedArrays::Sets UndefinedArrays::sets_of(const Value& x) const {
  Sets result = read(x.type.dtype, x.size(), x.data.get());
  result.resize(static_cast<size_t>(x.size()), 0);
  return result;
}

}  // namespace isoshard::sim

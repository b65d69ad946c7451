#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/soft/tables/soft_floats.h"
#include "sim/domains/soft/tables/soft_numbers.h"

namespace isoshard::sim {

/// How n floats of a SoftDomain lie in an array: the ring's planes, one that says which table an element is, and one
/// that says which number; 0 for none. The ring must outlive it.
class SoftFloatPlanes {
 public:
  explicit SoftFloatPlanes(const ExactRing& ring) : ring_(ring) {}

  const ExactRing& ring() const { return ring_; }

  SoftFloats::Id table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  void set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  /// Empty where no element has one, as nearly always: that is seen in one sweep over the plane.
  std::vector<SoftFloats::Id> tables(DType dtype, int64_t n, const std::byte* x) const;
  SoftNumbers::Id number_id(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  void set_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  /// Empty where nothing is known of any element.
  std::vector<SoftNumbers::Id> numbers(DType dtype, int64_t n, const std::byte* x) const;
  /// Neither tables nor numbers.
  void no_tables(DType dtype, int64_t n, std::byte* out) const;
  Value without_tables(const Value& x) const;
  /// With the planes of tables and numbers.
  std::vector<std::byte> copy_of(DType dtype, int64_t n, const std::byte* x) const;

 private:
  std::byte* table_plane(DType dtype, int64_t n, std::byte* x) const;
  std::byte* number_plane(DType dtype, int64_t n, std::byte* x) const;
  /// The ids in a plane whose elements are of `width` bytes; empty where all are 0.
  uint32_t id_at(const std::byte* plane, DType dtype, int64_t i) const;
  void set_id(uint32_t id, std::byte* plane, DType dtype, int64_t i) const;
  static std::vector<uint32_t> ids_in(const std::byte* plane, int64_t n, size_t width);

  const ExactRing& ring_;
};

}  // namespace isoshard::sim

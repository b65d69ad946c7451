#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// A float that depends on variables as one element of the ring per part of a partition of their joint entries.
struct SoftFloat {
  SoftIntegers::Partition partition = SoftPartitions::kWhole;
  std::vector<std::byte> elements;  ///< as the ring stores an array of so many
  int64_t parts = 1;
};

/// The floats of a SoftDomain that have tables, known by numbers from 1 on. Thread-safe.
class SoftFloats {
 public:
  using Id = uint32_t;
  /// The most products that are made for a line of a matrix product with larger tables.
  static constexpr int64_t kMostProducts = int64_t{1} << 20;
  /// The most terms of a matrix product whose operands both have tables.
  static constexpr int64_t kMostTerms = int64_t{1} << 16;

  /// `merging`: parts with equal elements are one, where SoftPartitions::merges(). Cells are told apart even so.
  SoftFloats(const ExactRing& ring, SoftIntegers& integers, bool merging)
      : ring_(ring), integers_(integers), merging_(merging) {}

  const SoftFloat& at(Id id) const;
  /// The mean of a table; nothing where it has infinities that have none.
  std::optional<std::vector<std::byte>> mean(const SoftFloat& table, DType dtype);
  /// Whether mean() is something.
  bool has_mean(const SoftFloat& table) const;
  /// Keeps a table and writes its mean as element i of n; 0 where the table is one element, and nothing is written
  /// where it has no mean.
  Id keep(SoftFloat table, DType dtype, int64_t n, int64_t i, std::byte* out);
  /// The elements of `x` (a table, or the element `plain` where it is null) at the parts of a finer partition.
  std::vector<std::byte> spread(const SoftFloat* x, std::span<const std::byte> plain, SoftIntegers::Partition over,
                                DType dtype) const;
  /// Of parts, as floats.
  const std::vector<std::byte>& weights(SoftIntegers::Partition partition, DType dtype);
  /// With equal elements in one part.
  SoftFloat merged(SoftFloat table, DType dtype) const;
  size_t element_bytes(DType dtype) const;
  /// Element i of n by itself.
  std::vector<std::byte> element(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  /// Writes element j of m elements as element i of n.
  void move(DType dtype, int64_t m, const std::byte* x, int64_t j, int64_t n, int64_t i, std::byte* out) const;

 private:
  bool all_finite(const SoftFloat& table) const;

  const ExactRing& ring_;
  SoftIntegers& integers_;
  bool merging_;
  mutable std::mutex mutex_;
  std::deque<SoftFloat> tables_;
  size_t kept_ = 0;                                                    ///< elements
  std::map<SoftIntegers::Partition, std::vector<std::byte>> weights_;  ///< of parts, as floats
};

}  // namespace isoshard::sim

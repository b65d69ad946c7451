#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/soft/soft_float_planes.h"
#include "sim/domains/soft/tables/soft_floats.h"
#include "sim/domains/soft/tables/soft_numbers.h"
#include "sim/domains/soft/tables/soft_options.h"

namespace isoshard::sim {

/// Two arrays of n floats, of which each element becomes the larger or the smaller one.
struct SoftPair {
  DType dtype;
  int64_t n;
  const std::byte *x, *y;
  Extreme extreme;
};

/// Arrays of floats of a SoftDomain: elements of the ring, and which table and which number each of them is.
class SoftFloatArrays : public SoftFloatPlanes {
 public:
  using Word = SoftIntegers::Word;
  using Partition = SoftIntegers::Partition;
  using OnArray = std::function<void(int64_t n, const std::byte* x, std::byte* out)>;
  using OnArrays = std::function<void(int64_t n, const std::byte* x, const std::byte* y, std::byte* out)>;

  SoftFloatArrays(const ExactRing& ring, SoftIntegers& integers, const SoftOptions& options)
      : SoftFloatPlanes(ring),
        integers_(integers),
        options_(options),
        floats_(ring, integers, options.cuts.empty()),
        numbers_(integers) {}

  SoftIntegers& integers() const { return integers_; }
  SoftFloats& floats() const { return floats_; }
  SoftNumbers& known() const { return numbers_; }

  /// The residues of component 0, which tell one element from another.
  std::vector<uint64_t> element_of(int64_t n, const std::byte* x, int64_t i) const;
  std::vector<uint64_t> residues_of(int64_t n, const std::byte* x, int64_t i) const;
  /// A word as a float of the ring only, and with its numbers as a table, where that is small.
  void put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void put_constant(const Rational& constant, DType dtype, std::byte* out) const;

  /// Of a table over this that goes through + - x and selects.
  size_t most_parts(Partition partition) const;
  Partition partition_of(SoftFloats::Id id) const;
  /// The joint partition of all; nothing where it has more than `most` parts.
  std::optional<Partition> joint(std::span<const SoftFloats::Id> ids, size_t most) const;
  /// Element i of n, with this table, at the parts of a finer partition.
  std::vector<std::byte> spread(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i,
                                Partition over) const;
  /// Keeps `elements`, one per part, as element i of n, where they have a mean.
  void keep(std::vector<std::byte> elements, Partition partition, DType dtype, int64_t n, int64_t i,
            std::byte* out) const;
  /// f(n, x, out) on elements, and on the tables of at most `most` parts.
  void on_tables(DType dtype, int64_t n, const std::byte* x, std::byte* out, size_t most, const OnArray& f) const;
  /// The same of two operands, whose tables become joint ones.
  void on_joint_tables(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, size_t most,
                       const OnArrays& f) const;

 private:
  void note_large(Word word) const;

  SoftIntegers& integers_;
  const SoftOptions& options_;
  mutable SoftFloats floats_;
  mutable SoftNumbers numbers_;
};

}  // namespace isoshard::sim

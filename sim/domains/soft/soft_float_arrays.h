#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/domains/exact_ring.h"
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
class SoftFloatArrays {
 public:
  using Word = SoftIntegers::Word;

  /// Floats with what is known of them, in case they are overwritten.
  struct KnownFloats {
    DType dtype;
    int64_t n;
    std::vector<SoftNumbers::Id> ids;  ///< empty: nothing is known of any
    std::vector<std::byte> elements;   ///< empty where `ids` is
  };
  /// A row of so many, and whether an index outside counts as the nearest one.
  struct RowOfIndex {
    int64_t row, rows;
    bool clamp;
  };
  using OnArray = std::function<void(int64_t n, const std::byte* x, std::byte* out)>;
  using OnArrays = std::function<void(int64_t n, const std::byte* x, const std::byte* y, std::byte* out)>;

  SoftFloatArrays(const ExactRing& ring, SoftIntegers& integers, const SoftOptions& options)
      : ring_(ring),
        integers_(integers),
        options_(options),
        floats_(ring, integers, options.cuts.empty()),
        numbers_(integers) {}

  const ExactRing& ring() const { return ring_; }
  SoftIntegers& integers() const { return integers_; }
  SoftFloats& floats() const { return floats_; }
  SoftNumbers& known() const { return numbers_; }

  std::vector<uint64_t> element_of(int64_t n, const std::byte* x, int64_t i) const;
  std::vector<uint64_t> residues_of(int64_t n, const std::byte* x, int64_t i) const;
  void put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void put_constant(const Rational& constant, DType dtype, std::byte* out) const;
  void put_opaque_row(Word index, const RowOfIndex& which, DType index_dtype, DType dtype, int64_t n, int64_t i,
                      std::byte* out) const;
  void put_row_table(Word index, const RowOfIndex& which, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  /// With the planes of tables and numbers.
  std::vector<std::byte> copy_of(DType dtype, int64_t n, const std::byte* x) const;

  // Tables.
  using Partition = SoftIntegers::Partition;
  size_t most_parts(Partition partition) const;
  SoftFloats::Id table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  void set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void no_tables(DType dtype, int64_t n, std::byte* out) const;
  Value without_tables(const Value& x) const;
  std::vector<SoftFloats::Id> tables(DType dtype, int64_t n, const std::byte* x) const;
  Partition partition_of(SoftFloats::Id id) const;
  /// The joint partition of all; nothing where it has more than `most` parts.
  std::optional<Partition> joint(std::span<const SoftFloats::Id> ids, size_t most) const;
  std::vector<std::byte> spread(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i,
                                Partition over) const;
  void keep(std::vector<std::byte> elements, Partition partition, DType dtype, int64_t n, int64_t i,
            std::byte* out) const;
  void on_tables(DType dtype, int64_t n, const std::byte* x, std::byte* out, size_t most, const OnArray& f) const;
  void on_joint_tables(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, size_t most,
                       const OnArrays& f) const;

  // soft_products.cc
  /// Of matrix products, whose elements `out` are products of means so far.
  struct SoftProduct {
    DType dtype;
    DotSizes sizes;
    const std::byte *a, *b;
    std::vector<SoftFloats::Id> left, right;
  };
  void multiply_tables(const SoftProduct& product, std::byte* out) const;

  // soft_number_arrays.cc
  SoftNumbers::Id number_id(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  std::vector<SoftNumbers::Id> numbers(DType dtype, int64_t n, const std::byte* x) const;
  void set_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  bool put_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  KnownFloats known_floats(DType dtype, int64_t n, const std::byte* x) const;
  void take_numbers(UnaryOp op, const KnownFloats& x, std::byte* out) const;
  void take_numbers(BinaryOp op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(Extreme op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(SignOp op, const KnownFloats& x, std::byte* out) const;
  Word integer_of(DType from, DType to, int64_t n, const std::byte* x, int64_t i) const;

 private:
  SoftFloat table_at(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  std::optional<SoftFloat> combined(BinaryOp op, DType dtype, const SoftFloat& x, const SoftFloat& y,
                                    size_t most) const;
  std::optional<SoftFloat> small_product(const SoftProduct& product, int64_t i, int64_t j) const;
  void correct_mean(const SoftProduct& product, int64_t i, int64_t j, std::byte* out) const;
  std::byte* table_plane(DType dtype, int64_t n, std::byte* x) const;
  std::byte* number_plane(DType dtype, int64_t n, std::byte* x) const;
  /// The ids in a plane whose elements are of `width` bytes; empty where all are 0.
  static std::vector<uint32_t> ids_in(const std::byte* plane, int64_t n, size_t width);
  void note_large(Word word) const;
  void put_larger(const KnownFloats& x, const KnownFloats& y, Word x_it_is, int64_t i, std::byte* out) const;

  const ExactRing& ring_;
  SoftIntegers& integers_;
  const SoftOptions& options_;
  mutable SoftFloats floats_;
  mutable SoftNumbers numbers_;
};

}  // namespace isoshard::sim

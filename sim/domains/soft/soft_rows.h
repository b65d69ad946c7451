#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"

namespace isoshard::sim {

/// Rows of matrices of floats that soft indices choose. Arrays must outlive it.
class SoftRows {
 public:
  using Word = SoftIntegers::Word;
  /// So many, and whether an index outside counts as the nearest one.
  struct Rows {
    int64_t count;
    bool clamp;
  };

  SoftRows(const SoftFloatArrays& arrays, const SoftOptions& options)
      : arrays_(arrays),
        ring_(arrays.ring()),
        integers_(arrays.integers()),
        floats_(arrays.floats()),
        options_(options) {}

  /// weights[n, rows]: that index i is that row.
  void weights(DType index_dtype, int64_t n, const Word* indices, const Rows& rows, DType to, std::byte* weights) const;
  /// As IntegerDomain::take_rows and sum_in_rows.
  bool take(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const;
  bool sum(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const;

 private:
  using Partition = SoftIntegers::Partition;
  /// A row of these.
  struct Row {
    int64_t row;
    Rows rows;
  };
  /// Element i of n.
  struct FloatAt {
    DType dtype;
    int64_t n, i;
    const std::byte* x;
  };
  /// One column of so many rows of so many columns, n elements in all, each with its table, if one has any.
  struct Column {
    DType dtype;
    int64_t rows, columns, column, n;
    const std::vector<SoftFloats::Id>& ids;
    const std::byte* x;

    int64_t row(int64_t index) const { return std::clamp<int64_t>(index, 0, rows - 1); }
    int64_t place(int64_t row) const { return row * columns + column; }
    SoftFloats::Id id(int64_t row) const { return ids.empty() ? 0 : ids[static_cast<size_t>(place(row))]; }
  };
  /// An integer, and which number it is in each part of a partition.
  struct Parts {
    Word word;
    Partition partition;
    std::vector<int64_t> numbers;
  };
  using Reached = std::map<int64_t, const SoftFloat*>;
  static const Word* words(const std::byte* p) { return reinterpret_cast<const Word*>(p); }

  std::vector<uint64_t> sums_of_weights(Word index, const Rows& rows, std::vector<bool>& reached) const;
  void put_weights(Word index, DType index_dtype, const Rows& rows, DType to, int64_t n, int64_t i,
                   std::byte* weights) const;
  void put_opaque_row(Word index, const Row& which, DType index_dtype, DType dtype, int64_t n, int64_t i,
                      std::byte* out) const;
  void put_row_table(Word index, const Row& which, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  Reached reached(const Column& column, const std::vector<int64_t>& numbers) const;
  std::optional<SoftFloat> find_in(const Column& column, const Parts& index) const;
  std::optional<Parts> parts_of(Word index) const;
  bool has_large_tables(const IndicesOf& indices) const;
  void add_to_rows(Word index, const FloatAt& x, const IndicesOf& indices, int64_t column, std::byte* sum) const;

  const SoftFloatArrays& arrays_;
  const ExactRing& ring_;
  SoftIntegers& integers_;
  SoftFloats& floats_;
  const SoftOptions& options_;
};

}  // namespace isoshard::sim

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/domains/soft/soft_cell_arrays.h"
#include "sim/domains/soft/soft_float_arrays.h"
#include "sim/domains/soft/soft_maxima.h"
#include "sim/domains/soft/soft_order_arrays.h"
#include "sim/domains/soft/soft_word_domain.h"

namespace isoshard::sim {

/// A ring around an exact ring, in which integers, keys and predicates may depend on inputs: each is a soft integer
/// (SoftIntegers), one word; floats are those of the ring inside (docs/spec/verdict.md, "Integers").
///
/// An integer that meets floats collapses at once: a lookup is the sum over all rows of the weight of the row's index
/// times the row, a select is y + weight (x - y). A comparison of floats is a predicate whose weight is the ring's
/// element for it; the index of a maximum is a variable named by the differences of the row's elements; random bits are
/// opaque functions of key and place. Thread-safe; equal seeds and lanes give equal results.
class SoftDomain final : public SoftWordDomain {
 public:
  using Options = SoftOptions;
  SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options);

  // The ring's.
  std::string_view name() const override { return ring_->name(); }
  size_t lanes() const override { return ring_->lanes(); }
  uint64_t modulus(size_t lane) const override { return ring_->modulus(lane); }
  std::string undecided() const override;
  std::optional<Rational> unrepresentable() const override { return ring_->unrepresentable(); }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  std::vector<PrimeField> residue_fields() const override { return ring_->residue_fields(); }
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override {
    ring_->read_residues(n, x, i, residues);
  }
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override {
    ring_->write_residues(n, i, residues, out);
  }
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_number(n, x, i); }
  const ExactRing& calculating() const override { return *ring_; }
  bool compares_bits(DType) const override { return false; }
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override { return ring_->residue(x, lane, i); }
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override { return ring_->non_unit_lanes(x, i); }
  void make_comparable(std::span<Value* const> values) const override;
  Value opaque_identity(const Value& x) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override {
    arrays_.put_constant(constant, dtype, out);
  }
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override {
    ring_->to_integers(dtype, n, x, to, out);
  }
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
             int32_t* indices) const override {
    ring_->top_k(dtype, rows, length, k, x, indices);
  }

  // Its own.
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  Storage storage(DType dtype) const override;
  Tensor to_tensor(const Value& value) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  bool has_row_weights(DType dtype, const std::byte* element, int64_t rows) const override;
  void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                   std::byte* weights) const override;
  bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const override;
  bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const override;
  void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               std::byte* indices) const override;

 private:
  /// Element i of n.
  struct FloatAt {
    DType dtype;
    int64_t n, i;
    const std::byte* x;
  };

  void largest_integers(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                        std::byte* indices) const;

  // soft_rows.cc
  bool has_large_tables(const IndicesOf& indices) const;
  void add_to_rows(Word index, const FloatAt& x, const IndicesOf& indices, int64_t column, std::byte* sum) const;

  std::unique_ptr<ExactRing> ring_;
  Options options_;
  SoftFloatArrays arrays_;
  SoftCellArrays cells_;
  SoftOrderArrays order_;
  SoftMaxima maxima_;
};

}  // namespace isoshard::sim

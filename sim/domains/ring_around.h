#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/domains/exact_ring.h"

namespace isoshard::sim {

/// A ring around another one: what a subclass does not say of elements, integers and keys is what the inner ring says.
/// Residues are those of the inner ring, whose planes come first.
class RingAround : public ExactRing {
 public:
  std::string_view name() const override { return ring_->name(); }
  size_t lanes() const override { return ring_->lanes(); }
  uint64_t modulus(size_t lane) const override { return ring_->modulus(lane); }
  std::string undecided() const override { return ring_->undecided(); }
  std::optional<Rational> unrepresentable() const override { return ring_->unrepresentable(); }
  std::vector<PrimeField> residue_fields() const override { return ring_->residue_fields(); }
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override {
    ring_->read_residues(n, x, i, residues);
  }
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override {
    ring_->write_residues(n, i, residues, out);
  }
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_number(n, x, i); }
  const ExactRing& calculating() const override { return ring_->calculating(); }
  bool compares_bits(DType dtype) const override { return ring_->compares_bits(dtype); }
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override { return ring_->residue(x, lane, i); }
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override { return ring_->non_unit_lanes(x, i); }
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override {
    ring_->to_integers(dtype, n, x, to, out);
  }
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
             int32_t* indices) const override {
    ring_->top_k(dtype, rows, length, k, x, indices);
  }

  Storage integer_storage(DType dtype) const override { return ring_->integer_storage(dtype); }
  void from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_->from_machine(dtype, n, x, out);
  }
  void to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_->to_machine(dtype, n, x, out);
  }
  void integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const override {
    ring_->integer_padding(dtype, padding, n, out);
  }
  bool are_known(DType dtype, int64_t n, const std::byte* x) const override { return ring_->are_known(dtype, n, x); }
  std::vector<int64_t> possible(DType dtype, const std::byte* element) const override {
    return ring_->possible(dtype, element);
  }
  bool has_row_weights(DType dtype, const std::byte* element, int64_t rows) const override {
    return ring_->has_row_weights(dtype, element, rows);
  }
  void integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                  std::byte* out) const override {
    ring_->integer_op(op, dtype, n, x, y, out);
  }
  void integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                   std::byte* out) const override {
    ring_->integer_dot(dtype, m, n, k, a, b, out);
  }
  void integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override {
    ring_->integer_sum(dtype, plan, x, out);
  }
  void integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override {
    ring_->integers_to_integers(from, to, n, x, out);
  }
  void fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const override {
    ring_->fold_in(dtype, n, keys, data, out);
  }
  void split_key(const RngSplit& op, const std::byte* key, std::byte* out) const override {
    ring_->split_key(op, key, out);
  }
  void random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const override {
    ring_->random_bits(block, key, out);
  }
  void keys_to_words(int64_t n, const std::byte* keys, std::byte* out) const override {
    ring_->keys_to_words(n, keys, out);
  }
  void words_to_keys(int64_t n, const std::byte* words, std::byte* out) const override {
    ring_->words_to_keys(n, words, out);
  }

 protected:
  explicit RingAround(std::unique_ptr<ExactRing> ring) : ring_(std::move(ring)) {}

  std::unique_ptr<ExactRing> ring_;
};

}  // namespace isoshard::sim

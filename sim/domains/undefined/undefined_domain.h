#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/domains/undefined/undefined_sets.h"
#include "sim/exact_ring.h"

namespace isoshard::sim {

/// A ring around an exact ring, in which each float and each predicate also has the set of conditions under which it
/// has no value: a denominator that is 0, a logarithm of what is negative (docs/spec/verdict.md, "Where a formula has
/// no value"). One more plane holds it. Partial functions look at what `marked` has marked only.
///
/// Runs in one thread. An integer that is made of such floats has no set: its conditions are kept per program.
class UndefinedDomain final : public ExactRing {
 public:
  using Set = UndefinedSets::Set;

  explicit UndefinedDomain(std::unique_ptr<ExactRing> ring);

  /// A value of the ring inside, with empty sets.
  Value with_sets(const Value& x) const;
  /// `x`, whose elements no construction shows to be as needed (UndefinedSets::Needs), but for numbers that are.
  Value marked(const Value& x, uint32_t needs) const;
  /// `x`, a maximum that may be -inf.
  Value marked_maximum(const Value& x) const;
  /// Of a float or a predicate, per element.
  std::vector<Set> sets_of(const Value& x) const;
  UndefinedSets& sets() const { return sets_; }
  UndefinedSets::Element element_of(const Value& x, int64_t i) const;
  /// What follows is of the reference, or of the sharded program.
  void run_reference(bool reference) { reference_ = reference; }
  /// What integers of the sharded program (or the reference) are made of.
  Set integers(bool of_reference) const { return integers_[of_reference ? 1 : 0]; }

  std::string_view name() const override { return "undefined"; }
  size_t lanes() const override { return ring_->lanes(); }
  uint64_t modulus(size_t lane) const override { return ring_->modulus(lane); }
  std::string undecided() const override { return ring_->undecided(); }
  std::optional<Rational> unrepresentable() const override { return ring_->unrepresentable(); }
  std::vector<PrimeField> residue_fields() const override { return ring_->residue_fields(); }
  const ExactRing& calculating() const override { return ring_->calculating(); }
  bool compares_bits(DType dtype) const override { return ring_->compares_bits(dtype); }
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_number(n, x, i); }
  bool is_finite(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_finite(n, x, i); }
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override { return ring_->residue(x, lane, i); }
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override { return ring_->non_unit_lanes(x, i); }
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override {
    ring_->read_residues(n, x, i, residues);
  }
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override {
    ring_->write_residues(n, i, residues, out);
  }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  void make_comparable(std::span<Value* const> values) const override;
  Value opaque_identity(const Value& x) const override;

  Storage storage(DType dtype) const override;
  Tensor to_tensor(const Value& value) const override { return ring_->to_tensor(without_sets(value)); }
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void weigh(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;

  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;

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
  void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                   std::byte* weights) const override;
  bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const override;
  bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const override;
  void integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                  std::byte* out) const override {
    ring_->integer_op(op, dtype, n, x, y, out);
  }
  void integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const override;
  void integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                      std::byte* out) const override;
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
  void predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               std::byte* indices) const override;
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
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

 private:
  using Element = UndefinedSets::Element;
  using Sets = std::vector<Set>;
  using Conditional = std::pair<Element, Set>;

  Value without_sets(const Value& x) const;
  size_t plane_of_sets(DType dtype, int64_t n) const;
  Set set_at(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  /// Empty where all are.
  Sets read(DType dtype, int64_t n, const std::byte* x) const;
  void write(DType dtype, int64_t n, const Sets& sets, std::byte* out) const;
  Element element(int64_t n, const std::byte* x, int64_t i) const;
  /// Of predicates, as elements of the ring.
  std::vector<Element> weights(int64_t n, const std::byte* predicate) const;
  Set product_of(const Conditional& x, const Conditional& y) const;
  Set failing(Set factors, uint32_t needs, Element operand) const;
  Set of_unary(UnaryOp op, int64_t n, const std::byte* x, int64_t i, Set set) const;
  /// What an integer is made of.
  void keep(const Sets& sets) const;
  void keep_decided(uint32_t function, DType dtype, int64_t n, const std::byte* x) const;

  std::unique_ptr<ExactRing> ring_;
  size_t residues_;  ///< of an element
  mutable UndefinedSets sets_;
  bool reference_ = false;
  mutable Set integers_[2] = {0, 0};
};

}  // namespace isoshard::sim

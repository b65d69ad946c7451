#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/domains/ring_around.h"
#include "sim/domains/undefined/undefined_arrays.h"
#include "sim/domains/undefined/undefined_rules.h"
#include "sim/domains/undefined/undefined_sets.h"

namespace isoshard::sim {

/// A ring around an exact ring, in which each float and each predicate also has the set of conditions under which it
/// has no value: a denominator that is 0, a logarithm of what is negative (docs/spec/verdict.md, "Where a formula has
/// no value"). One more plane holds it. Partial functions look at what `marked` has marked only.
///
/// Runs in one thread. An integer that is made of such floats has no set: its conditions are kept per program.
class UndefinedDomain final : public RingAround {
 public:
  using Set = UndefinedSets::Set;

  explicit UndefinedDomain(std::unique_ptr<ExactRing> ring);

  /// A value of the ring inside, with empty sets.
  Value with_sets(const Value& x) const { return arrays_.with_sets(x); }
  /// An element of the ring inside.
  Value without_sets(const Value& x) const { return arrays_.without_sets(x); }
  const ExactRing& inside() const { return *ring_; }
  /// `x`, whose elements no construction shows to be as needed (UndefinedSets::Needs), but for numbers that are.
  Value marked(const Value& x, uint32_t needs) const;
  /// `x`, a maximum that may be -inf.
  Value marked_maximum(const Value& x) const;
  /// The sets of the elements of a float or a predicate.
  std::vector<Set> sets_of(const Value& x) const { return arrays_.sets_of(x); }
  UndefinedSets& sets() const { return sets_; }
  UndefinedSets::Element element_of(const Value& x, int64_t i) const {
    return arrays_.element(x.size(), x.data.get(), i);
  }
  /// What follows is of the reference, or of the sharded program.
  void run_reference(bool reference) { rules_.run_reference(reference); }
  /// What integers of the sharded program (or the reference) are made of.
  Set integers(bool of_reference) const { return integers_[of_reference ? 1 : 0]; }

  /// From here on a comparison of what may have no value is any function of its operands and their conditions, which
  /// has a value itself.
  void see_undefined() { sees_undefined_ = true; }
  bool sees_undefined() const { return sees_undefined_; }
  /// Whether what has a value where its operand has none was since then some function of the operand, the same in both
  /// programs: is_finite and converts to integers saw one set of conditions for each element, of which no number has
  /// any, for what numbers become is known.
  bool sees_alike() const;

  std::string_view name() const override { return "undefined"; }
  bool is_finite(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_finite(n, x, i); }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  void make_comparable(std::span<Value* const> values) const override;
  Value opaque_identity(const Value& x) const override;

  Storage storage(DType dtype) const override { return arrays_.storage(dtype); }
  Tensor to_tensor(const Value& value) const override { return ring_->to_tensor(arrays_.without_sets(value)); }
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
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;

  void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                   std::byte* weights) const override;
  bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const override;
  bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const override;
  void integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const override;
  void integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                      std::byte* out) const override;
  void predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               std::byte* indices) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

 private:
  using Element = UndefinedSets::Element;
  using Sets = UndefinedArrays::Sets;
  using Conditional = UndefinedRules::Conditional;

  /// 0 where all are.
  static Set at(const Sets& sets, size_t i) { return sets.empty() ? 0 : sets[i]; }
  Element element(int64_t n, const std::byte* x, int64_t i) const { return arrays_.element(n, x, i); }
  Sets of_rows(const IndicesOf& indices, bool turned, DType dtype, const Sets& sets) const;
  /// What an integer is made of.
  void keep(const Sets& sets) const;
  void note_seen(uint32_t function, Element element, Set conditions) const {
    seen_[{function, element}].insert(conditions);
  }
  void keep_decided(uint32_t function, DType dtype, int64_t n, const std::byte* x) const;

  mutable UndefinedSets sets_;
  UndefinedArrays arrays_{*ring_, sets_};
  UndefinedRules rules_{sets_};
  mutable Set integers_[2] = {0, 0};
  mutable std::map<std::pair<uint32_t, Element>, std::set<Set>> seen_;
  bool sees_undefined_ = false;
  mutable bool seen_otherwise_ = false;  ///< something else than a function of single elements saw some condition
};

}  // namespace isoshard::sim

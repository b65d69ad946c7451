#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/domains/ring_around.h"
#include "sim/domains/soft/tables/soft_integers.h"
#include "sim/domains/soft/tables/soft_keys.h"

namespace isoshard::sim {

/// A ring of which integers, keys and predicates may depend on inputs: each is a soft integer (SoftIntegers), one word.
/// Random bits are opaque functions of key and place.
class SoftWordDomain : public RingAround {
 public:
  /// Which numbers an element of an input may be; none: any number.
  using ValuesOf = std::function<std::span<const int64_t>(int64_t element)>;
  /// n elements of an input, in one step.
  void inputs(std::string_view name, uint64_t step, int64_t n, const ValuesOf& values_of, std::byte* out) const;

  void from_native(int64_t n, const uint8_t* x, std::byte* out) const final;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const final;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const final;
  Storage integer_storage(DType dtype) const final;
  void from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const final;
  void integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const final;
  void to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const final;
  bool are_known(DType dtype, int64_t n, const std::byte* x) const final;
  std::vector<int64_t> possible(DType dtype, const std::byte* element) const final;
  void integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                  std::byte* out) const final;
  void integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const final;
  void integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                      std::byte* out) const final;
  void integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                   std::byte* out) const final;
  void integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const final;
  void integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const final;
  void predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const final;
  void integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const final;
  void fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const final;
  void split_key(const RngSplit& op, const std::byte* key, std::byte* out) const final;
  void random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const final;
  void keys_to_words(int64_t n, const std::byte* keys, std::byte* words) const final;
  void words_to_keys(int64_t n, const std::byte* words, std::byte* keys) const final;

 protected:
  using Word = SoftIntegers::Word;
  /// What names of inputs are of.
  static constexpr uint64_t kInput = uint64_t{1} << 32;

  SoftWordDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, SoftIntegers::Weights weights, SoftLimits limits)
      : RingAround(std::move(ring)), integers_(ring_->residue_fields(), seed, weights, limits), keys_(integers_) {}

  static const Word* words(const std::byte* p) { return reinterpret_cast<const Word*>(p); }
  static Word* words(std::byte* p) { return reinterpret_cast<Word*>(p); }

  mutable SoftIntegers integers_;

 private:
  /// The array of random bits of a key.
  struct BitsOf {
    Word key;
    int64_t count;
    KeyLayout layout;
  };
  Word bits_at(const BitsOf& bits, int64_t place) const;

  mutable SoftKeys keys_;
};

}  // namespace isoshard::sim

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/ops/select.h"
#include "core/value/dtype.h"
#include "sim/domains/soft/tables/soft_words.h"
#include "sim/integers/integer_apply.h"

namespace isoshard::sim {

/// The operations of soft integers, on words; results are remembered. Words must outlive it. Not thread-safe.
class SoftOperations {
 public:
  using Word = SoftWords::Word;
  /// The most members of all sets that opaque maxima and minima are remembered as, 32 MB.
  static constexpr size_t kMostMembers = size_t{1} << 22;

  explicit SoftOperations(SoftWords& words) : words_(words) {}

  /// `y` is not read by ops of one number.
  Word apply(IntegerOp op, DType dtype, Word x, Word y);
  Word compare(Direction direction, DType dtype, Word x, Word y);
  /// x where the predicate holds, otherwise y.
  Word choose(Word predicate, DType dtype, Word x, Word y);
  Word convert(DType from, DType to, Word x);

 private:
  using Linear = SoftWords::Linear;

  /// A function of words, as a key.
  struct Call {
    uint64_t function;
    Word x, y, z;
    bool operator==(const Call&) const = default;
  };
  struct Hash {
    size_t operator()(const Call& c) const;
  };

  template <class Make>
  Word remembered(const Call& call, const Make& make);
  Word uncached(IntegerOp op, DType dtype, Word x, Word y);
  Word uncached_compare(Direction direction, DType dtype, Word x, Word y);
  Word uncached_choice(Word predicate, Word x, Word y);
  Word uncached_conversion(uint64_t function, DType to, Word x);
  std::optional<Word> linear(IntegerOp op, DType dtype, Word x, Word y);
  Linear linear_of(DType dtype, Word word) const;
  std::optional<Word> linear_opaque(IntegerOp op, DType dtype, Word x, Word y);
  std::optional<Word> chosen_sum(Word predicate, Word x, Word y);
  Word opaque_result(uint64_t function, std::span<const Word> arguments);
  Word opaque_comparison(Direction direction, DType dtype, Word x, Word y);
  Word opaque_predicate(uint64_t function, Word x, Word y);
  SoftName name_of_op(IntegerOp op, DType dtype, std::span<const Word> operands);
  bool has_order_of_words(DType dtype, std::span<const Word> operands) const;
  std::optional<Word> extreme_of_set(IntegerOp op, DType dtype, Word x, Word y);
  std::vector<Word> united(IntegerOp op, DType dtype, Word x, Word y);

  SoftWords& words_;
  std::unordered_map<Call, Word, Hash> calls_;
  std::unordered_map<Call, std::vector<Word>, Hash> sets_;  ///< of an opaque maximum or minimum: what it is taken of
  size_t members_ = 0;                                      ///< of all of them
};

}  // namespace isoshard::sim

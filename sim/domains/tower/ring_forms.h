#pragma once

#include <gmpxx.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace isoshard::sim {

/// What an element of rung E is besides its residues (docs/spec/verdict.md, "Rings").
struct RingForm {
  enum class Kind : uint8_t {
    value,           ///< c·T + a + (1/q) log u
    number,          ///< the rational c exactly: made from constants and discrete values only; a is its residue
    minus_infinity,  ///< a true -inf
  };
  Kind kind = Kind::value;
  mpq_class c{0};        ///< of T, a formal infinity; or the number
  uint64_t q = 0;        ///< 0: there is no logarithm, u is 1; which u it is stands in the word
  uint64_t factors = 0;  ///< u is a product of at most so many arguments of log and inverses of them
  /// Where u holds weights of soft predicates without which the element is -inf: a hash of these; otherwise 0.
  uint64_t mask = 0;

  bool operator<(const RingForm& o) const {
    if (const int order = cmp(c, o.c); order != 0) return order < 0;
    return std::tie(kind, q, factors, mask) < std::tie(o.kind, o.q, o.factors, o.mask);
  }
};

/// The forms of the elements of one domain as words: 0 is a plain residue, small integers stand in the word itself,
/// other forms in a table, with the number of a logarithm's u (LogTable) in the upper half. One form has one word.
/// Thread-safe.
class RingForms {
 public:
  static constexpr uint64_t kPlain = 0;

  RingForms() = default;
  RingForms(const RingForms&) = delete;
  RingForms& operator=(const RingForms&) = delete;
  ~RingForms();

  static uint64_t integer(int64_t x) { return static_cast<uint64_t>(x) << 2 | 1; }  // |x| < 2^60
  static bool is_plain(uint64_t word) { return word == kPlain; }
  static bool is_integer(uint64_t word) { return (word & 3) == 1; }
  static int64_t integer_of(uint64_t word) { return static_cast<int64_t>(word) >> 2; }
  static uint64_t with_log(uint64_t word, uint32_t log) { return uint64_t{log} << 32 | word; }
  /// 0 where there is none.
  static uint32_t log_of(uint64_t word) { return (word & 3) == kInTable ? static_cast<uint32_t>(word >> 32) : 0; }

  bool is_number(uint64_t word) const { return is_integer(word) || (!is_plain(word) && kind(word) == kNumber); }
  /// The number that a word stands for.
  mpq_class number_of(uint64_t word) const;
  uint64_t number(const mpq_class& x);
  RingForm form(uint64_t word) const;
  uint64_t word(const RingForm& form);

 private:
  static constexpr RingForm::Kind kNumber = RingForm::Kind::number;
  static constexpr size_t kChunk = 4096, kChunks = 16384;
  static constexpr uint64_t kInTable = 2;  ///< the last two bits of such a word

  RingForm::Kind kind(uint64_t word) const { return at(word).kind; }
  const RingForm& at(uint64_t word) const {
    const auto index = static_cast<uint32_t>(word) >> 2;
    return chunks_[index / kChunk].load()[index % kChunk];
  }

  std::mutex mutex_;  ///< of writers; readers only see words of forms that are there
  std::map<RingForm, uint64_t> words_;
  std::unique_ptr<std::atomic<RingForm*>[]> chunks_ = std::make_unique<std::atomic<RingForm*>[]>(kChunks);
};

}  // namespace isoshard::sim

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/domains/residues/ring_notes.h"
#include "sim/domains/soft/tables/soft_names.h"
#include "sim/domains/soft/tables/soft_object.h"
#include "sim/domains/soft/tables/soft_partitions.h"
#include "sim/domains/soft/tables/soft_tables.h"

namespace isoshard::sim {

/// What the words of soft integers stand for, one word for one integer, and what they are worth (SoftIntegers). Not
/// thread-safe but for its notes.
class SoftWords {
 public:
  using Word = uint64_t;
  using Numbers = std::vector<int64_t>;
  using Function = SoftPartitions::Numbered;
  using Linear = SoftObject::Linear;
  /// A function of the numbers of several words, which are as many each.
  using OnNumbers = std::function<Numbers(std::vector<Numbers>&)>;

  /// `names` must outlive it.
  explicit SoftWords(const SoftNames& names);

  const SoftNames& names() const { return names_; }
  const SoftTables& tables() const { return tables_; }
  SoftPartitions& partitions() { return partitions_; }
  const SoftPartitions& partitions() const { return partitions_; }
  RingNotes& notes() const { return notes_; }

  static bool is_small(Word word) { return (word & 1) == 0; }
  bool is_opaque(Word word) const { return !is_small(word) && objects_[word >> 1].opaque; }
  bool is_sum(Word word) const {
    return is_small(word) || !(objects_[word >> 1].opaque || objects_[word >> 1].by_parts);
  }
  /// Whether it is one known number, and which.
  bool is_number(Word word) const { return is_small(word) || (is_sum(word) && objects_[word >> 1].sum.parts.empty()); }
  int64_t value(Word number) const {
    return is_small(number) ? static_cast<int64_t>(number) >> 1 : objects_[number >> 1].sum.constant;
  }
  /// Of a word that is one; a small word is the constant that it is.
  SoftSum sum_of(Word word) const;
  /// Of an opaque word: of which others it is the sum.
  const Linear& linear(Word word) const { return objects_[word >> 1].linear; }
  void set_linear(Word word, Linear linear) { objects_[word >> 1].linear = std::move(linear); }
  /// Of a word that is not opaque.
  SoftRange range(Word word) const;

  Word word_of(SoftSum sum);
  /// A sum where that has a small table; nothing where its numbers are too far apart for one.
  std::optional<Word> word_of(Function function);
  Word opaque(const SoftName& name);
  /// An integer of its own among different `values`.
  Word variable(const SoftName& name, std::span<const int64_t> values);
  /// One whose entries have these weights; entry k is the k-th of each of `numbers`.
  std::vector<Word> variables(const SoftName& name, std::span<const uint64_t> weights,
                              std::span<const std::vector<int64_t>> numbers);
  /// 1 with this weight, otherwise 0; of x and 1 - x one is 1 minus the other.
  Word predicate(std::vector<uint64_t> weight);
  /// 1 minus a predicate, whose tables hold small numbers.
  Word opposite(Word predicate);
  /// An integer that has a table: what the sum is worth, counted; nothing where that may be too many numbers.
  std::optional<Word> counted(const SoftSum& sum);

  /// The word as one number per part, where all of these can be told; otherwise null.
  const Function* in_parts(Word word);
  /// f of the values of all `words` at each entry of their joint table; nothing where that is too large.
  std::optional<Word> pointwise(std::span<const Word> words, const OnNumbers& f);
  /// The same at each part of a joint partition.
  std::optional<Word> partwise(std::span<const Word> words, const OnNumbers& f);

  /// What the word is worth, per residue of a weight.
  std::span<const uint64_t> mean(Word word);
  /// A name made of what a function is and of the words that it is applied to.
  SoftName name_of(uint64_t function, std::span<const Word> arguments);

 private:
  using Object = SoftObject;

  Word word_of_table(Numbers table, const SoftTables::Variables& variables, const SoftName& name);
  Word object_of(SoftSum sum);
  Word variable_that_counts(SoftVariable variable);
  SoftVariable counting(const SoftSum& sum, const SoftName& name, std::span<const uint64_t> mean, size_t entries) const;
  std::optional<Function> added_up(const SoftSum& sum);
  std::optional<Function> by_parts(std::span<const Function* const> operands, const OnNumbers& f);
  std::vector<uint64_t> mean_of(const SoftSum& sum) const;
  std::vector<uint64_t> mean_of(const Function& function) const;

  const SoftNames& names_;
  mutable RingNotes notes_;
  SoftTables tables_;
  SoftPartitions partitions_;
  std::deque<Object> objects_;
  std::unordered_multimap<size_t, Word> sums_;  ///< by hash
  std::map<Function, Word> functions_;
  std::map<SoftName, Word> named_;
};

}  // namespace isoshard::sim

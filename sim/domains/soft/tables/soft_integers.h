#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/ops/select.h"
#include "sim/domains/residues/ring_notes.h"
#include "sim/domains/soft/tables/soft_names.h"
#include "sim/domains/soft/tables/soft_object.h"
#include "sim/domains/soft/tables/soft_partitions.h"
#include "sim/domains/soft/tables/soft_tables.h"
#include "sim/integers/integer_apply.h"

namespace isoshard::sim {

/// Calculates with integers that depend on inputs (docs/spec/verdict.md, "Integers"), and notes what is beyond it.
/// Thread-safe.
///
/// A word is a known number, a formal sum of tables over variables (SoftSum), a function of many variables by parts
/// (SoftPartitions), or an opaque integer of which only its name is known. A predicate is an integer 0 or 1. A variable
/// has finitely many entries with one random weight per entry and residue, of sum 1; what a formal sum is worth in the
/// ring is its mean under these weights (`collapse`). At weights that are 1 for one entry and 0 for the others that is
/// the number itself, so that equal means at random weights are equal numbers for all entries, up to the error bound.
class SoftIntegers : public SoftNames {
 public:
  using Word = uint64_t;
  using Partition = SoftPartitions::Id;
  using Numbers = std::vector<int64_t>;
  /// The most entries of a table over several variables, and of one over a single variable.
  static constexpr size_t kMostEntries = SoftPartitions::kMostParts, kMostCounts = SoftPartitions::kMostOfOne;
  /// The most entries of a choice between two integers, which adds no further variable.
  static constexpr size_t kMostChosen = 4096;

  SoftIntegers(std::vector<PrimeField> fields, uint64_t seed, Weights weights = Weights::random);

  static bool is_small(Word word) { return (word & 1) == 0; }
  Word number(int64_t x);
  bool is_known(Word word) const;
  /// The number that a known word is.
  int64_t value(Word word) const;
  /// In ascending order, the numbers that a word may be; empty, and noted, where nothing says which.
  std::vector<int64_t> possible(Word word);

  /// Calls `use(number, weight per residue)` for each entry of the table of one that is possible(); numbers repeat.
  void each_value(Word word, const std::function<void(int64_t, std::span<const uint64_t>)>& use);

  bool is_opaque_integer(Word word) const;
  SoftRange range(Word word) const;

  // Partitions of the entries of variables.
  /// The parts in which a word that is not opaque is one number each; nothing where there are too many.
  std::optional<Partition> partition_of(Word word);
  Partition partition_of_variable(uint32_t variable);
  /// The numbers of a word at each part of `over`, which is at least as fine as the word's own partition.
  Numbers numbers(Word word, Partition over);
  size_t parts(Partition x) const;
  SoftTables::Variables variables(Partition x) const;
  std::optional<Partition> joint(Partition x, Partition y);
  /// Per part of `over` the part of `of` that holds it.
  std::vector<uint32_t> places(Partition of, Partition over);
  bool merges(Partition x) const;
  Partition merged(Partition x, std::span<const uint32_t> labels);
  /// Per part and residue of the ring.
  std::vector<uint64_t> joint_weights(Partition x) const;

  /// An integer of its own among different `values`.
  Word variable(const SoftName& name, std::span<const int64_t> values);
  /// One whose entries have these weights, adjacent per entry and of sum 1; entry k is the k-th of each of `numbers`.
  std::vector<Word> variables(const SoftName& name, std::span<const uint64_t> weights,
                              std::span<const std::vector<int64_t>> numbers);
  Word opaque(const SoftName& name);
  /// A number per part; nothing where they are too far apart for a table.
  std::optional<Word> table(Partition partition, Numbers numbers);
  /// 1 with this weight, per residue, otherwise 0; of x and 1 - x one is 1 minus the other.
  Word predicate(std::span<const uint64_t> weight);

  Word apply(IntegerOp op, DType dtype, Word x, Word y);
  Word compare(Direction direction, DType dtype, Word x, Word y);
  Word choose(Word predicate, DType dtype, Word x, Word y);
  Word convert(DType from, DType to, Word x);
  void collapse(Word word, std::span<uint64_t> residues);

  /// A name made of what a function is and of soft integers that it is applied to.
  SoftName name_applied(uint64_t function, std::span<const Word> arguments);
  void note_undecided(const char* what) const { notes_.note_undecided(what); }
  std::string undecided() const { return notes_.undecided(); }

 private:
  using Function = SoftPartitions::Numbered;
  using Object = SoftObject;
  using Linear = SoftObject::Linear;
  using OnNumbers = std::function<Numbers(std::vector<Numbers>&)>;

  // All below are called with the mutex held.
  Word word_of(SoftSum sum);
  Word word_of_table(std::vector<int64_t> table, const SoftTables::Variables& variables, const SoftName& name);
  Word opposite(Word predicate);
  Word object_of(SoftSum sum);
  Word opaque_of(const SoftName& name);
  std::optional<Word> word_of(Function function);
  const Function* in_parts(Word word);
  std::optional<Function> added_up(const SoftSum& sum);
  std::optional<Function> by_parts(std::span<const Function* const> operands, const OnNumbers& f);
  SoftSum sum_of(Word word) const;
  bool is_opaque(Word word) const { return !is_small(word) && objects_[word >> 1].opaque; }
  bool is_sum(Word word) const {
    return is_small(word) || !(objects_[word >> 1].opaque || objects_[word >> 1].by_parts);
  }
  std::span<const uint64_t> mean(Word word);
  std::vector<uint64_t> mean_of(const SoftSum& sum) const;
  std::vector<uint64_t> mean_of(const Function& function) const;
  Linear linear_of(DType dtype, Word word) const;
  std::optional<Word> linear_opaque(IntegerOp op, DType dtype, Word x, Word y);
  Word opaque_result(uint64_t function, std::span<const Word> arguments);
  Word opaque_predicate(uint64_t function, Word x, Word y);
  std::optional<Word> pointwise(std::span<const Word> words, const OnNumbers& f);
  std::optional<Word> partwise(std::span<const Word> words, const OnNumbers& f);
  std::optional<Word> chosen_sum(Word predicate, Word x, Word y);
  Word uncached(IntegerOp op, DType dtype, Word x, Word y);
  Word uncached_compare(Direction direction, DType dtype, Word x, Word y);
  std::optional<Word> linear(IntegerOp op, DType dtype, Word x, Word y);
  std::optional<Word> counted(const SoftSum& sum);
  Word named_variable(const SoftName& name, std::span<const int64_t> values);
  Word weighted_predicate(std::vector<uint64_t> weight);
  SoftName name_of(uint64_t function, std::span<const Word> arguments);
  SoftName name_of_op(IntegerOp op, DType dtype, std::span<const Word> operands);
  template <class Make>
  Word remembered(const SoftCall& call, const Make& make);

  mutable std::mutex mutex_;
  mutable RingNotes notes_;
  SoftTables tables_;
  SoftPartitions partitions_{tables_, *this};
  std::deque<Object> objects_;
  std::unordered_multimap<size_t, Word> sums_;  ///< by hash
  std::map<Function, Word> functions_;
  std::map<SoftName, Word> named_;
  std::unordered_map<SoftCall, Word, SoftCall::Hash> calls_;
};

}  // namespace isoshard::sim

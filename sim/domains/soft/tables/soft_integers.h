#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/ops/select.h"
#include "sim/domains/soft/tables/soft_names.h"
#include "sim/domains/soft/tables/soft_operations.h"
#include "sim/domains/soft/tables/soft_partitions.h"
#include "sim/domains/soft/tables/soft_tables.h"
#include "sim/domains/soft/tables/soft_words.h"
#include "sim/integers/integer_apply.h"

namespace isoshard::sim {

/// Calculates with integers that depend on inputs (docs/spec/verdict.md, "Integers"), and notes what is beyond it.
/// Thread-safe: one mutex for all words, since few elements are soft.
///
/// A word is a known number, a formal sum of tables over variables (SoftSum), a function of many variables by parts
/// (SoftPartitions), or an opaque integer of which only its name is known. A predicate is an integer 0 or 1. A variable
/// has finitely many entries with one random weight per entry and residue, of sum 1; what a formal sum is worth in the
/// ring is its mean under these weights (`collapse`). At weights that are 1 for one entry and 0 for the others that is
/// the number itself, so that equal means at random weights are equal numbers for all entries, up to the error bound.
class SoftIntegers : public SoftNames {
 public:
  using Word = SoftWords::Word;
  using Partition = SoftPartitions::Id;
  using Numbers = SoftWords::Numbers;
  /// The most entries of a table over a single variable; limits() are those of others.
  static constexpr size_t kMostCounts = SoftPartitions::kMostOfOne;

  SoftIntegers(std::vector<PrimeField> fields, uint64_t seed, Weights weights = Weights::random,
               SoftLimits limits = {});

  static bool is_small(Word word) { return SoftWords::is_small(word); }
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
  /// Whether predicates of floats are among its variables.
  bool is_of_floats(Partition x) const;
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
  void note_undecided(const char* what) const { words_.notes().note_undecided(what); }
  std::string undecided() const { return words_.notes().undecided(); }

 private:
  mutable std::mutex mutex_;  ///< of both below
  SoftWords words_{*this};
  SoftOperations operations_{words_};
};

}  // namespace isoshard::sim

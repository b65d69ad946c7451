#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/domains/soft/tables/real_number.h"
#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// Whether a comparison holds of two numbers in this order: -1, 0 or 1.
bool holds_at(Direction direction, int order);

/// What is known of the floats of a SoftDomain that are made of constants and integers only: a real number, or one per
/// part of a partition. Known by numbers from 1 on; 0 is a float of which nothing is known.
/// Thread-safe.
class SoftNumbers {
 public:
  using Id = uint32_t;
  using Word = SoftIntegers::Word;
  using Partition = SoftIntegers::Partition;
  /// The most numbers that all tables hold together; beyond, nothing is known of further floats.
  static constexpr size_t kMostNumbers = size_t{1} << 22;

  explicit SoftNumbers(SoftIntegers& integers) : integers_(integers) {}

  Id number(const RealNumber& x);
  Id of_integer(Word word);
  Id apply(UnaryOp op, Id x);
  Id apply(BinaryOp op, Id x, Id y);
  /// x where the predicate holds, otherwise y.
  Id choose(Word predicate, Id x, Id y);

  /// Nothing where the order is not known at some entry.
  std::optional<Word> compare(Direction direction, Id x, Id y);
  /// Rounded down; nothing where it is not known how at some entry.
  std::optional<Word> floor(Id x);
  /// Held in a float of a dtype and rounded toward zero, beyond the range of the integer dtype to its nearest number.
  std::optional<Word> truncated(DType from, Id x, DType to);
  /// The numbers that one number may be truncated to, where these are few; empty for tables.
  std::vector<int64_t> truncations(DType from, Id x, DType to) const;

  /// Per part; nothing where one of them is not known exactly.
  std::optional<std::vector<mpq_class>> exact(Id x) const;
  Partition partition(Id x) const;
  bool is_single(Id x) const { return partition(x) == SoftPartitions::kWhole; }

 private:
  struct Table {
    Partition partition = SoftPartitions::kWhole;
    std::vector<uint32_t> reals;  ///< places in reals_
  };
  using Call = std::tuple<uint64_t, Id, Id>;

  // All below are called with the mutex held.
  uint32_t real(const RealNumber& x);
  Id keep(Table table);
  std::vector<uint32_t> spread(const Table& table, Partition over) const;
  template <class Function>
  Id mapped(const Call& call, Id x, const Function& f);
  template <class Function>
  Id combined(const Call& call, Id x, Id y, const Function& f);
  template <class Function>
  std::optional<Word> rounded(Id x, const Function& f) const;

  SoftIntegers& integers_;
  mutable std::mutex mutex_;
  std::deque<RealNumber> reals_;
  std::map<RealNumber, uint32_t> known_reals_;
  std::deque<Table> tables_;
  std::map<uint32_t, Id> singles_;  ///< of one number, by its place
  std::map<Word, Id> of_integers_;
  std::map<Call, Id> calls_;
  size_t numbers_ = 0;
};

}  // namespace isoshard::sim

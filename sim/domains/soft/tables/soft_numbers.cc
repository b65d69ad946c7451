// Tables of real numbers, entry by entry as those of soft integers are: a float that is made of constants and integers
// only has one number per part of a partition (docs/spec/verdict.md, "Numbers"). Floors, comparisons and integers made
// of it are decided per part where intervals do not overlap; one undecided part leaves all open. Equal numbers are
// stored once and every function of a table is remembered: an array of n equal constants costs one. Beyond 2^22 numbers
// nothing is known of further floats. Cost: one operation of real_number.cc per part, once.
#include "sim/domains/soft/tables/soft_numbers.h"

#include <algorithm>
#include <utility>

#include "core/value/integers.h"

namespace isoshard::sim {
namespace {

constexpr uint64_t kBinary = 64;
constexpr int64_t kFewTruncations = 16;

/// What is rounded is below 2^62, so that the greatest numbers of u64 are not needed.
int64_t limited(int64_t x, DType to) {
  const IntegerEnds ends = integer_ends(to);
  return std::clamp(x, ends.least, ends.greatest);
}

}  // namespace

bool holds_at(Direction direction, int order) {
  switch (direction) {
    case Direction::eq:
      return order == 0;
    case Direction::ne:
      return order != 0;
    case Direction::lt:
      return order < 0;
    case Direction::le:
      return order <= 0;
    case Direction::gt:
      return order > 0;
    case Direction::ge:
      return order >= 0;
    case Direction::none:
      break;
  }
  return false;
}

uint32_t SoftNumbers::real(const RealNumber& x) {
  const auto [at, added] = known_reals_.emplace(x, static_cast<uint32_t>(reals_.size()));
  if (added) reals_.push_back(x);
  return at->second;
}

SoftNumbers::Id SoftNumbers::keep(Table table) {
  const bool single = table.partition == SoftPartitions::kWhole;
  const Partition merged =
      single || !integers_.merges(table.partition) ? table.partition : integers_.merged(table.partition, table.reals);
  if (merged != table.partition) {
    const std::vector<uint32_t> part_of = integers_.places(merged, table.partition);
    Table coarse{merged, std::vector<uint32_t>(integers_.parts(merged))};
    for (size_t p = 0; p < part_of.size(); ++p) coarse.reals[part_of[p]] = table.reals[p];
    return keep(std::move(coarse));
  }
  if (single) {
    const auto known = singles_.find(table.reals[0]);
    if (known != singles_.end()) return known->second;
  }
  if (numbers_ + table.reals.size() > kMostNumbers) return 0;
  numbers_ += table.reals.size();
  tables_.push_back(std::move(table));
  const auto id = static_cast<Id>(tables_.size());
  if (single) singles_.emplace(tables_.back().reals[0], id);
  return id;
}

SoftNumbers::Id SoftNumbers::number(const RealNumber& x) {
  const std::lock_guard lock(mutex_);
  return keep({SoftPartitions::kWhole, {real(x)}});
}

SoftNumbers::Id SoftNumbers::of_integer(Word word) {
  if (integers_.is_known(word)) return number(RealNumber::whole(integers_.value(word)));
  if (integers_.is_opaque_integer(word)) return 0;
  const std::lock_guard lock(mutex_);
  const auto known = of_integers_.find(word);
  if (known != of_integers_.end()) return known->second;
  Id id = 0;
  if (const std::optional<Partition> partition = integers_.partition_of(word)) {
    Table table{*partition, {}};
    for (const int64_t x : integers_.numbers(word, *partition)) table.reals.push_back(real(RealNumber::whole(x)));
    id = keep(std::move(table));
  }
  of_integers_.emplace(word, id);
  return id;
}

std::vector<uint32_t> SoftNumbers::spread(const Table& table, Partition over) const {
  if (table.partition == over) return table.reals;
  std::vector<uint32_t> result;
  for (const uint32_t place : integers_.places(table.partition, over)) result.push_back(table.reals[place]);
  return result;
}

/// f of each number; nothing is known where f says nothing of one.
template <class Function>
SoftNumbers::Id SoftNumbers::mapped(const Call& call, Id x, const Function& f) {
  const auto known = calls_.find(call);
  if (known != calls_.end()) return known->second;
  const Table& from = tables_[x - 1];
  Table table{from.partition, {}};
  for (const uint32_t r : from.reals) {
    const std::optional<RealNumber> result = f(reals_[r]);
    if (!result) break;
    table.reals.push_back(real(*result));
  }
  const Id id = table.reals.size() == from.reals.size() ? keep(std::move(table)) : 0;
  calls_.emplace(call, id);
  return id;
}

template <class Function>
SoftNumbers::Id SoftNumbers::combined(const Call& call, Id x, Id y, const Function& f) {
  const auto known = calls_.find(call);
  if (known != calls_.end()) return known->second;
  Id id = 0;
  if (const auto over = integers_.joint(tables_[x - 1].partition, tables_[y - 1].partition)) {
    const std::vector<uint32_t> a = spread(tables_[x - 1], *over), b = spread(tables_[y - 1], *over);
    Table table{*over, {}};
    for (size_t i = 0; i < a.size() && table.reals.size() == i; ++i) {
      const std::optional<RealNumber> result = f(reals_[a[i]], reals_[b[i]]);
      if (result) table.reals.push_back(real(*result));
    }
    if (table.reals.size() == a.size()) id = keep(std::move(table));
  }
  calls_.emplace(call, id);
  return id;
}

SoftNumbers::Id SoftNumbers::apply(UnaryOp op, Id x) {
  if (x == 0) return 0;
  const std::lock_guard lock(mutex_);
  return mapped({static_cast<uint64_t>(op), x, 0}, x, [&](const RealNumber& a) { return applied_to(op, a); });
}

SoftNumbers::Id SoftNumbers::apply(BinaryOp op, Id x, Id y) {
  if (x == 0 || y == 0) return 0;
  const std::lock_guard lock(mutex_);
  return combined({kBinary + static_cast<uint64_t>(op), x, y}, x, y,
                  [&](const RealNumber& a, const RealNumber& b) { return applied_to(op, a, b); });
}

SoftNumbers::Id SoftNumbers::choose(Word predicate, Id x, Id y) {
  if (integers_.is_known(predicate)) return integers_.value(predicate) != 0 ? x : y;
  if (x == 0 || y == 0 || integers_.is_opaque_integer(predicate)) return 0;
  const std::lock_guard lock(mutex_);
  const std::optional<Partition> own = integers_.partition_of(predicate);
  std::optional<Partition> over = integers_.joint(tables_[x - 1].partition, tables_[y - 1].partition);
  if (over) over = own ? integers_.joint(*over, *own) : std::nullopt;
  if (!over) return 0;
  Table table{*over, spread(tables_[x - 1], *over)};
  const std::vector<uint32_t> other = spread(tables_[y - 1], *over);
  const std::vector<int64_t> chosen = integers_.numbers(predicate, *over);
  for (size_t i = 0; i < other.size(); ++i) {
    if (chosen[i] == 0) table.reals[i] = other[i];
  }
  return keep(std::move(table));
}

std::optional<SoftNumbers::Word> SoftNumbers::compare(Direction direction, Id x, Id y) {
  if (x == 0 || y == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const std::optional<Partition> over = integers_.joint(tables_[x - 1].partition, tables_[y - 1].partition);
  if (!over) return std::nullopt;
  const std::vector<uint32_t> a = spread(tables_[x - 1], *over), b = spread(tables_[y - 1], *over);
  std::vector<int64_t> table;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int> sign = a[i] == b[i] && reals_[a[i]].exact() ? 0 : order(reals_[a[i]], reals_[b[i]]);
    if (!sign) return std::nullopt;
    table.push_back(holds_at(direction, *sign) ? 1 : 0);
  }
  return integers_.table(*over, std::move(table));
}

template <class Function>
std::optional<SoftNumbers::Word> SoftNumbers::rounded(Id x, const Function& f) const {
  if (x == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const Table& from = tables_[x - 1];
  std::vector<int64_t> table;
  for (const uint32_t r : from.reals) {
    const std::optional<WholeRange> whole = f(reals_[r]);
    if (!whole || whole->low != whole->high) return std::nullopt;
    table.push_back(whole->low);
  }
  return integers_.table(from.partition, std::move(table));
}

std::optional<SoftNumbers::Word> SoftNumbers::floor(Id x) {
  return rounded(x, [](const RealNumber& a) { return floors(a); });
}

std::optional<SoftNumbers::Word> SoftNumbers::truncated(DType from, Id x, DType to) {
  return rounded(x, [&](const RealNumber& a) -> std::optional<WholeRange> {
    const std::optional<WholeRange> whole = sim::truncations(a, from);
    return whole ? std::optional(WholeRange{limited(whole->low, to), limited(whole->high, to)}) : std::nullopt;
  });
}

std::vector<int64_t> SoftNumbers::truncations(DType from, Id x, DType to) const {
  std::vector<int64_t> result;
  if (x == 0) return result;
  const std::lock_guard lock(mutex_);
  const Table& table = tables_[x - 1];
  if (table.partition != SoftPartitions::kWhole) return result;
  const std::optional<WholeRange> whole = sim::truncations(reals_[table.reals[0]], from);
  if (!whole || whole->high - whole->low >= kFewTruncations) return result;
  for (int64_t k = limited(whole->low, to); k <= limited(whole->high, to); ++k) result.push_back(k);
  return result;
}

std::optional<std::vector<mpq_class>> SoftNumbers::exact(Id x) const {
  const std::lock_guard lock(mutex_);
  std::vector<mpq_class> result;
  for (const uint32_t r : tables_[x - 1].reals) {
    if (!reals_[r].exact()) return std::nullopt;
    result.push_back(*reals_[r].exact());
  }
  return result;
}

SoftNumbers::Partition SoftNumbers::partition(Id x) const {
  const std::lock_guard lock(mutex_);
  return tables_[x - 1].partition;
}

}  // namespace isoshard::sim

// The largest integers of a row and their places, by what defines them: each element is inserted among the largest so
// far, before those that it is larger than and behind its equals, which come before it in the row. That is comparisons
// and choices of soft integers, which are exact for all numbers, so nothing is assumed of orders: rows of numbers that
// are given have tables over them, in whichever order they are compared, and rows of any numbers the same opaque
// functions where they are compared in the same order. By odds the largest of rows and of their parts go together, as
// those of floats do (soft_maxima.h): an element is named by its word, and the order of the numbers is the one in whose
// limit the odds are. Cost: k comparisons and 2 k choices per element; by odds one maximum.
#include "sim/domains/soft/tables/soft_largest.h"

#include <array>

namespace isoshard::sim {
namespace {

enum SoftLargestFunction : uint64_t { kElement = uint64_t{1} << 35, kFirstLargest };

using RowWord = SoftIntegers::Word;

/// Predicates are calculated with as i64.
DType compared_as(DType dtype) { return dtype == DType::pred ? DType::i64 : dtype; }

SoftRanked chosen(SoftIntegers& integers, DType dtype, RowWord predicate, const SoftRanked& x, const SoftRanked& y) {
  if (integers.is_known(predicate)) return integers.value(predicate) != 0 ? x : y;
  return {integers.choose(predicate, dtype, x.value, y.value),
          integers.choose(predicate, DType::i32, x.place, y.place)};
}

/// From the last to the first: rank r is the one above it where x goes before that, x where it goes before its own
/// only.
void insert(SoftIntegers& integers, DType dtype, const SoftRanked& x, size_t k, std::vector<SoftRanked>& best) {
  std::vector<RowWord> before;
  for (const SoftRanked& each : best) before.push_back(integers.compare(Direction::gt, dtype, x.value, each.value));
  const size_t filled = best.size();
  if (filled < k) best.push_back(x);
  for (size_t r = best.size(); r-- > 0;) {
    const SoftRanked from = r == 0 ? x : chosen(integers, dtype, before[r - 1], best[r - 1], x);
    best[r] = r < filled ? chosen(integers, dtype, before[r], from, best[r]) : from;
  }
}

}  // namespace

std::vector<SoftRanked> largest_integers_of(SoftIntegers& integers, DType dtype, std::span<const RowWord> row,
                                            size_t k) {
  std::vector<SoftRanked> best;
  for (size_t i = 0; i < row.size(); ++i) {
    insert(integers, compared_as(dtype), {row[i], integers.number(static_cast<int64_t>(i))}, k, best);
  }
  return best;
}

SoftRanked largest_integer_by_odds(SoftIntegers& integers, SoftOdds& odds, DType dtype, std::span<const RowWord> row) {
  const auto named = [&](RowWord word) {
    const std::array<RowWord, 1> of_word{word};
    const SoftName name = integers.name_applied(kElement, of_word);
    return std::vector<uint64_t>{name.first, name.second};
  };
  RowWord largest = row[0];
  std::vector<std::vector<uint64_t>> elements;
  std::vector<int64_t> places;
  std::vector<uint64_t> parts;
  for (const RowWord word : row) {
    largest = integers.apply(IntegerOp::maximum, compared_as(dtype), largest, word);
    places.push_back(static_cast<int64_t>(places.size()));
    elements.push_back(named(word));
    parts.insert(parts.end(), elements.back().begin(), elements.back().end());
  }
  const std::vector<uint64_t> weights = odds.weights(elements, named(largest));
  return {largest, integers.variables(integers.name(kFirstLargest, parts), weights, std::span(&places, 1))[0]};
}

}  // namespace isoshard::sim

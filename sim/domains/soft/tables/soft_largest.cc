// The largest integer of a row and its place, by what defines them: each element takes the place of the largest so far
// where it is larger; of equal ones the first stays. That is comparisons and choices of soft integers, which are exact
// for all numbers, so nothing is assumed of orders. The others of the k largest are functions of the row and of their
// rank: opaque values, and places with weights of their own, which allow more than any order does, so that what is
// equal then is equal. Where all elements are ranked the places are a permutation: all have weights of their own but
// the last one, which has what the others leave of 1 for each place, as it has in every order, so that rows that are
// sorted and put back are the rows. By odds the largest of rows and of their parts go together, as those of floats do
// (soft_maxima.h): an element is named by its word, and the order of the numbers is the one in whose limit the odds
// are. Cost: a comparison and two choices per element, and a weight per element and further rank; by odds a maximum.
#include "sim/domains/soft/tables/soft_largest.h"

#include <array>
#include <utility>

#include "sim/domains/soft/tables/soft_left_places.h"

namespace isoshard::sim {
namespace {

enum SoftLargestFunction : uint64_t {
  kElement = uint64_t{1} << 35,
  kFirstLargest,
  kRankedValue,
  kRankedPlace,
  kLastPlace
};

using RowWord = SoftIntegers::Word;

/// Predicates are calculated with as i64.
DType compared_as(DType dtype) { return dtype == DType::pred ? DType::i64 : dtype; }

SoftRanked chosen(SoftIntegers& integers, DType dtype, RowWord predicate, const SoftRanked& x, const SoftRanked& y) {
  if (integers.is_known(predicate)) return integers.value(predicate) != 0 ? x : y;
  return {integers.choose(predicate, dtype, x.value, y.value),
          integers.choose(predicate, DType::i32, x.place, y.place)};
}

/// What an element is named by.
std::vector<uint64_t> name_of(SoftIntegers& integers, RowWord word) {
  const std::array<RowWord, 1> of_word{word};
  const SoftName name = integers.name_applied(kElement, of_word);
  return {name.first, name.second};
}

SoftRanked first_largest(SoftIntegers& integers, DType dtype, std::span<const RowWord> row) {
  SoftRanked best{row[0], integers.number(0)};
  for (size_t i = 1; i < row.size(); ++i) {
    const SoftRanked next{row[i], integers.number(static_cast<int64_t>(i))};
    best = chosen(integers, dtype, integers.compare(Direction::gt, dtype, next.value, best.value), next, best);
  }
  return best;
}

/// Places of all ranks: each is a variable of its own but the last one, which has what the others leave.
void place_all(SoftIntegers& integers, std::vector<uint64_t> parts, const std::vector<int64_t>& places,
               std::vector<SoftRanked>& ranks) {
  SoftLeftPlaces left(integers, places.size());
  for (parts[0] = 0; parts[0] + 1 < places.size(); ++parts[0]) {
    const SoftName name = integers.name(kRankedPlace, parts);
    ranks[parts[0]].place = integers.variable(name, places);
    left.take(name);
  }
  ranks.back().place = left.last(integers.name(kLastPlace, parts));
}

}  // namespace

std::vector<SoftRanked> largest_integers_of(SoftIntegers& integers, DType dtype, std::span<const RowWord> row,
                                            size_t k) {
  std::vector<SoftRanked> best{first_largest(integers, compared_as(dtype), row)};
  std::vector<uint64_t> parts{0};  // the rank, then the row
  std::vector<int64_t> places;
  for (size_t i = 0; k > 1 && i < row.size(); ++i) {
    const std::vector<uint64_t> element = name_of(integers, row[i]);
    parts.insert(parts.end(), element.begin(), element.end());
    places.push_back(static_cast<int64_t>(i));
  }
  while (best.size() < k) {
    parts[0] = best.size();
    best.push_back({integers.opaque(integers.name(kRankedValue, parts)),
                    integers.variable(integers.name(kRankedPlace, parts), places)});
  }
  const bool all = k > 1 && k == row.size();
  if (all && integers.kind() != SoftNames::Weights::vertex) place_all(integers, std::move(parts), places, best);
  return best;
}

SoftRanked largest_integer_by_odds(SoftIntegers& integers, SoftOdds& odds, DType dtype, std::span<const RowWord> row) {
  RowWord largest = row[0];
  std::vector<std::vector<uint64_t>> elements;
  std::vector<int64_t> places;
  std::vector<uint64_t> parts;
  for (const RowWord word : row) {
    largest = integers.apply(IntegerOp::maximum, compared_as(dtype), largest, word);
    places.push_back(static_cast<int64_t>(places.size()));
    elements.push_back(name_of(integers, word));
    parts.insert(parts.end(), elements.back().begin(), elements.back().end());
  }
  const std::vector<uint64_t> weights = odds.weights(elements, name_of(integers, largest));
  return {largest, integers.variables(integers.name(kFirstLargest, parts), weights, std::span(&places, 1))[0]};
}

}  // namespace isoshard::sim

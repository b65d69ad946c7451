// Indices of the largest elements of rows, as soft integers (docs/spec/verdict.md, "Choices"). The order of a row is a
// function of its differences, so an index is a variable named by these, with opaque weights of sum 1: rows with the
// same differences have the same index in both programs. k largest are one variable over ordered choices, whose weights
// are products of those of one pick after another, so that the first is that of argmax; where there are too many
// choices, each rank is a variable of its own, which allows more than any order does, so that what is equal then is
// equal. By odds (soft_odds.h) the largest of rows and of their parts go together. Cost: the number of choices, at most
// 65536.
#include "sim/domains/soft/soft_maxima.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "sim/domains/soft/tables/soft_left_places.h"

namespace isoshard::sim {
namespace {

/// Of a whole row: that each place has one rank says more than so many entries of one variable.
constexpr size_t kMostOrders = 1024;

enum SoftChoice : uint64_t { kLargest = uint64_t{1} << 33, kLargestOf, kLargestAlone };

/// All ordered choices of k of 0..length-1; nothing where there are more than `most`.
std::vector<std::vector<int64_t>> ordered_choices(int64_t length, int64_t k, size_t most) {
  std::vector<std::vector<int64_t>> result{{}};
  for (int64_t rank = 0; rank < k; ++rank) {
    std::vector<std::vector<int64_t>> longer;
    if (result.size() * static_cast<size_t>(length - rank) > most) return {};
    for (const std::vector<int64_t>& choice : result) {
      for (int64_t i = 0; i < length; ++i) {
        if (std::find(choice.begin(), choice.end(), i) != choice.end()) continue;
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace

/// The elements of a row less the first one: the order of a row is a function of these.
std::vector<std::byte> SoftMaxima::row_differences(DType dtype, int64_t length, const std::byte* row) const {
  const Storage storage = arrays_.ring().storage(dtype);
  const auto n = static_cast<size_t>(length);
  std::vector<std::byte> first(n * storage.element_bytes * storage.planes), result(first.size());
  for (size_t p = 0; p < storage.planes; ++p) {
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(first.data() + (p * n + i) * storage.element_bytes, row + p * n * storage.element_bytes,
                  storage.element_bytes);
    }
  }
  arrays_.ring().binary(BinaryOp::subtract, dtype, length, row, first.data(), result.data());
  return result;
}

/// Of each of the elements `left` of a row the weight that it is the largest of them; they are opaque, of sum 1.
std::vector<uint64_t> SoftMaxima::pick_weights(const std::vector<std::byte>& row, int64_t length,
                                               std::span<const int64_t> left) const {
  std::vector<uint64_t> parts;
  const std::vector<uint64_t> base = arrays_.residues_of(length, row.data(), left[0]);
  for (const int64_t i : left) {
    const std::vector<uint64_t> residues = arrays_.residues_of(length, row.data(), i);
    for (size_t l = 0; l < arrays_.ring().lanes(); ++l)
      parts.push_back(arrays_.integers().field(l).subtract(residues[l], base[l]));
  }
  const SoftName named = arrays_.integers().name(kLargestOf, parts);
  return arrays_.integers().weights(named, left.size());
}

/// The index of a maximum whose odds go with those of other rows.
SoftIntegers::Word SoftMaxima::index_by_odds(int64_t length, const std::byte* row,
                                             const std::vector<std::byte>& largest) const {
  std::vector<std::vector<uint64_t>> elements;
  std::vector<int64_t> numbers;
  std::vector<uint64_t> parts;
  for (int64_t i = 0; i < length; ++i) {
    elements.push_back(arrays_.element_of(length, row, i));
    parts.insert(parts.end(), elements.back().begin(), elements.back().end());
    numbers.push_back(i);
  }
  const std::vector<uint64_t> weights = odds_.weights(elements, arrays_.element_of(1, largest.data(), 0));
  return arrays_.integers().variables(arrays_.integers().name(kLargest, parts), weights, std::span(&numbers, 1))[0];
}

/// A variable per rank, named by that and by what names the choice; where all are ranked each place has one.
void SoftMaxima::largest_one_by_one(const std::vector<uint64_t>& choice, int64_t length, int64_t k,
                                    Word* indices) const {
  SoftIntegers& integers = arrays_.integers();
  std::vector<int64_t> rows(static_cast<size_t>(length));
  std::iota(rows.begin(), rows.end(), 0);
  SoftLeftPlaces left(integers, rows.size());
  const bool all = k == length && integers.kind() != SoftNames::Weights::vertex;
  for (int64_t rank = 0; rank < k; ++rank) {
    std::vector<uint64_t> parts = choice;
    parts.push_back(static_cast<uint64_t>(rank));
    const SoftName name = integers.name(kLargestAlone, parts);
    const bool last = all && rank + 1 == k;
    indices[rank] = last ? left.last(name) : integers.variable(name, rows);
    if (all && !last) left.take(name);
  }
}

/// One variable over ordered choices; its weights are products of those of one pick after another, so that the first
/// index is that of argmax. Where these are too many each index is a variable of its own: indices then may be equal,
/// too, which no order makes them, and programs that are equal for these as well are equal.
void SoftMaxima::largest_of_row(DType dtype, int64_t length, int64_t k, const std::byte* row, Word* indices) const {
  const std::vector<std::byte> differences = row_differences(dtype, length, row);
  const size_t residues = arrays_.integers().weight_residues();
  std::vector<uint64_t> parts{static_cast<uint64_t>(k)};
  for (int64_t i = 0; i < length; ++i) {
    const std::vector<uint64_t> element = arrays_.residues_of(length, differences.data(), i);
    parts.insert(parts.end(), element.begin(), element.begin() + static_cast<std::ptrdiff_t>(arrays_.ring().lanes()));
  }
  const size_t most = k < length ? SoftIntegers::kMostCounts : kMostOrders;
  const std::vector<std::vector<int64_t>> choices = ordered_choices(length, k, most);
  if (choices.empty()) return largest_one_by_one(parts, length, k, indices);
  std::vector<uint64_t> weights(choices.size() * residues, 1);
  std::vector<std::vector<int64_t>> numbers(static_cast<size_t>(k));
  std::vector<std::pair<std::vector<int64_t>, std::vector<uint64_t>>> known(static_cast<size_t>(k));
  for (size_t c = 0; c < choices.size(); ++c) {
    std::vector<int64_t> left(static_cast<size_t>(length));
    for (size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int64_t>(i);
    for (size_t rank = 0; rank < static_cast<size_t>(k); ++rank) {
      if (known[rank].first != left) known[rank] = {left, pick_weights(differences, length, left)};
      const auto at = std::find(left.begin(), left.end(), choices[c][rank]);
      const auto place = static_cast<size_t>(at - left.begin());
      for (size_t r = 0; r < residues; ++r) {
        uint64_t& weight = weights[c * residues + r];
        weight = arrays_.integers().field(r).multiply(weight, known[rank].second[place * residues + r]);
      }
      numbers[rank].push_back(choices[c][rank]);
      left.erase(at);
    }
  }
  const std::vector<Word> words_of_ranks =
      arrays_.integers().variables(arrays_.integers().name(kLargest, parts), weights, numbers);
  std::copy(words_of_ranks.begin(), words_of_ranks.end(), indices);
}

/// The maximum of a row as one element: of one element after another, as reductions have it; of long rows by halves,
/// since the sets that maxima are would have n^2/2 elements otherwise.
std::vector<std::byte> SoftMaxima::maximum_of_row(DType dtype, int64_t length, const std::byte* row) const {
  constexpr int64_t kLong = 256;
  std::vector<std::vector<std::byte>> parts;
  for (int64_t i = 0; i < length; ++i) parts.push_back(arrays_.floats().element(dtype, length, row, i));
  const auto larger = [&](std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    arrays_.ring().extreme(Extreme::maximum, dtype, 1, x.data(), y.data(), x.data());
  };
  while (length > kLong && parts.size() > 1) {
    for (size_t i = 0; 2 * i < parts.size(); ++i) {
      if (i > 0) parts[i] = std::move(parts[2 * i]);
      if (2 * i + 1 < parts.size()) larger(parts[i], parts[2 * i + 1]);
    }
    parts.resize((parts.size() + 1) / 2);
  }
  for (size_t i = 1; i < parts.size(); ++i) larger(parts[0], parts[i]);
  return parts[0];
}

/// The sum over a row of [index = i] times its element i.
std::vector<std::byte> SoftMaxima::picked_of_row(DType dtype, int64_t length, const std::byte* row, Word index) const {
  std::vector<std::byte> total;
  for (int64_t i = 0; i < length; ++i) {
    const Word is = arrays_.integers().compare(Direction::eq, DType::i32, index, arrays_.integers().number(i));
    std::vector<std::byte> term = arrays_.floats().element(dtype, length, row, i), weight(term.size());
    arrays_.put_mean(is, dtype, 1, 0, weight.data());
    arrays_.ring().binary(BinaryOp::multiply, dtype, 1, weight.data(), term.data(), term.data());
    if (total.empty()) {
      total = std::move(term);
    } else {
      arrays_.ring().accumulate(dtype, 1, total.data(), term.data());
    }
  }
  return total;
}

/// Of floats the first is the maximum, as a reduction has it, and the others are sums over the row.
void SoftMaxima::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                         Word* indices) const {
  const Storage storage = arrays_.ring().storage(dtype);
  const size_t width = storage.element_bytes, all = static_cast<size_t>(rows * k);
  arrays_.no_tables(dtype, rows * k, values);
  for (int64_t r = 0; r < rows && k != 0; ++r) {
    std::vector<std::byte> row(static_cast<size_t>(length) * width * storage.planes);
    for (size_t p = 0; p < storage.planes; ++p) {
      const std::byte* from =
          x + (p * static_cast<size_t>(rows) + static_cast<size_t>(r)) * static_cast<size_t>(length) * width;
      std::memcpy(row.data() + p * static_cast<size_t>(length) * width, from, static_cast<size_t>(length) * width);
    }
    Word* const picked = indices + r * k;
    const std::vector<std::byte> maximum = maximum_of_row(dtype, length, row.data());
    const std::vector<std::byte> ordered = options_.ordered ? order_.ordered_row(dtype, length, row) : row;
    if (length == 1) {
      picked[0] = arrays_.integers().number(0);
    } else if (k == 1 && options_.most_places > 0) {
      picked[0] = index_by_odds(length, row.data(), maximum);
    } else {
      largest_of_row(dtype, length, k, ordered.data(), picked);
    }
    for (int64_t rank = 0; rank < k; ++rank) {
      const std::vector<std::byte> element =
          rank == 0 ? maximum : picked_of_row(dtype, length, row.data(), picked[rank]);
      for (size_t p = 0; p < storage.planes; ++p) {
        std::memcpy(values + (p * all + static_cast<size_t>(r * k + rank)) * width, element.data() + p * width, width);
      }
      if (options_.ordered) put_chosen(dtype, length, row, picked[rank], {rows * k, r * k + rank, values});
    }
  }
}

/// Of a choice with few outcomes the values are a table over them.
void SoftMaxima::put_chosen(DType dtype, int64_t length, const std::vector<std::byte>& row, Word index,
                            const Place& to) const {
  if (!options_.tabled || arrays_.integers().is_known(index)) return;
  const std::optional<SoftIntegers::Partition> partition = arrays_.integers().partition_of(index);
  const size_t entries = partition ? arrays_.integers().parts(*partition) : 0;
  if (!partition || entries > arrays_.integers().limits().everywhere) return;
  std::vector<std::byte> elements(arrays_.floats().element_bytes(dtype) * entries);
  const std::vector<int64_t> places = arrays_.integers().numbers(index, *partition);
  for (size_t e = 0; e < entries; ++e) {
    arrays_.floats().move(dtype, length, row.data(), places[e], static_cast<int64_t>(entries), static_cast<int64_t>(e),
                          elements.data());
  }
  arrays_.keep(std::move(elements), *partition, dtype, to.n, to.i, to.out);
}

}  // namespace isoshard::sim

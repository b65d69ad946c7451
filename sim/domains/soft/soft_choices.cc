// Indices of maxima and random bits of soft integers.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/value/threefry.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/integer_order.h"

namespace isoshard::sim {
namespace {

enum SoftChoice : uint64_t {
  kLargest = uint64_t{1} << 33,
  kLargestOf,
  kLargestAlone,
  kFoldIn,
  kSplit,
  kRandomBits,
  kHalf,
  kWhole
};

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
std::vector<std::byte> SoftDomain::row_differences(DType dtype, int64_t length, const std::byte* row) const {
  const Storage storage = ring_->storage(dtype);
  const auto n = static_cast<size_t>(length);
  std::vector<std::byte> first(n * storage.element_bytes * storage.planes), result(first.size());
  for (size_t p = 0; p < storage.planes; ++p) {
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(first.data() + (p * n + i) * storage.element_bytes, row + p * n * storage.element_bytes,
                  storage.element_bytes);
    }
  }
  ring_->binary(BinaryOp::subtract, dtype, length, row, first.data(), result.data());
  return result;
}

/// Of each of the elements `left` of a row the weight that it is the largest of them; they are opaque, of sum 1.
std::vector<uint64_t> SoftDomain::pick_weights(const std::vector<std::byte>& row, int64_t length,
                                               std::span<const int64_t> left) const {
  std::vector<uint64_t> parts;
  const std::vector<uint64_t> base = residues_of(length, row.data(), left[0]);
  for (const int64_t i : left) {
    const std::vector<uint64_t> residues = residues_of(length, row.data(), i);
    for (size_t l = 0; l < lanes(); ++l) parts.push_back(integers_.field(l).subtract(residues[l], base[l]));
  }
  const SoftName named = integers_.name(kLargestOf, parts);
  return integers_.weights(named, left.size());
}

/// The residues of component 0, which tell one element from another.
std::vector<uint64_t> SoftDomain::element_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues = residues_of(n, x, i);
  residues.resize(lanes());
  return residues;
}

/// The index of a maximum whose odds go with those of other rows.
SoftDomain::Word SoftDomain::index_by_odds(int64_t length, const std::byte* row,
                                           const std::vector<std::byte>& largest) const {
  std::vector<std::vector<uint64_t>> elements;
  std::vector<int64_t> numbers;
  std::vector<uint64_t> parts;
  for (int64_t i = 0; i < length; ++i) {
    elements.push_back(element_of(length, row, i));
    parts.insert(parts.end(), elements.back().begin(), elements.back().end());
    numbers.push_back(i);
  }
  const std::vector<uint64_t> weights = odds_.weights(elements, element_of(1, largest.data(), 0));
  return integers_.variables(integers_.name(kLargest, parts), weights, std::span(&numbers, 1))[0];
}

/// A variable per rank, named by that and by what names the choice.
void SoftDomain::largest_one_by_one(const std::vector<uint64_t>& choice, int64_t length, int64_t k,
                                    Word* indices) const {
  std::vector<int64_t> rows(static_cast<size_t>(length));
  std::iota(rows.begin(), rows.end(), 0);
  for (int64_t rank = 0; rank < k; ++rank) {
    std::vector<uint64_t> parts = choice;
    parts.push_back(static_cast<uint64_t>(rank));
    indices[rank] = integers_.variable(integers_.name(kLargestAlone, parts), rows);
  }
}

/// One variable over ordered choices; its weights are products of those of one pick after another, so that the first
/// index is that of argmax. Where these are too many each index is a variable of its own: indices then may be equal,
/// too, which no order makes them, and programs that are equal for these as well are equal.
void SoftDomain::largest_of_row(DType dtype, int64_t length, int64_t k, const std::byte* row, Word* indices) const {
  const std::vector<std::byte> differences = row_differences(dtype, length, row);
  const size_t residues = integers_.weight_residues();
  std::vector<uint64_t> parts{static_cast<uint64_t>(k)};
  for (int64_t i = 0; i < length; ++i) {
    const std::vector<uint64_t> element = residues_of(length, differences.data(), i);
    parts.insert(parts.end(), element.begin(), element.begin() + static_cast<std::ptrdiff_t>(lanes()));
  }
  const std::vector<std::vector<int64_t>> choices = ordered_choices(length, k, SoftIntegers::kMostCounts);
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
        weight = integers_.field(r).multiply(weight, known[rank].second[place * residues + r]);
      }
      numbers[rank].push_back(choices[c][rank]);
      left.erase(at);
    }
  }
  const std::vector<Word> words_of_ranks = integers_.variables(integers_.name(kLargest, parts), weights, numbers);
  std::copy(words_of_ranks.begin(), words_of_ranks.end(), indices);
}

/// The maximum of a row as one element: of one element after another, as reductions have it; of long rows by halves,
/// since the sets that maxima are would have n^2/2 elements otherwise.
std::vector<std::byte> SoftDomain::maximum_of_row(DType dtype, int64_t length, const std::byte* row) const {
  constexpr int64_t kLong = 256;
  std::vector<std::vector<std::byte>> parts;
  for (int64_t i = 0; i < length; ++i) parts.push_back(floats_.element(dtype, length, row, i));
  const auto larger = [&](std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    ring_->extreme(Extreme::maximum, dtype, 1, x.data(), y.data(), x.data());
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
std::vector<std::byte> SoftDomain::picked_of_row(DType dtype, int64_t length, const std::byte* row, Word index) const {
  std::vector<std::byte> total;
  for (int64_t i = 0; i < length; ++i) {
    const Word is = integers_.compare(Direction::eq, DType::i32, index, integers_.number(i));
    std::vector<std::byte> term = floats_.element(dtype, length, row, i), weight(term.size());
    put_mean(is, dtype, 1, 0, weight.data());
    ring_->binary(BinaryOp::multiply, dtype, 1, weight.data(), term.data(), term.data());
    if (total.empty()) {
      total = std::move(term);
    } else {
      ring_->accumulate(dtype, 1, total.data(), term.data());
    }
  }
  return total;
}

/// Of floats the first is the maximum, as a reduction has it, and the others are sums over the row.
void SoftDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                         std::byte* indices) const {
  if (!is_float(dtype)) return largest_integers(dtype, rows, length, k, x, values, indices);
  const Storage storage = ring_->storage(dtype);
  const size_t width = storage.element_bytes, all = static_cast<size_t>(rows * k);
  no_tables(dtype, rows * k, values);
  for (int64_t r = 0; r < rows && k != 0; ++r) {
    std::vector<std::byte> row(static_cast<size_t>(length) * width * storage.planes);
    for (size_t p = 0; p < storage.planes; ++p) {
      const std::byte* from =
          x + (p * static_cast<size_t>(rows) + static_cast<size_t>(r)) * static_cast<size_t>(length) * width;
      std::memcpy(row.data() + p * static_cast<size_t>(length) * width, from, static_cast<size_t>(length) * width);
    }
    Word* const picked = words(indices) + r * k;
    const std::vector<std::byte> maximum = maximum_of_row(dtype, length, row.data());
    const std::vector<std::byte> ordered = options_.ordered ? ordered_row(dtype, length, row) : row;
    if (length == 1) {
      picked[0] = integers_.number(0);
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

/// Of integers that depend on inputs nothing is said.
void SoftDomain::largest_integers(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                                  std::byte* values, std::byte* indices) const {
  std::vector<std::byte> machine(static_cast<size_t>(rows * length) * info(dtype).bytes);
  to_machine(dtype, rows * length, x, machine.data());
  std::vector<int32_t> found(static_cast<size_t>(rows * k));
  integer::top_k(dtype, rows, length, k, machine.data(), found.data());
  for (int64_t i = 0; i < rows * k; ++i) {
    const int64_t at = found[static_cast<size_t>(i)];
    words(values)[i] = words(x)[i / k * length + at];
    words(indices)[i] = integers_.number(at);
  }
}

void SoftDomain::fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::array<Word, 2> both{words(keys)[i], words(data)[i]};
    if (are_known(dtype, 1, keys + i * 8) && are_known(dtype, 1, data + i * 8)) {
      const auto key = static_cast<uint64_t>(integers_.value(both[0]));
      const uint64_t folded = threefry::fold_in(key, static_cast<uint32_t>(integers_.value(both[1])));
      words(out)[i] = integers_.number(static_cast<int64_t>(folded));
    } else {
      words(out)[i] = integers_.opaque(integers_.name_applied(kFoldIn, both));
    }
  }
}

/// Of the original layout, keys are the bits of twice as many numbers (jax.random.split).
void SoftDomain::split_key(const RngSplit& op, const std::byte* key, std::byte* out) const {
  const Word whole = *words(key);
  for (int64_t i = 0; i < op.n; ++i) {
    if (integers_.is_known(whole)) {
      const auto number = static_cast<uint64_t>(integers_.value(whole));
      words(out)[i] = integers_.number(static_cast<int64_t>(threefry::split(number, i, op.n, op.key_layout)));
    } else if (op.key_layout == KeyLayout::original) {
      const BitsOf bits{whole, 2 * op.n, op.key_layout};
      words(out)[i] = key_of_words(bits_at(bits, 2 * i), bits_at(bits, 2 * i + 1));
    } else {
      const std::array<Word, 4> parts{whole, integers_.number(i), integers_.number(op.n),
                                      integers_.number(static_cast<int64_t>(op.key_layout))};
      words(out)[i] = integers_.opaque(integers_.name_applied(kSplit, parts));
    }
  }
}

/// An opaque function of key and place.
SoftDomain::Word SoftDomain::bits_at(const BitsOf& bits, int64_t place) const {
  const std::array<Word, 4> parts{bits.key, integers_.number(place), integers_.number(bits.count),
                                  integers_.number(static_cast<int64_t>(bits.layout))};
  return integers_.opaque(integers_.name_applied(kRandomBits, parts));
}

void SoftDomain::random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const {
  const Shape &shape = block.op.shape, &whole = block.op.whole();
  const Word word = *words(key);
  const int64_t n = element_count(shape);
  if (integers_.is_known(word)) {
    const auto number = static_cast<uint64_t>(integers_.value(word));
    std::vector<std::byte> bits(static_cast<size_t>(n) * sizeof(uint32_t));
    IntegerDomain::random_bits(block, reinterpret_cast<const std::byte*>(&number), bits.data());
    return from_machine(DType::u32, n, bits.data(), out);
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d], stride *= whole[d]) {
      place += (block.start[d] + rest % shape[d]) * stride;
    }
    words(out)[i] = bits_at({word, element_count(whole), block.op.key_layout}, place);
  }
}

SoftDomain::Word SoftDomain::key_of_words(Word first, Word second) const {
  if (integers_.is_known(first) && integers_.is_known(second)) {
    const auto low = static_cast<uint64_t>(integers_.value(first)),
               high = static_cast<uint64_t>(integers_.value(second));
    return integers_.number(static_cast<int64_t>(high << 32 | low));
  }
  const std::array<Word, 2> both{first, second};
  const std::lock_guard lock(keys_mutex_);
  const auto known = keys_.find(both);
  if (known != keys_.end()) return known->second;
  const Word key = integers_.opaque(integers_.name_applied(kWhole, both));
  keys_.emplace(both, key);
  key_words_.emplace(key, both);
  return key;
}

std::array<SoftDomain::Word, 2> SoftDomain::words_of_key(Word key) const {
  if (integers_.is_known(key)) {
    const auto bits = static_cast<uint64_t>(integers_.value(key));
    return {integers_.number(static_cast<uint32_t>(bits)), integers_.number(static_cast<uint32_t>(bits >> 32))};
  }
  const std::lock_guard lock(keys_mutex_);
  const auto known = key_words_.find(key);
  if (known != key_words_.end()) return known->second;
  std::array<Word, 2> halves{};
  for (int64_t half = 0; half < 2; ++half) {
    const std::array<Word, 2> parts{key, integers_.number(half)};
    halves[static_cast<size_t>(half)] = integers_.opaque(integers_.name_applied(kHalf, parts));
  }
  keys_.emplace(halves, key);
  key_words_.emplace(key, halves);
  return halves;
}

void SoftDomain::keys_to_words(int64_t n, const std::byte* keys, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::array<Word, 2> halves = words_of_key(words(keys)[i]);
    std::copy(halves.begin(), halves.end(), words(out) + 2 * i);
  }
}

void SoftDomain::words_to_keys(int64_t n, const std::byte* halves, std::byte* keys) const {
  for (int64_t i = 0; i < n; ++i) words(keys)[i] = key_of_words(words(halves)[2 * i], words(halves)[2 * i + 1]);
}

}  // namespace isoshard::sim

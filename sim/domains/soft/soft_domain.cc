// Where soft integers meet floats (docs/spec/verdict.md, "Integers"). A lookup is the sum over all rows of the weight
// of the row's index times the row, a select y + weight (x - y), a comparison of floats a predicate whose weight is the
// ring's element for it. What two words are worth, and not the words, tells them apart in outputs, since a count may
// have two forms. Elements whose integers are all known go through the inner ring unchanged. Cost: rows times the
// ring's op where an index is soft, up to 1024 rows where it is opaque.
#include "sim/domains/soft/soft_domain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/domains/soft/tables/soft_largest.h"
#include "sim/integers/integer_order.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

constexpr int64_t kMostOpaqueRows = 1024;
constexpr int64_t kMostRanked = int64_t{1} << 18;  ///< elements times ranks

}  // namespace

SoftDomain::SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options)
    : SoftFloatDomain(std::move(ring), seed, std::move(options)),
      rows_(arrays_, options_),
      maxima_(arrays_, order_, options_),
      integer_odds_(integers_, options_.most_places) {}

std::string SoftDomain::undecided() const {
  const std::string own = integers_.undecided();
  return own.empty() ? ring_->undecided() : own;
}

/// What two words are worth tells them apart: a count may have two forms.
void SoftDomain::make_comparable(std::span<Value* const> values) const {
  if (values.empty()) return;
  if (is_float(values[0]->type.dtype)) {
    ring_->make_comparable(values);
    for (Value* value : values) *value = arrays_.without_tables(*value);
    return;
  }
  for (Value* value : values) {
    NewValue result(value->type, value->storage);
    for (int64_t i = 0; i < value->size(); ++i) {
      const std::array<Word, 1> word{value->plane<Word>(0)[static_cast<size_t>(i)]};
      result.elements<Word>()[i] = integers_.name_applied(kInput, word).first;
    }
    *value = std::move(result).finish();
  }
}

Value SoftDomain::opaque_identity(const Value& x) const { return arrays_.without_tables(ring_->opaque_identity(x)); }

void SoftDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  if (dtype != DType::pred) {
    ring_->poison(dtype, seed, n, out);
    return arrays_.no_tables(dtype, n, out);
  }
  for (int64_t i = 0; i < n; ++i) {
    const std::array<uint64_t, 2> parts{seed, static_cast<uint64_t>(i)};
    const std::array<int64_t, 2> both{0, 1};
    words(out)[i] = integers_.variable(integers_.name(kInput, parts), both);
  }
}

/// The numbers of known elements, of others what they are worth, as i64[n].
Tensor SoftDomain::to_tensor(const Value& value) const {
  if (is_float(value.type.dtype)) {  // whose planes come first, those of tables and numbers behind them
    return ring_->to_tensor(Value{value.type, ring_->storage(value.type.dtype), value.data});
  }
  std::vector<int64_t> numbers;
  std::vector<uint64_t> mean(integers_.residues());
  for (const Word word : value.plane<Word>(0)) {
    integers_.collapse(word, mean);
    numbers.push_back(integers_.is_known(word) ? integers_.value(word) : static_cast<int64_t>(mean[0]));
  }
  return Tensor::from_bytes(DType::i64, value.type.shape, std::as_bytes(std::span(numbers)));
}

void SoftDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) arrays_.put_float(words(predicate)[i], dtype, n, i, out);
}

/// Predicates whose weights are these elements of the ring.
void SoftDomain::put_predicates(int64_t n, const std::byte* elements, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<uint64_t> weight = arrays_.residues_of(n, elements, i);
    const bool zero = std::all_of(weight.begin(), weight.end(), [](uint64_t w) { return w == 0; });
    const bool one = std::all_of(weight.begin(), weight.end(), [](uint64_t w) { return w == 1; });
    words(out)[i] = zero || one ? integers_.number(one ? 1 : 0) : integers_.predicate(weight);
  }
}

void SoftDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const Storage storage = ring_->storage(DType::pred);
  std::vector<std::byte> elements(storage.element_bytes * storage.planes * static_cast<size_t>(n));
  ring_->finite(dtype, n, x, elements.data());
  put_predicates(n, elements.data(), out);
}

void SoftDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  const Storage storage = ring_->storage(DType::pred);
  std::vector<std::byte> predicates(storage.element_bytes * storage.planes * static_cast<size_t>(n));
  ring_->compare(direction, dtype, n, x, y, predicates.data());
  put_predicates(n, predicates.data(), out);
  const std::vector<SoftNumbers::Id> a = arrays_.numbers(dtype, n, x), b = arrays_.numbers(dtype, n, y);
  for (size_t i = 0; i < a.size() && !b.empty(); ++i) {
    words(out)[i] = arrays_.known().compare(direction, a[i], b[i]).value_or(words(out)[i]);
  }
  if (cells_.cut()) cells_.compare(direction, {dtype, n, x, y, Extreme::maximum}, words(out));
}

bool SoftDomain::has_row_weights(DType dtype, const std::byte* element, int64_t rows) const {
  const bool weighed = integers_.is_opaque_integer(*words(element)) && rows <= kMostOpaqueRows;
  return weighed || !possible(dtype, element).empty();
}

void SoftDomain::row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                             std::byte* weights) const {
  rows_.weights(dtype, n, words(x), {rows, clamp}, to, weights);
}

/// Entry by entry of the joint table of the predicate and both sides, where that is small.
void SoftDomain::choose_by_parts(const Choice& c, std::byte* out) const {
  const std::optional<SoftIntegers::Partition> of_word = integers_.partition_of(c.predicate),
                                               of_both = arrays_.joint(c.tables, SoftIntegers::kMostCounts);
  const std::optional<SoftIntegers::Partition> over =
      of_word && of_both ? integers_.joint(*of_word, *of_both) : std::nullopt;
  const size_t entries = over ? integers_.parts(*over) : 0;
  if (!over || entries > arrays_.most_parts(*over)) return;
  // What floats choose mostly goes through functions, through which linear tables do not.
  if (integers_.limits().are_linear() && integers_.is_of_floats(*of_word)) return;
  std::vector<std::byte> elements = arrays_.spread(c.tables[0], c.dtype, c.n, c.x, c.i, *over);
  const std::vector<std::byte> other = arrays_.spread(c.tables[1], c.dtype, c.n, c.y, c.i, *over);
  const std::vector<int64_t> holds = integers_.numbers(c.predicate, *over);
  for (size_t e = 0; e < entries; ++e) {
    if (holds[e] != 0) continue;
    const auto at = static_cast<int64_t>(e), count = static_cast<int64_t>(entries);
    arrays_.floats().move(c.dtype, count, other.data(), at, count, at, elements.data());
  }
  arrays_.keep(std::move(elements), *over, c.dtype, c.n, c.i, out);
}

/// What is known of an element that the ring has chosen.
void SoftDomain::put_choice(const Choice& c, std::byte* out) const {
  SoftNumbers& known = arrays_.known();
  const SoftNumbers::Id number = known.choose(c.predicate, c.numbers[0], c.numbers[1]);
  if (integers_.is_known(c.predicate)) {
    arrays_.set_table(c.tables[integers_.value(c.predicate) != 0 ? 0 : 1], c.dtype, c.n, c.i, out);
    arrays_.set_number(number, c.dtype, c.n, c.i, out);
    return;
  }
  arrays_.set_number(number, c.dtype, c.n, c.i, out);
  const bool varies = number != 0 && !(known.is_single(c.numbers[0]) && known.is_single(c.numbers[1]));
  // Of two constants the ring's own is the mean, too.
  if (varies && numbers_.put_number(number, c.dtype, c.n, c.i, out)) return;
  if (options_.tabled && !integers_.is_opaque_integer(c.predicate)) choose_by_parts(c, out);
}

/// Where a predicate is soft, the ring's element is y + weight (x - y).
void SoftDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  if (dtype == DType::pred) return integer_select(DType::i32, n, predicate, x, y, out);
  std::vector<std::byte> weights(ring_->storage(DType::pred).element_bytes * ring_->storage(DType::pred).planes *
                                 static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) arrays_.put_mean(words(predicate)[i], dtype, n, i, weights.data());
  const std::vector<SoftFloats::Id> a = arrays_.tables(dtype, n, x), b = arrays_.tables(dtype, n, y);
  const std::vector<SoftNumbers::Id> of_x = arrays_.numbers(dtype, n, x), of_y = arrays_.numbers(dtype, n, y);
  const size_t bytes = arrays_.floats().element_bytes(dtype) * static_cast<size_t>(n);
  const std::vector<std::byte> left(x, x + bytes), right(y, y + bytes);  // out may be an operand
  ring_->select(dtype, n, weights.data(), left.data(), right.data(), out);
  arrays_.no_tables(dtype, n, out);
  const auto id = [](const std::vector<uint32_t>& ids, int64_t i) {
    return ids.empty() ? 0 : ids[static_cast<size_t>(i)];
  };
  for (int64_t i = 0; i < n; ++i) {
    put_choice(
        {dtype, n, i, words(predicate)[i], left.data(), right.data(), {id(a, i), id(b, i)}, {id(of_x, i), id(of_y, i)}},
        out);
  }
}

/// A u64 from 2^63 on is a negative word, which is another number as a float.
void SoftDomain::integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(x)[i];
    if (from == DType::u64 && !integers_.is_opaque_integer(word) && integers_.range(word).low < 0) {
      integers_.note_undecided("a float made of a u64 that may be 2^63 or more");
    }
    arrays_.put_float(word, to, n, i, out);
  }
}

void SoftDomain::floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<SoftNumbers::Id> ids = arrays_.numbers(from, n, x);
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<Word> known =
        ids.empty() ? std::nullopt : arrays_.known().truncated(from, ids[static_cast<size_t>(i)], to);
    words(out)[i] = known ? *known : numbers_.integer_of(from, to, n, x, i);
  }
}

void SoftDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                         std::byte* indices) const {
  if (!is_float(dtype)) return largest_integers(dtype, rows, length, k, x, values, indices);
  maxima_.largest(dtype, rows, length, k, x, values, words(indices));
}

/// Long rows of which nothing is known end the answer, as a machine's numbers of them do.
void SoftDomain::largest_integers(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                                  std::byte* values, std::byte* indices) const {
  if (k == 0) return;
  const bool soft = !are_known(dtype, rows * length, x) && length * k <= kMostRanked / rows;
  if (!soft) return known_largest(dtype, rows, length, k, x, values, indices);
  for (int64_t r = 0; r < rows; ++r) {
    const std::span<const Word> row(words(x) + r * length, static_cast<size_t>(length));
    const bool by_odds = k == 1 && length > 1 && options_.most_places > 0;
    const std::vector<SoftRanked> best =
        by_odds ? std::vector{largest_integer_by_odds(integers_, integer_odds_, dtype, row)}
                : largest_integers_of(integers_, dtype, row, static_cast<size_t>(k));
    for (int64_t rank = 0; rank < k; ++rank) {
      words(values)[r * k + rank] = best[static_cast<size_t>(rank)].value;
      words(indices)[r * k + rank] = best[static_cast<size_t>(rank)].place;
    }
  }
}

void SoftDomain::known_largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
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

}  // namespace isoshard::sim

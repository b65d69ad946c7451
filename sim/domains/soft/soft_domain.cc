// Arrays of soft integers, element by element, and where they meet floats.
#include "sim/domains/soft/soft_domain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/domains/reduce_offsets.h"
#include "sim/integer_ops.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

/// What names are of, besides the functions of SoftIntegers.
enum SoftSource : uint64_t { kInput = uint64_t{1} << 32, kPadding };

constexpr DType kBits = DType::i64;  ///< in which predicates are calculated
constexpr int64_t kMostOpaqueRows = 1024;
constexpr int64_t kLeastLarge = int64_t{1} << 24;  ///< below all primes of rings

}  // namespace

SoftDomain::SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options)
    : ring_(std::move(ring)),
      integers_(ring_->residue_fields(), seed, options.weights),
      floats_(*ring_, integers_),
      odds_(integers_, options.most_places),
      numbers_(integers_),
      cells_(integers_, options.cuts),
      options_(std::move(options)) {}

std::string SoftDomain::undecided() const {
  const std::string own = integers_.undecided();
  return own.empty() ? ring_->undecided() : own;
}

void SoftDomain::inputs(std::string_view name, uint64_t step, int64_t n, const ValuesOf& values_of,
                        std::byte* out) const {
  std::vector<uint64_t> parts(3 + name.size());
  std::copy(name.begin(), name.end(), parts.begin() + 3);
  parts[0] = step;
  parts[1] = name.size();
  for (int64_t i = 0; i < n; ++i) {
    parts[2] = static_cast<uint64_t>(i);
    const SoftName named = integers_.name(kInput, parts);
    const std::span<const int64_t> values = values_of(i);
    words(out)[i] = values.empty()       ? integers_.opaque(named)
                    : values.size() == 1 ? integers_.number(values[0])
                                         : integers_.variable(named, values);
  }
}

std::vector<uint64_t> SoftDomain::residues_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues(integers_.residues());
  ring_->read_residues(n, x, i, residues);
  return residues;
}

Storage SoftDomain::storage(DType dtype) const {
  if (dtype == DType::pred) return {sizeof(Word), 1};
  const Storage storage = ring_->storage(dtype);
  return {storage.element_bytes, storage.planes + 2};
}

Storage SoftDomain::integer_storage(DType) const { return {sizeof(Word), 1}; }

/// What two words are worth tells them apart: a count may have two forms.
void SoftDomain::make_comparable(std::span<Value* const> values) const {
  if (values.empty()) return;
  if (is_float(values[0]->type.dtype)) {
    ring_->make_comparable(values);
    for (Value* value : values) *value = without_tables(*value);
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

Value SoftDomain::without_tables(const Value& x) const {
  NewValue result(x.type, x.storage);
  if (result.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), result.bytes());
  no_tables(x.type.dtype, x.size(), result.data.get());
  return std::move(result).finish();
}

Value SoftDomain::opaque_identity(const Value& x) const { return without_tables(ring_->opaque_identity(x)); }

void SoftDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  if (dtype != DType::pred) {
    ring_->poison(dtype, seed, n, out);
    return no_tables(dtype, n, out);
  }
  for (int64_t i = 0; i < n; ++i) {
    const std::array<uint64_t, 2> parts{seed, static_cast<uint64_t>(i)};
    const std::array<int64_t, 2> both{0, 1};
    words(out)[i] = integers_.variable(integers_.name(kInput, parts), both);
  }
}

/// Each is any of the numbers that stand for all of its dtype; where only all of them do, an opaque integer.
void SoftDomain::integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const {
  if (dtype == DType::key) return IntegerDomain::integer_padding(dtype, padding, n, out);
  const auto numbers = padding_numbers().of_globals.find(padding.global);
  const bool opaque = numbers == padding_numbers().of_globals.end();
  for (int64_t i = 0; i < n; ++i) {
    const std::array<uint64_t, 2> parts{padding.seed, static_cast<uint64_t>(i)};
    const SoftName name = integers_.name(kPadding, parts);
    words(out)[i] = opaque ? integers_.opaque(name) : integers_.variable(name, numbers->second);
  }
}

/// The numbers of known elements, of others what they are worth, as i64[n].
Tensor SoftDomain::to_tensor(const Value& value) const {
  if (is_float(value.type.dtype)) return ring_->to_tensor(value);
  std::vector<int64_t> numbers;
  std::vector<uint64_t> mean(integers_.residues());
  for (const Word word : value.plane<Word>(0)) {
    integers_.collapse(word, mean);
    numbers.push_back(integers_.is_known(word) ? integers_.value(word) : static_cast<int64_t>(mean[0]));
  }
  return Tensor::from_bytes(DType::i64, value.type.shape, std::as_bytes(std::span(numbers)));
}

void SoftDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.number(x[i] != 0 ? 1 : 0);
}

void SoftDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(predicate)[i];
    if (!integers_.is_known(word)) integers_.note_undecided("a predicate that depends on inputs, as a byte");
    out[i] = integers_.is_known(word) && integers_.value(word) != 0 ? 1 : 0;
  }
}

/// A number that is a multiple of the prime would be 0 as a float.
void SoftDomain::note_large(Word word) const {
  if (SoftIntegers::is_small(word) && static_cast<int64_t>(word) >> 1 < kLeastLarge &&
      static_cast<int64_t>(word) >> 1 > -kLeastLarge) {
    return;
  }
  if (integers_.is_opaque_integer(word)) return;
  const SoftRange range = integers_.range(word);
  if (range.low <= -kLeastLarge || range.high >= kLeastLarge) {
    integers_.note_undecided("a float made of an integer that may be as large as the ring's prime");
  }
}

/// A word as a float of the ring.
void SoftDomain::put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  note_large(word);
  if (!integers_.is_known(word)) {
    std::vector<uint64_t> mean(integers_.residues());
    integers_.collapse(word, mean);
    return ring_->write_residues(n, i, mean, out);
  }
  std::vector<std::byte> element(floats_.element_bytes(dtype));
  const int64_t number = integers_.value(word);
  ring_->from_integers(dtype, 1, &number, element.data());
  floats_.move(dtype, 1, element.data(), 0, n, i, out);
}

void SoftDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) put_float(words(predicate)[i], dtype, n, i, out);
}

void SoftDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  const Storage storage = ring_->storage(DType::pred);
  std::vector<std::byte> predicates(storage.element_bytes * storage.planes * static_cast<size_t>(n));
  ring_->compare(direction, dtype, n, x, y, predicates.data());
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<uint64_t> weight = residues_of(n, predicates.data(), i);
    const bool zero = std::all_of(weight.begin(), weight.end(), [](uint64_t w) { return w == 0; });
    const bool one = std::all_of(weight.begin(), weight.end(), [](uint64_t w) { return w == 1; });
    words(out)[i] = zero || one ? integers_.number(one ? 1 : 0) : integers_.predicate(weight);
  }
  const std::vector<SoftNumbers::Id> a = numbers(dtype, n, x), b = numbers(dtype, n, y);
  for (size_t i = 0; i < a.size() && !b.empty(); ++i) {
    words(out)[i] = numbers_.compare(direction, a[i], b[i]).value_or(words(out)[i]);
  }
  if (cells_.cut()) compare_in_cells(direction, {dtype, n, x, y, Extreme::maximum}, out);
}

void SoftDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const Word one = integers_.number(1);
  for (int64_t i = 0; i < n; ++i) {
    const Word a = words(x)[i];
    words(out)[i] = op == Logic::negation      ? integers_.apply(IntegerOp::subtract, kBits, one, a)
                    : op == Logic::conjunction ? integers_.apply(IntegerOp::multiply, kBits, a, words(y)[i])
                                               : integers_.apply(IntegerOp::maximum, kBits, a, words(y)[i]);
  }
}

void SoftDomain::from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    int64_t number = 0;
    if (dtype == DType::key) {
      std::memcpy(&number, x + static_cast<size_t>(i) * sizeof number, sizeof number);
    } else {
      integer::widen(dtype, 1, x + static_cast<size_t>(i) * info(dtype).bytes, &number);
    }
    words(out)[i] = integers_.number(number);
  }
}

void SoftDomain::to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(x)[i];
    if (!integers_.is_known(word)) integers_.note_undecided("a use that needs to know an integer");
    const int64_t number = integers_.is_known(word) ? integers_.value(word) : 0;
    std::memcpy(out + static_cast<size_t>(i) * info(dtype).bytes, &number, info(dtype).bytes);  // little-endian
  }
}

bool SoftDomain::are_known(DType, int64_t n, const std::byte* x) const {
  return std::all_of(words(x), words(x) + n, [&](Word word) { return integers_.is_known(word); });
}

std::vector<int64_t> SoftDomain::possible(DType, const std::byte* element) const {
  return integers_.possible(*words(element));
}

/// [index = row] as a table over the variables of the index.
void SoftDomain::put_row_table(Word index, const RowOfIndex& which, DType dtype, int64_t n, int64_t i,
                               std::byte* out) const {
  const SoftTables::Variables variables = integers_.variables_of(index);
  if (integers_.entries(variables, SoftIntegers::kMostEntries) > SoftIntegers::kMostEntries) return;
  std::vector<int64_t> is = integers_.dense(index, variables);
  for (int64_t& number : is) {
    if (which.clamp) number = std::clamp<int64_t>(number, 0, which.rows - 1);
    number = number == which.row ? 1 : 0;
  }
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * is.size());
  ring_->from_integers(dtype, std::ssize(is), is.data(), elements.data());
  keep(std::move(elements), variables, dtype, n, i, out);
}

bool SoftDomain::has_row_weights(DType dtype, const std::byte* element, int64_t rows) const {
  const bool weighed = integers_.is_opaque_integer(*words(element)) && rows <= kMostOpaqueRows;
  return weighed || !possible(dtype, element).empty();
}

/// [index = row] of an index of which only the name is known: an opaque predicate.
void SoftDomain::put_opaque_row(Word index, const RowOfIndex& which, DType index_dtype, DType dtype, int64_t n,
                                int64_t i, std::byte* out) const {
  const Direction direction = !which.clamp                  ? Direction::eq
                              : which.rows == 1             ? Direction::none
                              : which.row == 0              ? Direction::le
                              : which.row == which.rows - 1 ? Direction::ge
                                                            : Direction::eq;
  const Word row = integers_.number(which.row);
  put_float(direction == Direction::none ? integers_.number(1) : integers_.compare(direction, index_dtype, index, row),
            dtype, n, i, out);
}

void SoftDomain::row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                             std::byte* weights) const {
  const size_t residues = integers_.residues();
  std::vector<uint64_t> row_sums(static_cast<size_t>(rows) * residues);
  const std::vector<int64_t> zeros(static_cast<size_t>(n * rows), 0);
  ring_->from_integers(to, n * rows, zeros.data(), weights);
  no_tables(to, n * rows, weights);
  for (int64_t i = 0; i < n; ++i) {
    if (integers_.is_opaque_integer(words(x)[i])) {
      for (int64_t row = 0; row < rows; ++row) {
        put_opaque_row(words(x)[i], {row, rows, clamp}, dtype, to, n * rows, i * rows + row, weights);
      }
      continue;
    }
    std::fill(row_sums.begin(), row_sums.end(), 0);
    std::vector<bool> reached(static_cast<size_t>(rows), false);
    integers_.each_value(words(x)[i], [&](int64_t number, std::span<const uint64_t> weight) {
      const int64_t row = clamp ? std::clamp<int64_t>(number, 0, rows - 1) : number;
      if (row < 0 || row >= rows) return;
      reached[static_cast<size_t>(row)] = true;
      for (size_t r = 0; r < residues; ++r) {
        uint64_t& sum = row_sums[static_cast<size_t>(row) * residues + r];
        sum = integers_.field(r).add(sum, weight[r]);
      }
    });
    for (int64_t row = 0; row < rows; ++row) {
      if (!reached[static_cast<size_t>(row)]) continue;
      const auto of_row = std::span<const uint64_t>(row_sums).subspan(static_cast<size_t>(row) * residues, residues);
      const bool one = std::all_of(of_row.begin(), of_row.end(), [](uint64_t w) { return w == 1; });
      if (one) {
        put_mean(integers_.number(1), to, n * rows, i * rows + row, weights);
      } else {
        ring_->write_residues(n * rows, i * rows + row, of_row, weights);
        if (options_.tabled) put_row_table(words(x)[i], {row, rows, clamp}, to, n * rows, i * rows + row, weights);
      }
    }
  }
}

void SoftDomain::integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.apply(op, dtype, words(x)[i], words(y)[i]);
}

void SoftDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                 std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.compare(direction, dtype, words(x)[i], words(y)[i]);
}

void SoftDomain::integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                const std::byte* y, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    words(out)[i] = integers_.choose(words(predicate)[i], dtype, words(x)[i], words(y)[i]);
  }
}

void SoftDomain::integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                             std::byte* out) const {
  for (int64_t i = 0; i < m * n; ++i) {
    Word total = integers_.number(0);
    for (int64_t t = 0; t < k; ++t) {
      const Word term = integers_.apply(IntegerOp::multiply, dtype, words(a)[i / n * k + t], words(b)[t * n + i % n]);
      total = integers_.apply(IntegerOp::add, dtype, total, term);
    }
    words(out)[i] = total;
  }
}

void SoftDomain::integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    Word total = integers_.number(0);
    for (int64_t j = 0; j < plan.count(); ++j) {
      const Word term = words(x)[kept[static_cast<size_t>(i)] + reduced[static_cast<size_t>(j)]];
      total = integers_.apply(IntegerOp::add, dtype, total, term);
    }
    words(out)[i] = total;
  }
}

void SoftDomain::integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.convert(from, to, words(x)[i]);
}

void SoftDomain::predicates_to_integers(DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(words(x), n, words(out));
}

void SoftDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  const Word zero = integers_.number(0);
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.compare(Direction::ne, from, words(x)[i], zero);
}

void SoftDomain::integers_to_floats(DType, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) put_float(words(x)[i], to, n, i, out);
}

void SoftDomain::floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<SoftNumbers::Id> ids = numbers(from, n, x);
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<Word> known = ids.empty() ? std::nullopt : numbers_.truncated(ids[static_cast<size_t>(i)], to);
    words(out)[i] = known ? *known : integer_of(from, to, n, x, i);
  }
}

}  // namespace isoshard::sim

// Where soft integers meet floats (docs/spec/verdict.md, "Integers"). A lookup is the sum over all rows of the weight
// of the row's index times the row, a select y + weight (x - y), a comparison of floats a predicate whose weight is the
// ring's element for it. What two words are worth, and not the words, tells them apart in outputs, since a count may
// have two forms. Elements whose integers are all known go through the inner ring unchanged. Cost: rows times the
// ring's op where an index is soft, up to 1024 rows where it is opaque.
#include "sim/domains/soft/soft_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/integers/integer_order.h"
#include "sim/value/new_value.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {
namespace {

constexpr int64_t kMostOpaqueRows = 1024;

}  // namespace

SoftDomain::SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options)
    : SoftWordDomain(std::move(ring), seed, options.weights),
      options_(std::move(options)),
      arrays_(*ring_, integers_, options_),
      cells_(arrays_, options_.cuts),
      order_(arrays_),
      maxima_(arrays_, order_, options_) {}

std::string SoftDomain::undecided() const {
  const std::string own = integers_.undecided();
  return own.empty() ? ring_->undecided() : own;
}

Storage SoftDomain::storage(DType dtype) const {
  if (dtype == DType::pred) return {sizeof(Word), 1};
  const Storage storage = ring_->storage(dtype);
  return {storage.element_bytes, storage.planes + 2};
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
  if (is_float(value.type.dtype)) return ring_->to_tensor(value);
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
  const size_t residues = integers_.residues();
  std::vector<uint64_t> row_sums(static_cast<size_t>(rows) * residues);
  const std::vector<int64_t> zeros(static_cast<size_t>(n * rows), 0);
  ring_->from_integers(to, n * rows, zeros.data(), weights);
  arrays_.no_tables(to, n * rows, weights);
  for (int64_t i = 0; i < n; ++i) {
    if (integers_.is_opaque_integer(words(x)[i])) {
      for (int64_t row = 0; row < rows; ++row) {
        arrays_.put_opaque_row(words(x)[i], {row, rows, clamp}, dtype, to, n * rows, i * rows + row, weights);
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
        arrays_.put_mean(integers_.number(1), to, n * rows, i * rows + row, weights);
      } else {
        ring_->write_residues(n * rows, i * rows + row, of_row, weights);
        if (options_.tabled)
          arrays_.put_row_table(words(x)[i], {row, rows, clamp}, to, n * rows, i * rows + row, weights);
      }
    }
  }
}

void SoftDomain::integers_to_floats(DType, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) arrays_.put_float(words(x)[i], to, n, i, out);
}

void SoftDomain::floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<SoftNumbers::Id> ids = arrays_.numbers(from, n, x);
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<Word> known =
        ids.empty() ? std::nullopt : arrays_.known().truncated(ids[static_cast<size_t>(i)], to);
    words(out)[i] = known ? *known : arrays_.integer_of(from, to, n, x, i);
  }
}

void SoftDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  arrays_.no_tables(DType::f32, n, out);  // all float dtypes are stored alike
  if (cells_.cut()) cells_.put_cells(n, out);
}

void SoftDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  ring_->from_doubles(dtype, n, x, out);
  arrays_.no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    if (std::isfinite(x[i]))
      arrays_.set_number(arrays_.known().number(RealNumber::exactly(mpq_class(x[i]))), dtype, n, i, out);
  }
}

void SoftDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  ring_->from_integers(dtype, n, x, out);
  arrays_.no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    arrays_.set_number(arrays_.known().number(RealNumber::whole(x[i])), dtype, n, i, out);
  }
}

void SoftDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                         std::byte* indices) const {
  if (!is_float(dtype)) return largest_integers(dtype, rows, length, k, x, values, indices);
  maxima_.largest(dtype, rows, length, k, x, values, words(indices));
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

}  // namespace isoshard::sim

// Lookups in, and sums over, so many rows that a table of each row's weight would be too large: what an index finds is
// one element per number that it may be, and each of its numbers adds to one row.
#include <algorithm>
#include <utility>

#include "sim/domains/soft/soft_domain.h"

namespace isoshard::sim {

/// Each index has one table of at most arrays_.most_parts(), and some have more than row_weights() can take.
bool SoftDomain::has_large_tables(const IndicesOf& indices) const {
  bool large = false;
  for (int64_t i = 0; i < indices.n && options_.tabled; ++i) {
    const Word word = words(indices.elements)[i];
    if (integers_.is_opaque_integer(word)) return false;
    const std::optional<SoftIntegers::Partition> partition = integers_.partition_of(word);
    if (!partition || integers_.parts(*partition) > arrays_.most_parts(*partition)) return false;
    large = large || integers_.parts(*partition) > SoftIntegers::kMostEntries;
  }
  return large;
}

bool SoftDomain::take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const {
  const int64_t rows = indices.rows, columns = indices.columns, n = rows * columns;
  if (!has_large_tables(indices) || !arrays_.tables(dtype, n, x).empty()) return false;
  arrays_.no_tables(dtype, indices.n * columns, out);
  for (int64_t i = 0; i < indices.n; ++i) {
    const Word word = words(indices.elements)[i];
    const SoftIntegers::Partition partition = integers_.partition_of(word).value();
    const std::vector<int64_t> numbers = integers_.numbers(word, partition);
    for (int64_t column = 0; column < columns; ++column) {
      std::vector<std::byte> elements(arrays_.floats().element_bytes(dtype) * numbers.size());
      for (size_t e = 0; e < numbers.size(); ++e) {
        const int64_t row = std::clamp<int64_t>(numbers[e], 0, rows - 1);
        arrays_.floats().move(dtype, n, x, row * columns + column, std::ssize(numbers), static_cast<int64_t>(e),
                              elements.data());
      }
      arrays_.keep(std::move(elements), partition, dtype, indices.n * columns, i * columns + column, out);
    }
  }
  return true;
}

/// Adds [index = row] times x to each row.
void SoftDomain::add_to_rows(Word index, const FloatAt& x, const IndicesOf& indices, int64_t column,
                             std::byte* sum) const {
  const SoftFloats::Id id = arrays_.table_of(x.dtype, x.n, x.x, x.i);
  const SoftIntegers::Partition own = integers_.partition_of(index).value();
  const std::optional<SoftIntegers::Partition> both = integers_.joint(own, arrays_.partition_of(id));
  // Otherwise independent, or a mean that will do.
  const bool joint = both && integers_.parts(*both) <= arrays_.most_parts(*both);
  const SoftIntegers::Partition over = joint ? *both : own;
  const std::vector<int64_t> numbers = integers_.numbers(index, over);
  const auto entries = std::ssize(numbers);
  std::vector<std::byte> terms = arrays_.spread(joint ? id : 0, x.dtype, x.n, x.x, x.i, over);
  ring_->binary(BinaryOp::multiply, x.dtype, entries, arrays_.floats().weights(over, x.dtype).data(), terms.data(),
                terms.data());
  for (int64_t e = 0; e < entries; ++e) {
    const int64_t row = numbers[static_cast<size_t>(e)], place = row * indices.columns + column;
    if (row < 0 || row >= indices.rows) continue;
    std::vector<std::byte> total = arrays_.floats().element(x.dtype, indices.rows * indices.columns, sum, place);
    ring_->accumulate(x.dtype, 1, total.data(), arrays_.floats().element(x.dtype, entries, terms.data(), e).data());
    arrays_.floats().move(x.dtype, 1, total.data(), 0, indices.rows * indices.columns, place, sum);
  }
}

bool SoftDomain::sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const {
  if (!has_large_tables(indices)) return false;
  const int64_t columns = indices.columns, n = indices.n * columns;
  const std::vector<int64_t> zeros(static_cast<size_t>(indices.rows * columns), 0);
  ring_->from_integers(dtype, std::ssize(zeros), zeros.data(), sum);
  arrays_.no_tables(dtype, std::ssize(zeros), sum);
  for (int64_t i = 0; i < n; ++i) {
    add_to_rows(words(indices.elements)[i / columns], {dtype, n, i, x}, indices, i % columns, sum);
  }
  return true;
}

}  // namespace isoshard::sim

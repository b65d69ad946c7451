// What soft indices find in, and add to, the rows of matrices. A row has the weight with which an index is it: the sum
// of the weights of its numbers, and where tables are kept, 0 or 1 for each part of the index; of an index of which
// only the name is known, an opaque predicate. Lookups in, and sums over, so many rows that a table of each row's
// weight would be too large go by numbers instead: what an index finds is one element per number that it may be, and
// each of its numbers adds to one row. Cost: rows, or numbers, per index.
#include "sim/domains/soft/soft_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace isoshard::sim {

/// [index = row] as a table over the parts of the index.
void SoftRows::put_row_table(Word index, const Row& which, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const std::optional<Partition> partition = integers_.partition_of(index);
  if (!partition || integers_.parts(*partition) > integers_.limits().joint) return;
  std::vector<int64_t> is = integers_.numbers(index, *partition);
  for (int64_t& number : is) {
    if (which.rows.clamp) number = std::clamp<int64_t>(number, 0, which.rows.count - 1);
    number = number == which.row ? 1 : 0;
  }
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * is.size());
  ring_.from_integers(dtype, std::ssize(is), is.data(), elements.data());
  arrays_.keep(std::move(elements), *partition, dtype, n, i, out);
}

/// [index = row] of an index of which only the name is known: an opaque predicate.
void SoftRows::put_opaque_row(Word index, const Row& which, DType index_dtype, DType dtype, int64_t n, int64_t i,
                              std::byte* out) const {
  const Direction direction = !which.rows.clamp                   ? Direction::eq
                              : which.rows.count == 1             ? Direction::none
                              : which.row == 0                    ? Direction::le
                              : which.row == which.rows.count - 1 ? Direction::ge
                                                                  : Direction::eq;
  const Word row = integers_.number(which.row);
  arrays_.put_float(
      direction == Direction::none ? integers_.number(1) : integers_.compare(direction, index_dtype, index, row), dtype,
      n, i, out);
}

/// The weight with which the index is each row, per residue, and which rows it may be.
std::vector<uint64_t> SoftRows::sums_of_weights(Word index, const Rows& rows, std::vector<bool>& reached) const {
  const size_t residues = integers_.residues();
  std::vector<uint64_t> sums(static_cast<size_t>(rows.count) * residues);
  integers_.each_value(index, [&](int64_t number, std::span<const uint64_t> weight) {
    const int64_t row = rows.clamp ? std::clamp<int64_t>(number, 0, rows.count - 1) : number;
    if (row < 0 || row >= rows.count) return;
    reached[static_cast<size_t>(row)] = true;
    for (size_t r = 0; r < residues; ++r) {
      uint64_t& sum = sums[static_cast<size_t>(row) * residues + r];
      sum = integers_.field(r).add(sum, weight[r]);
    }
  });
  return sums;
}

/// As elements i, i + 1, ... of n.
void SoftRows::put_weights(Word index, DType index_dtype, const Rows& rows, DType to, int64_t n, int64_t i,
                           std::byte* weights) const {
  if (integers_.is_opaque_integer(index)) {
    for (int64_t row = 0; row < rows.count; ++row) {
      put_opaque_row(index, {row, rows}, index_dtype, to, n, i + row, weights);
    }
    return;
  }
  const size_t residues = integers_.residues();
  std::vector<bool> reached(static_cast<size_t>(rows.count), false);
  const std::vector<uint64_t> sums = sums_of_weights(index, rows, reached);
  for (int64_t row = 0; row < rows.count; ++row) {
    if (!reached[static_cast<size_t>(row)]) continue;
    const auto of_row = std::span<const uint64_t>(sums).subspan(static_cast<size_t>(row) * residues, residues);
    const bool one = std::all_of(of_row.begin(), of_row.end(), [](uint64_t w) { return w == 1; });
    if (one) {
      arrays_.put_mean(integers_.number(1), to, n, i + row, weights);
      continue;
    }
    ring_.write_residues(n, i + row, of_row, weights);
    if (options_.tabled) put_row_table(index, {row, rows}, to, n, i + row, weights);
  }
}

void SoftRows::weights(DType index_dtype, int64_t n, const Word* indices, const Rows& rows, DType to,
                       std::byte* weights) const {
  const std::vector<int64_t> zeros(static_cast<size_t>(n * rows.count), 0);
  ring_.from_integers(to, n * rows.count, zeros.data(), weights);
  arrays_.no_tables(to, n * rows.count, weights);
  for (int64_t i = 0; i < n; ++i) {
    put_weights(indices[i], index_dtype, rows, to, n * rows.count, i * rows.count, weights);
  }
}

/// Each index has one table of at most arrays_.most_parts(), and some have more than row_weights() can take.
bool SoftRows::has_large_tables(const IndicesOf& indices) const {
  bool large = false;
  for (int64_t i = 0; i < indices.n && options_.tabled; ++i) {
    const Word word = words(indices.elements)[i];
    if (integers_.is_opaque_integer(word)) return false;
    const std::optional<Partition> partition = integers_.partition_of(word);
    if (!partition || integers_.parts(*partition) > arrays_.most_parts(*partition)) return false;
    large = large || integers_.parts(*partition) > integers_.limits().joint;
  }
  return large;
}

/// The rows with a table that an index may be.
SoftRows::Reached SoftRows::reached(const Column& column, const std::vector<int64_t>& numbers) const {
  Reached reached;
  for (size_t e = 0; e < numbers.size() && !column.ids.empty(); ++e) {
    const int64_t row = column.row(numbers[e]);
    if (column.id(row) != 0) reached.try_emplace(row, &floats_.at(column.id(row)));
  }
  return reached;
}

/// What an index finds in one column, over the joint parts of the index and the elements that it may be; nothing where
/// these are too many or have no mean.
std::optional<SoftFloat> SoftRows::find_in(const Column& column, const Parts& index) const {
  const Reached rows = reached(column, index.numbers);
  std::vector<SoftFloats::Id> ids;
  for (const auto& [row, table] : rows) ids.push_back(column.id(row));
  const std::optional<Partition> of_rows = arrays_.joint(ids, integers_.limits().joint);
  const std::optional<Partition> over = of_rows ? integers_.joint(index.partition, *of_rows) : std::nullopt;
  if (!over || integers_.parts(*over) > arrays_.most_parts(*over)) return std::nullopt;
  std::map<Partition, std::vector<uint32_t>> places;  // of `over` in those of the rows, most of which are the same
  for (const auto& [row, table] : rows) {
    if (!places.contains(table->partition)) places[table->partition] = integers_.places(table->partition, *over);
  }
  const std::vector<int64_t> finer =
      *over == index.partition ? std::vector<int64_t>() : integers_.numbers(index.word, *over);
  const std::vector<int64_t>& numbers = finer.empty() ? index.numbers : finer;
  const int64_t parts = std::ssize(numbers);
  SoftFloat found{*over, std::vector<std::byte>(floats_.element_bytes(column.dtype) * numbers.size()), parts};
  for (int64_t e = 0; e < parts; ++e) {
    const int64_t row = column.row(numbers[static_cast<size_t>(e)]);
    const auto reached_row = rows.find(row);
    if (reached_row == rows.end()) {
      floats_.move(column.dtype, column.n, column.x, column.place(row), parts, e, found.elements.data());
    } else {
      const SoftFloat& table = *reached_row->second;
      const uint32_t place = places.at(table.partition)[static_cast<size_t>(e)];
      floats_.move(column.dtype, table.parts, table.elements.data(), place, parts, e, found.elements.data());
    }
  }
  return found;
}

/// An index with the number that it is in each part; nothing where it is not known, or has too many.
std::optional<SoftRows::Parts> SoftRows::parts_of(Word index) const {
  if (integers_.is_opaque_integer(index)) return std::nullopt;
  const std::optional<Partition> own = integers_.partition_of(index);
  if (!own || integers_.parts(*own) > arrays_.most_parts(*own)) return std::nullopt;
  return Parts{index, *own, integers_.numbers(index, *own)};
}

/// Of rows with tables this says more than the sum of products with the weights of all rows, which has all their joint
/// parts at once.
bool SoftRows::take(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const {
  const int64_t columns = indices.columns, n = indices.n * columns;
  const std::vector<SoftFloats::Id> ids = arrays_.tables(dtype, indices.rows * columns, x);
  const bool tables = !ids.empty() && options_.tabled && n * indices.rows <= SoftFloats::kMostTerms;
  if (!tables && (!ids.empty() || !has_large_tables(indices))) return false;
  std::vector<SoftFloat> all;
  for (int64_t i = 0; i < indices.n; ++i) {
    const std::optional<Parts> index = parts_of(words(indices.elements)[i]);
    for (int64_t column = 0; column < columns; ++column) {
      const auto found_in = [&](const std::vector<SoftFloats::Id>& tables_of_rows) {
        const Column all_rows{dtype, indices.rows, columns, column, indices.rows * columns, tables_of_rows, x};
        return index ? find_in(all_rows, *index) : std::nullopt;
      };
      std::optional<SoftFloat> found = found_in(ids);
      if (!found && integers_.limits().are_linear()) found = found_in({});  // the means of the rows
      if (!found || !floats_.has_mean(*found)) return false;
      all.push_back(std::move(*found));
    }
  }
  arrays_.no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    SoftFloat& found = all[static_cast<size_t>(i)];
    arrays_.keep(std::move(found.elements), found.partition, dtype, n, i, out);
  }
  return true;
}

/// Adds [index = row] times x to each row.
void SoftRows::add_to_rows(Word index, const FloatAt& x, const IndicesOf& indices, int64_t column,
                           std::byte* sum) const {
  const SoftFloats::Id id = arrays_.table_of(x.dtype, x.n, x.x, x.i);
  const Partition own = integers_.partition_of(index).value();
  const std::optional<Partition> both = integers_.joint(own, arrays_.partition_of(id));
  // Otherwise independent, or a mean that will do.
  const bool joint = both && integers_.parts(*both) <= arrays_.most_parts(*both);
  const Partition over = joint ? *both : own;
  const std::vector<int64_t> numbers = integers_.numbers(index, over);
  const auto entries = std::ssize(numbers);
  std::vector<std::byte> terms = arrays_.spread(joint ? id : 0, x.dtype, x.n, x.x, x.i, over);
  ring_.binary(BinaryOp::multiply, x.dtype, entries, floats_.weights(over, x.dtype).data(), terms.data(), terms.data());
  for (int64_t e = 0; e < entries; ++e) {
    const int64_t row = numbers[static_cast<size_t>(e)], place = row * indices.columns + column;
    if (row < 0 || row >= indices.rows) continue;
    std::vector<std::byte> total = floats_.element(x.dtype, indices.rows * indices.columns, sum, place);
    ring_.accumulate(x.dtype, 1, total.data(), floats_.element(x.dtype, entries, terms.data(), e).data());
    floats_.move(x.dtype, 1, total.data(), 0, indices.rows * indices.columns, place, sum);
  }
}

bool SoftRows::sum(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const {
  if (!has_large_tables(indices)) return false;
  const int64_t columns = indices.columns, n = indices.n * columns;
  const std::vector<int64_t> zeros(static_cast<size_t>(indices.rows * columns), 0);
  ring_.from_integers(dtype, std::ssize(zeros), zeros.data(), sum);
  arrays_.no_tables(dtype, std::ssize(zeros), sum);
  for (int64_t i = 0; i < n; ++i) {
    add_to_rows(words(indices.elements)[i / columns], {dtype, n, i, x}, indices, i % columns, sum);
  }
  return true;
}

}  // namespace isoshard::sim

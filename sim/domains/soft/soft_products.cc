// Products of matrices that have tables. Where both have, an element is a table where that stays small, term by term,
// as it does where few terms are left in each case (a token has one slot); otherwise its mean is put right. Where one
// has, results keep tables along its rows or columns whose elements have few joint parts, within a budget: these are
// one product of the ring more. Cost: m n k products of tables, where these are at most 65536; parts times those of a
// line.
#include "sim/domains/soft/soft_products.h"

#include <iterator>
#include <utility>

namespace isoshard::sim {

SoftFloat SoftProducts::table_at(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  return id != 0 ? floats_.at(id) : SoftFloat{SoftPartitions::kWhole, floats_.element(dtype, n, x, i), 1};
}

/// Part by part; nothing where there are more than `most`.
std::optional<SoftFloat> SoftProducts::combined(BinaryOp op, DType dtype, const SoftFloat& x, const SoftFloat& y,
                                                size_t most) const {
  const std::optional<SoftIntegers::Partition> over = integers_.joint(x.partition, y.partition);
  if (!over || integers_.parts(*over) > most) return std::nullopt;
  SoftFloat result{*over, floats_.spread(&x, {}, *over, dtype), static_cast<int64_t>(integers_.parts(*over))};
  const std::vector<std::byte> other = floats_.spread(&y, {}, *over, dtype);
  ring_.binary(op, dtype, result.parts, result.elements.data(), other.data(), result.elements.data());
  return floats_.merged(std::move(result), dtype);
}

std::optional<SoftFloat> SoftProducts::small_product(const SoftMatrices& p, int64_t i, int64_t j) const {
  const auto [m, n, k] = p.sizes;
  std::optional<SoftFloat> total;
  for (int64_t t = 0; t < k; ++t) {
    const int64_t of_a = i * k + t, of_b = t * n + j;
    const SoftFloat x = table_at(p.left[static_cast<size_t>(of_a)], p.dtype, m * k, p.a, of_a);
    const SoftFloat y = table_at(p.right[static_cast<size_t>(of_b)], p.dtype, k * n, p.b, of_b);
    std::optional<SoftFloat> term = combined(BinaryOp::multiply, p.dtype, x, y, integers_.limits().everywhere);
    if (!term) return std::nullopt;
    total = total ? combined(BinaryOp::add, p.dtype, *total, *term, integers_.limits().everywhere) : std::move(term);
    if (!total) return std::nullopt;
  }
  return total;
}

/// The mean of a product of two tables over the same variables is not the product of their means.
void SoftProducts::correct_mean(const SoftMatrices& p, int64_t i, int64_t j, std::byte* out) const {
  const auto [m, n, k] = p.sizes;
  std::vector<std::byte> total = floats_.element(p.dtype, m * n, out, i * n + j);
  for (int64_t t = 0; t < k; ++t) {
    const int64_t of_a = i * k + t, of_b = t * n + j;
    const SoftFloats::Id ids[] = {p.left[static_cast<size_t>(of_a)], p.right[static_cast<size_t>(of_b)]};
    if (ids[0] == 0 || ids[1] == 0) continue;
    const SoftFloat &x = floats_.at(ids[0]), &y = floats_.at(ids[1]);
    const std::optional<SoftIntegers::Partition> over = integers_.joint(x.partition, y.partition);
    const size_t own = integers_.variables(x.partition).size() + integers_.variables(y.partition).size();
    if (!over || integers_.variables(*over).size() == own) continue;  // independent: right as it is
    const std::optional<SoftFloat> product = combined(BinaryOp::multiply, p.dtype, x, y, integers_.limits().joint);
    const std::optional<std::vector<std::byte>> mean = product ? floats_.mean(*product, p.dtype) : std::nullopt;
    if (!mean) continue;
    std::vector<std::byte> means = floats_.element(p.dtype, m * k, p.a, of_a);
    const std::vector<std::byte> second = floats_.element(p.dtype, k * n, p.b, of_b);
    ring_.binary(BinaryOp::multiply, p.dtype, 1, means.data(), second.data(), means.data());
    ring_.binary(BinaryOp::subtract, p.dtype, 1, mean->data(), means.data(), means.data());
    ring_.accumulate(p.dtype, 1, total.data(), means.data());
  }
  floats_.move(p.dtype, 1, total.data(), 0, m * n, i * n + j, out);
}

void SoftProducts::multiply_both(const SoftMatrices& p, std::byte* out) const {
  const auto [m, n, k] = p.sizes;
  if (m * n * k > SoftFloats::kMostTerms) return;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      std::optional<SoftFloat> table = small_product(p, i, j);
      if (table) {
        arrays_.keep(std::move(table->elements), table->partition, p.dtype, m * n, i * n + j, out);
      } else {
        correct_mean(p, i, j, out);
      }
    }
  }
}

/// The elements of a line, per part of a partition, as rows or columns of a matrix.
std::vector<std::byte> SoftProducts::spread_line(const SoftMatrices& p, int64_t line,
                                                 SoftIntegers::Partition over) const {
  const int64_t k = p.sizes.k, parts = static_cast<int64_t>(integers_.parts(over));
  const std::vector<SoftFloats::Id>& ids = p.soft();
  std::vector<std::byte> matrix(floats_.element_bytes(p.dtype) * static_cast<size_t>(parts * k));
  for (int64_t t = 0; t < k; ++t) {
    const int64_t at = p.place(line, t);
    const std::vector<std::byte> column =
        arrays_.spread(ids[static_cast<size_t>(at)], p.dtype, std::ssize(ids), p.of_rows() ? p.a : p.b, at, over);
    for (int64_t e = 0; e < parts; ++e) {
      floats_.move(p.dtype, parts, column.data(), e, parts * k, p.of_rows() ? e * k + t : t * parts + e, matrix.data());
    }
  }
  return matrix;
}

/// A line of results has the joint parts of one line of the matrix with tables.
void SoftProducts::multiply_line(const SoftMatrices& p, int64_t line, std::byte* out) const {
  const auto [m, n, k] = p.sizes;
  const bool rows = p.of_rows();
  std::vector<SoftFloats::Id> of_line;
  for (int64_t t = 0; t < k; ++t) of_line.push_back(p.soft()[static_cast<size_t>(p.place(line, t))]);
  const std::optional<SoftIntegers::Partition> over = arrays_.joint(of_line, integers_.limits().joint);
  const size_t entries = over ? integers_.parts(*over) : 1;
  const int64_t count = static_cast<int64_t>(entries), others = rows ? n : m;
  const bool cheap = entries <= integers_.limits().everywhere || count * k * others <= SoftFloats::kMostProducts;
  if (entries == 1 || !cheap) return;
  const std::vector<std::byte> matrix = spread_line(p, line, *over);
  const size_t bytes = floats_.element_bytes(p.dtype);
  std::vector<std::byte> result(bytes * entries * static_cast<size_t>(others));
  if (rows) {
    ring_.dot(p.dtype, count, n, k, matrix.data(), p.b, result.data());
  } else {
    ring_.dot(p.dtype, m, count, k, p.a, matrix.data(), result.data());
  }
  for (int64_t j = 0; j < others; ++j) {
    std::vector<std::byte> elements(bytes * entries);
    for (int64_t e = 0; e < count; ++e) {
      floats_.move(p.dtype, count * others, result.data(), rows ? e * others + j : j * count + e, count, e,
                   elements.data());
    }
    arrays_.keep(std::move(elements), *over, p.dtype, m * n, rows ? line * n + j : j * n + line, out);
  }
}

void SoftProducts::multiply(const SoftMatrices& matrices, std::byte* out) const {
  if (!matrices.left.empty() && !matrices.right.empty()) return multiply_both(matrices, out);
  if (matrices.left.empty() && matrices.right.empty()) return;
  const int64_t lines = matrices.of_rows() ? matrices.sizes.m : matrices.sizes.n;
  for (int64_t line = 0; line < lines; ++line) multiply_line(matrices, line, out);
}

}  // namespace isoshard::sim

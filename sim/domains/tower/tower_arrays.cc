// Elementwise operations, sums and matrix products on rung E: plain residues in loops, other elements one by one.
// An element has residues in all levels of its towers and a word that says what else it is: a number, infinite, a
// logarithm. Arrays of plain elements, by far most, are calculated plane by plane with the arithmetic of one field,
// products of matrices in small fields by a vectorised kernel. Other elements go one by one through TowerElements. In
// products that mix both, rows and columns of numbers only are calculated again as numbers, since they must stay such.
// Cost: one pass, or m n k per plane.
#include <algorithm>
#include <vector>

#include "sim/domains/tower/tower_domain.h"
#include "sim/kernels/gemm_modulo.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {
namespace {

/// out[m, n] = a[m, k] . b[k, n]
void multiply_matrices(const PrimeField& field, int64_t m, int64_t n, int64_t k, const uint64_t* a, const uint64_t* b,
                       uint64_t* out) {
  if (field.modulus() >> 30 == 0)
    return gemm_modulo(best_isa(), static_cast<uint32_t>(field.modulus()), m, n, k, a, b, out);
  std::vector<uint64_t> columns(static_cast<size_t>(k * n));
  for (int64_t t = 0; t < k; ++t) {
    for (int64_t j = 0; j < n; ++j) columns[static_cast<size_t>(j * k + t)] = b[t * n + j];
  }
  for (int64_t i = 0; i < m * n; ++i) out[i] = field.dot(k, a + i / n * k, columns.data() + i % n * k);
}

}  // namespace

void TowerDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.apply(op, at(n, x, i)); });
}

void TowerDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const bool residues = op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply;
  if (!residues || !all_plain(n, x) || !all_plain(n, y)) {
    return each(n, out, [&](int64_t i) { return ring_.apply(op, at(n, x, i), at(n, y, i)); });
  }
  for (size_t r = 0; r < ring_.residues(); ++r) {
    const PrimeField& field = ring_.field(r);
    const auto plane = static_cast<int64_t>(r) * n;
    const uint64_t *a = words(x) + plane, *b = words(y) + plane;
    uint64_t* c = words(out) + plane;
    for (int64_t i = 0; i < n; ++i) {
      c[i] = op == BinaryOp::add        ? field.add(a[i], b[i])
             : op == BinaryOp::subtract ? field.subtract(a[i], b[i])
                                        : field.multiply(a[i], b[i]);
    }
  }
  make_plain(n, out);
}

void TowerDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                      std::byte* out) const {
  const auto exactly = [&](int64_t i, int64_t j) {
    Element result = ring_.integer(0);
    for (int64_t t = 0; t < k; ++t)
      result = ring_.sum(result, ring_.product(at(m * k, a, i * k + t), at(k * n, b, t * n + j)));
    return result;
  };
  if (!all_finite_residues(m * k, a) || !all_finite_residues(k * n, b)) {
    return each(m * n, out, [&](int64_t i) { return exactly(i / n, i % n); });
  }
  for (size_t r = 0; r < ring_.residues(); ++r) {
    const auto at_plane = [r](int64_t size) { return static_cast<int64_t>(r) * size; };
    multiply_matrices(ring_.field(r), m, n, k, words(a) + at_plane(m * k), words(b) + at_plane(k * n),
                      words(out) + at_plane(m * n));
  }
  make_plain(m * n, out);
  // Numbers times numbers are numbers.
  const auto number_at = [&](int64_t size, const std::byte* x, int64_t i) {
    return ring_.forms().is_number(forms(size, x)[static_cast<size_t>(i)]);
  };
  std::vector<int64_t> rows, columns;
  const auto all_numbers = [k](const auto& at_index) {
    for (int64_t t = 0; t < k; ++t) {
      if (!at_index(t)) return false;
    }
    return true;
  };
  for (int64_t i = 0; i < m; ++i) {
    if (all_numbers([&](int64_t t) { return number_at(m * k, a, i * k + t); })) rows.push_back(i);
  }
  for (int64_t j = 0; j < n && !rows.empty(); ++j) {
    if (all_numbers([&](int64_t t) { return number_at(k * n, b, t * n + j); })) columns.push_back(j);
  }
  for (const int64_t i : rows) {
    for (const int64_t j : columns) put(exactly(i, j), m * n, i * n + j, out);
  }
}

void TowerDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  const int64_t in = plan.input_size(), n = plan.output_size();
  if (n == 0) return;
  if (in == 0 || !all_plain(in, x)) {
    return each(n, out, [&](int64_t i) {
      Element result = ring_.integer(0);
      for (int64_t j = 0; j < plan.count(); ++j) {
        result = ring_.sum(result, at(in, x, kept[static_cast<size_t>(i)] + reduced[static_cast<size_t>(j)]));
      }
      return result;
    });
  }
  for (size_t r = 0; r < ring_.residues(); ++r) {
    const uint64_t* plane = words(x) + static_cast<int64_t>(r) * in;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      uint64_t total = 0;
      for (const int64_t j : reduced) total = ring_.field(r).add(total, plane[kept[i] + j]);
      words(out)[static_cast<int64_t>(r) * n + static_cast<int64_t>(i)] = total;
    }
  }
  make_plain(n, out);
}

void TowerDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  if (all_plain(n, acc) && all_plain(n, x)) return binary(BinaryOp::add, dtype, n, acc, x, acc);
  each(n, acc, [&](int64_t i) { return ring_.sum(at(n, acc, i), at(n, x, i)); });
}

}  // namespace isoshard::sim

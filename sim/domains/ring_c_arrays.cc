// Elementwise operations, sums and matrix products on rungs C and D: plain residues in loops, other elements one by
// one.
#include <algorithm>
#include <vector>

#include "sim/domains/reduce_offsets.h"
#include "sim/domains/ring_c.h"

namespace isoshard::sim {
void ExpRingDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.apply(op, at(n, x, i)); });
}

void ExpRingDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y,
                           std::byte* out) const {
  const bool residues = op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply;
  if (!residues || !all_plain(n, x) || !all_plain(n, y)) {
    return each(n, out, [&](int64_t i) { return ring_.apply(op, at(n, x, i), at(n, y, i)); });
  }
  for (size_t l = 0; l < lanes(); ++l) {
    const PrimeCube& ring = ring_.lane(l);
    const auto plane = static_cast<int64_t>(l) * n;
    const uint64_t *a = words(x) + plane, *b = words(y) + plane;
    uint64_t* c = words(out) + plane;
    if (l == 0 && op == BinaryOp::multiply) {  // one lane tells whether products vanish: they do in each
      for (int64_t i = 0; i < n; ++i) {
        if (a[i] != 0 && b[i] != 0 && ring.multiply(a[i], b[i]) == 0) ring_.note_vanished();
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      c[i] = op == BinaryOp::add        ? ring.add(a[i], b[i])
             : op == BinaryOp::subtract ? ring.subtract(a[i], b[i])
                                        : ring.multiply(a[i], b[i]);
    }
  }
  make_plain(n, out);
}

/// Looks for terms of a matrix product that are 0 although their factors are not. One lane tells: what is 0 for all
/// data is so in each. Only elements that p divides have such products, and few matrices hold any.
void ExpRingDomain::watch_products(int64_t m, int64_t n, int64_t k, const uint64_t* a, const uint64_t* b) const {
  const PrimeCube& ring = ring_.lane(0);
  const auto divisible = [&](uint64_t x) { return x != 0 && !ring.is_unit(x); };
  if (std::none_of(a, a + m * k, divisible) || std::none_of(b, b + k * n, divisible)) return;
  for (int64_t t = 0; t < k; ++t) {
    for (int64_t i = 0; i < m; ++i) {
      const uint64_t x = a[i * k + t];
      if (!divisible(x)) continue;
      for (int64_t j = 0; j < n; ++j) {
        const uint64_t y = b[t * n + j];
        if (divisible(y) && ring.multiply(x, y) == 0) ring_.note_vanished();
      }
    }
  }
}

void ExpRingDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
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
  watch_products(m, n, k, words(a), words(b));
  std::vector<uint64_t> column(static_cast<size_t>(k * n));
  for (size_t l = 0; l < lanes(); ++l) {
    const uint64_t *x = words(a) + static_cast<int64_t>(l) * m * k, *y = words(b) + static_cast<int64_t>(l) * k * n;
    uint64_t* z = words(out) + static_cast<int64_t>(l) * m * n;
    for (int64_t t = 0; t < k; ++t) {
      for (int64_t j = 0; j < n; ++j) column[static_cast<size_t>(j * k + t)] = y[t * n + j];
    }
    for (int64_t i = 0; i < m * n; ++i) z[i] = ring_.lane(l).dot(k, x + i / n * k, column.data() + i % n * k, 1);
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

void ExpRingDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
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
  for (size_t l = 0; l < lanes(); ++l) {
    const uint64_t* lane = words(x) + static_cast<int64_t>(l) * in;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      uint64_t total = 0;
      for (const int64_t j : reduced) total = ring_.lane(l).add(total, lane[kept[i] + j]);
      words(out)[static_cast<int64_t>(l) * n + static_cast<int64_t>(i)] = total;
    }
  }
  make_plain(n, out);
}

void ExpRingDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  binary(BinaryOp::add, dtype, n, acc, x, acc);
}

}  // namespace isoshard::sim

// Arithmetic of plain elements of rung E, plane by plane with that of one field. Products of matrices in fields below
// 2^30 are made by a vectorised kernel, in others as dot products of rows and columns that lie in a row. Cost: one
// pass, or m n k, per plane.
#include "sim/domains/tower/tower_planes.h"

#include <vector>

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

void TowerPlanes::binary(BinaryOp op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  for (size_t r = 0; r < fields_.size(); ++r) {
    const PrimeField field = fields_[r];
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

void TowerPlanes::dot(int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b, std::byte* out) const {
  for (size_t r = 0; r < fields_.size(); ++r) {
    const auto at_plane = [r](int64_t size) { return static_cast<int64_t>(r) * size; };
    multiply_matrices(fields_[r], m, n, k, words(a) + at_plane(m * k), words(b) + at_plane(k * n),
                      words(out) + at_plane(m * n));
  }
  make_plain(m * n, out);
}

void TowerPlanes::sum(const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  const int64_t in = plan.input_size(), n = plan.output_size();
  for (size_t r = 0; r < fields_.size(); ++r) {
    const PrimeField field = fields_[r];
    const uint64_t* plane = words(x) + static_cast<int64_t>(r) * in;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      uint64_t total = 0;
      for (const int64_t j : reduced) total = field.add(total, plane[kept[i] + j]);
      words(out)[static_cast<int64_t>(r) * n + static_cast<int64_t>(i)] = total;
    }
  }
  make_plain(n, out);
}

}  // namespace isoshard::sim

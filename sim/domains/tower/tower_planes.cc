// Arithmetic of plain elements of rung E, plane by plane with that of one field; products of matrices are those of
// gemm_modulo. Cost: one pass, or m n k, per plane.
#include "sim/domains/tower/tower_planes.h"

#include <vector>

#include "sim/domains/invert_units.h"
#include "sim/kernels/gemm_modulo.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {

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

void TowerPlanes::invert(int64_t n, const std::byte* x, std::byte* out) const {
  for (size_t r = 0; r < fields_.size(); ++r) {
    const PrimeField field = fields_[r];
    const auto plane = static_cast<int64_t>(r) * n;
    invert_units(field, n, words(x) + plane, words(out) + plane, [&](uint64_t unit) { return field.inverse(unit); });
  }
  make_plain(n, out);
}

void TowerPlanes::dot(int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b, std::byte* out) const {
  for (size_t r = 0; r < fields_.size(); ++r) {
    const auto at_plane = [r](int64_t size) { return static_cast<int64_t>(r) * size; };
    gemm_modulo(best_isa(), fields_[r].modulus(), m, n, k, words(a) + at_plane(m * k), words(b) + at_plane(k * n),
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

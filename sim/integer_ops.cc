#include "sim/integer_ops.h"

#include <algorithm>
#include <span>

namespace isoshard::sim::integer {
namespace {

using Axis = ReducePlan::Axis;

uint32_t sum_over(std::span<const Axis> axes, const uint32_t* x) {
  if (axes.empty()) return *x;
  uint32_t total = 0;
  for (int64_t i = 0; i < axes[0].size; ++i) total += sum_over(axes.subspan(1), x + i * axes[0].stride);
  return total;
}

/// Writes the sums of one block of kept indices and returns the end of what it wrote.
uint32_t* sum_kept(const ReducePlan& plan, std::span<const Axis> kept, const uint32_t* x, uint32_t* out) {
  if (kept.empty()) {
    *out = sum_over(plan.reduced(), x);
    return out + 1;
  }
  for (int64_t i = 0; i < kept[0].size; ++i) out = sum_kept(plan, kept.subspan(1), x + i * kept[0].stride, out);
  return out;
}

}  // namespace

void negate(int64_t n, const uint32_t* x, uint32_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = 0u - x[i];
}

void add(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

void subtract(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] - y[i];
}

void multiply(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

void dot(int64_t m, int64_t n, int64_t k, const uint32_t* a, const uint32_t* b, uint32_t* out) {
  std::fill_n(out, m * n, 0u);
  for (int64_t i = 0; i < m; ++i) {
    uint32_t* row = out + i * n;
    for (int64_t q = 0; q < k; ++q) {
      const uint32_t factor = a[i * k + q];
      const uint32_t* terms = b + q * n;
      for (int64_t j = 0; j < n; ++j) row[j] += factor * terms[j];
    }
  }
}

void sum(const ReducePlan& plan, const uint32_t* x, uint32_t* out) {
  if (plan.input_size() == 0) {
    std::fill_n(out, plan.output_size(), 0u);
    return;
  }
  sum_kept(plan, plan.kept(), x, out);
}

}  // namespace isoshard::sim::integer

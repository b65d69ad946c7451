#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace isoshard::sim {

/// The indices of the k first of each row in the order `before(a, b)` of flat element indices, equal ones by index;
/// indices[rows, k].
template <class Before>
void top_k_rows(int64_t rows, int64_t length, int64_t k, const Before& before, int32_t* indices) {
  std::vector<int64_t> order(static_cast<size_t>(length));
  for (int64_t row = 0; row < rows; ++row) {
    std::iota(order.begin(), order.end(), row * length);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
      if (before(a, b)) return true;
      return !before(b, a) && a < b;
    });
    for (int64_t i = 0; i < k; ++i) *indices++ = static_cast<int32_t>(order[static_cast<size_t>(i)] - row * length);
  }
}

}  // namespace isoshard::sim

// A large product is cut for the workers that have nothing to do, which changes no bit, since each element of the
// result is a chain of its own. Both factors are packed for each part, those of the dimension that is not cut again and
// again: the longer one is cut, and parts are no smaller than what makes packing, waking and waiting small beside them.
// More parts than threads let a fast thread take what a slow one leaves.
#include "sim/kernels/split_product.h"

#include <algorithm>

#include "sim/kernels/helpers.h"

namespace isoshard::sim::detail {
namespace {

constexpr double kLeastProducts = 4e6;  // of a part: some 40 us
constexpr Index kPartUnit = 32;         // rows and columns of a part are a multiple
constexpr Index kLeastLength = 64;      // of a part
constexpr Index kLongLength = 512;      // from which on packing costs nothing
constexpr Index kPartsPerThread = 4;

/// Into how many parts; 1: it stays whole.
Index part_count(Index length, double products, Index threads) {
  const Index most = std::min<Index>(length / kLeastLength, static_cast<Index>(products / kLeastProducts));
  return std::clamp<Index>(length / kLongLength, std::min(threads, most), kPartsPerThread * threads);
}

}  // namespace

void split_product(Index m, Index n, Index k, const std::function<void(const ProductPart&)>& multiply) {
  const ProductPart whole{0, m, 0, n};
  Helpers* const helpers = Helpers::here();
  const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (helpers == nullptr || products < 2 * kLeastProducts || helpers->spare() <= 0) return multiply(whole);
  const bool by_rows = m >= n;
  const Index length = by_rows ? m : n, count = part_count(length, products, helpers->spare() + 1);
  if (count <= 1) return multiply(whole);
  const Index unit = (length + count * kPartUnit - 1) / (count * kPartUnit) * kPartUnit;
  helpers->share((length + unit - 1) / unit, [&](Index part) {
    const Index begin = part * unit, size = std::min(unit, length - begin);
    multiply(by_rows ? ProductPart{begin, size, 0, n} : ProductPart{0, m, begin, size});
  });
}

}  // namespace isoshard::sim::detail

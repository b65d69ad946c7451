#include "verify/facts/moved_dims.h"

#include <algorithm>

namespace isoshard::verify {

std::vector<int64_t> without(size_t rank, const std::vector<int64_t>& dims, int64_t first) {
  std::vector<int64_t> where(rank, 0);
  for (const int64_t d : dims) where[static_cast<size_t>(d)] = -1;
  for (int64_t& w : where) w = w < 0 ? -1 : first++;
  return where;
}

std::vector<int64_t> dot_dims(size_t rank, const std::vector<int64_t>& contracted, const std::vector<int64_t>& batch,
                              int64_t first) {
  std::vector<int64_t> removed = contracted;
  removed.insert(removed.end(), batch.begin(), batch.end());
  std::vector<int64_t> where = without(rank, removed, first);
  for (size_t b = 0; b < batch.size(); ++b) where[static_cast<size_t>(batch[b])] = static_cast<int64_t>(b);
  return where;
}

}  // namespace isoshard::verify

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isoshard::verify {

/// Where the dimensions of an operand go when `dims` are removed, the others from `first` on; -1 for those removed.
std::vector<int64_t> without(size_t rank, const std::vector<int64_t>& dims, int64_t first);
/// Where the dimensions of an operand of a dot go: batch dimensions to the front, free ones from `first` on.
std::vector<int64_t> dot_dims(size_t rank, const std::vector<int64_t>& contracted, const std::vector<int64_t>& batch,
                              int64_t first);

}  // namespace isoshard::verify

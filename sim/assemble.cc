#include "sim/assemble.h"

#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "core/support/check.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

/// Calls `visit(offset in the block, offset in the whole, length)` for every row of adjacent elements of a block.
template <class Visit>
void for_each_row(const StoredBlock& block, const Shape& whole, Visit&& visit) {
  const Shape& local = block.value.type.shape;
  const int64_t length = local.empty() ? 1 : local.back();
  const int64_t rows = length == 0 ? 0 : block.value.size() / length;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, stride = 1, offset = 0;
    for (size_t d = local.size(); d-- > 0;) {
      const int64_t inner = d + 1 == local.size() ? 0 : rest % local[d];
      if (d + 1 != local.size()) rest /= local[d];
      offset += (block.block[d] * local[d] + inner) * stride;
      stride *= whole[d];
    }
    visit(row * length, offset, length);
  }
}

void copy_block(const StoredBlock& block, const NewValue& out) {
  const size_t bytes = out.storage.element_bytes;
  for_each_row(block, out.type.shape, [&](int64_t from, int64_t to, int64_t length) {
    for (size_t p = 0; p < out.storage.planes; ++p) {
      const std::byte* source = block.value.data.get() + p * block.value.plane_bytes();
      std::memcpy(out.plane(p) + static_cast<size_t>(to) * bytes, source + static_cast<size_t>(from) * bytes,
                  static_cast<size_t>(length) * bytes);
    }
  });
}

/// The first element of two equally stored values that differs in some plane.
int64_t first_difference(const Value& a, const Value& b) {
  const size_t bytes = a.storage.element_bytes;
  for (int64_t i = 0; i < a.size(); ++i) {
    for (size_t p = 0; p < a.storage.planes; ++p) {
      const size_t offset = p * a.plane_bytes() + static_cast<size_t>(i) * bytes;
      if (std::memcmp(a.data.get() + offset, b.data.get() + offset, bytes) != 0) return i;
    }
  }
  return 0;
}

std::vector<int64_t> index_in_whole(const StoredBlock& block, int64_t element) {
  const Shape& local = block.value.type.shape;
  std::vector<int64_t> index(local.size());
  for (size_t d = local.size(); d-- > 0;) {
    index[d] = block.block[d] * local[d] + element % local[d];
    element /= local[d];
  }
  return index;
}

using Place = std::pair<std::vector<int64_t>, std::vector<int64_t>>;  ///< block and count

/// How often each cell of the finest common grid of all blocks is covered.
class Coverage {
 public:
  Coverage(const Shape& shape, const std::map<Place, int>& places) : shape_(shape), grid_(shape.size(), 1) {
    for (const auto& [place, times] : places) {
      for (size_t d = 0; d < grid_.size(); ++d) grid_[d] = std::lcm(grid_[d], place.second[d]);
    }
    times_.assign(static_cast<size_t>(element_count(grid_)), 0);
    for (const auto& [place, times] : places) cover(place, times);
  }

  /// The cells whose count is 0 (`twice` false) or more than 1.
  std::vector<IndexRange> cells(bool twice) const {
    std::vector<IndexRange> result;
    for (size_t cell = 0; cell < times_.size(); ++cell) {
      if (twice ? times_[cell] > 1 : times_[cell] == 0) result.push_back(range(cell));
    }
    return result;
  }

 private:
  void cover(const Place& place, int times) {
    Shape factor(grid_.size());  // cells per block
    for (size_t d = 0; d < grid_.size(); ++d) factor[d] = grid_[d] / place.second[d];
    for (int64_t i = 0; i < element_count(factor); ++i) {
      int64_t rest = i, stride = 1, cell = 0;
      for (size_t d = grid_.size(); d-- > 0;) {
        cell += (place.first[d] * factor[d] + rest % factor[d]) * stride;
        rest /= factor[d];
        stride *= grid_[d];
      }
      times_[static_cast<size_t>(cell)] += times;
    }
  }

  IndexRange range(size_t cell) const {
    IndexRange result{Shape(grid_.size()), Shape(grid_.size())};
    auto rest = static_cast<int64_t>(cell);
    for (size_t d = grid_.size(); d-- > 0;) {
      const int64_t size = shape_[d] / grid_[d];
      result.begin[d] = rest % grid_[d] * size;
      result.end[d] = result.begin[d] + size;
      rest /= grid_[d];
    }
    return result;
  }

  const Shape& shape_;
  Shape grid_;
  std::vector<int> times_;
};

void check_fits(const TensorType& type, const StoredBlock& block) {
  const Shape& local = block.value.type.shape;
  ISOSHARD_CHECK(local.size() == type.shape.size() && block.value.type.dtype == type.dtype,
                 "a block of another output");
  for (size_t d = 0; d < local.size(); ++d) {
    ISOSHARD_CHECK(local[d] * block.count[d] == type.shape[d], "blocks that do not tile the output");
    ISOSHARD_CHECK(block.block[d] >= 0 && block.block[d] < block.count[d], "a block outside the output");
  }
}

}  // namespace

Assembled assemble(const TensorType& type, const std::vector<StoredBlock>& blocks) {
  Assembled result;
  NewValue whole(type, blocks.empty() ? Storage{} : blocks[0].value.storage);
  if (whole.bytes() != 0) std::memset(whole.data.get(), 0, whole.bytes());
  std::map<Place, const StoredBlock*> first;
  std::map<Place, int> times;
  std::map<std::pair<Place, int64_t>, int> by_device;
  for (const StoredBlock& block : blocks) {
    check_fits(type, block);
    const Place place{block.block, block.count};
    times[place] = std::max(times[place], ++by_device[{place, block.position}]);
    const auto [known, is_first] = first.emplace(place, &block);
    if (is_first) {
      copy_block(block, whole);
    } else if (known->second->position != block.position && !same_bits(known->second->value, block.value)) {
      const int64_t element = first_difference(known->second->value, block.value);
      result.disagreements.push_back({known->second->position, block.position, index_in_whole(block, element)});
    }
  }
  result.value = std::move(whole).finish();
  const Coverage coverage(type.shape, times);
  result.uncovered = coverage.cells(false);
  result.doubly_covered = coverage.cells(true);
  return result;
}

std::string to_string(const IndexRange& range) {
  std::string text = "[";
  for (size_t d = 0; d < range.begin.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(range.begin[d]) + ":" + std::to_string(range.end[d]);
  }
  return text + "]";
}

}  // namespace isoshard::sim

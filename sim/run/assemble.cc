// Puts the blocks that devices have stored together to the whole output, and says what is wrong with them. Blocks of
// one place on different devices are replicas: the first is taken, and later ones are compared bit for bit. Whether
// every element is stored exactly once is decided by counting over regions of the index space (`Cover`), with replicas
// counted once, so that it costs blocks and not elements. Nothing is repaired here: `check` and `sim` decide what a
// disagreement means. Cost: one copy of each block.
#include "sim/run/assemble.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/support/check.h"
#include "sim/evaluate/blocks.h"

namespace isoshard::sim {
namespace {

/// The first element of two equally stored values that differs in some plane.
int64_t first_different_element(const Value& a, const Value& b) {
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
    index[d] = block.begin[d] + element % local[d];
    element /= local[d];
  }
  return index;
}

void check_fits(const TensorType& type, const StoredBlock& block) {
  const Shape& local = block.value.type.shape;
  ISOSHARD_CHECK(
      local.size() == type.shape.size() && block.begin.size() == local.size() && block.value.type.dtype == type.dtype,
      "a block of another output");
  for (size_t d = 0; d < local.size(); ++d) {
    ISOSHARD_CHECK(block.begin[d] >= 0 && block.begin[d] + local[d] <= type.shape[d], "a block outside the output");
  }
}

using Place = std::pair<std::vector<int64_t>, Shape>;  ///< begin and shape

/// Replicas on different devices count once.
void count_places(const TensorType& type, const std::map<Place, int>& times, Assembled& result) {
  Cover cover(type.shape);
  for (const auto& [place, count] : times) {
    std::vector<int64_t> end = place.first;
    for (size_t d = 0; d < end.size(); ++d) end[d] += place.second[d];
    for (int i = 0; i < count; ++i) cover.add(place.first, end);
  }
  ISOSHARD_CHECK(cover.count(), "blocks that cut an output into too many parts");
  result.uncovered = cover.wrong(1, false);
  result.doubly_covered = cover.wrong(1, true);
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
    const Place place{block.begin, block.value.type.shape};
    times[place] = std::max(times[place], ++by_device[{place, block.position}]);
    const auto [known, is_first] = first.emplace(place, &block);
    if (is_first) {
      copy_into(block.value, block.begin, whole);
    } else if (known->second->position != block.position && !same_bits(known->second->value, block.value)) {
      const int64_t element = first_different_element(known->second->value, block.value);
      result.disagreements.push_back({known->second->position, block.position, index_in_whole(block, element)});
    }
  }
  result.value = std::move(whole).finish();
  count_places(type, times, result);
  return result;
}

}  // namespace isoshard::sim

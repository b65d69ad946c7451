// Draws the beginning of the last dimension of a global and repeats it through the whole array. The other dimensions
// stay, since they give the scale of what is drawn (fan_in). Cost: a copy of the array.
#include "bench/gpu/programs/drawn_globals.h"

#include <algorithm>
#include <cstring>

#include "sim/run/draw.h"

namespace isoshard::bench {
namespace {

constexpr int64_t kDrawn = int64_t{1} << 21;

Tensor drawn_global(const Global& global) {
  const int64_t count = element_count(global.type.shape);
  if (count <= kDrawn || global.type.shape.empty()) return sim::draw_global(global, 0);
  Global part = global;
  const int64_t rows = count / global.type.shape.back();
  part.type.shape.back() = std::max<int64_t>(kDrawn / rows, 1);
  const Tensor drawn = sim::draw_global(part, 0);
  const auto bytes = drawn.bytes();
  std::vector<std::byte> all(static_cast<size_t>(count) * info(global.type.dtype).bytes);
  for (size_t at = 0; at < all.size(); at += bytes.size()) {
    std::memcpy(all.data() + at, bytes.data(), std::min(bytes.size(), all.size() - at));
  }
  return Tensor::from_bytes(global.type.dtype, global.type.shape, all);
}

}  // namespace

std::vector<Tensor> drawn_globals(const Plan& plan) {
  std::vector<Tensor> globals;
  for (const Global& global : plan.globals) globals.push_back(drawn_global(global));
  return globals;
}

}  // namespace isoshard::bench

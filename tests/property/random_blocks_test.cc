// Blocks of random arrays, drawn on their own, tile the whole array; a start beyond the end is clamped.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/value/threefry.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/movement.h"

namespace isoshard::sim::random_blocks_test {
namespace {

Value draw(const RngBits& op, uint64_t key, const std::vector<int64_t>& start) {
  const Domain& domain = float_domain();
  std::vector<Value> operands{from_tensor(Tensor::from<uint64_t>(DType::key, {}, std::vector{key}), domain)};
  for (const int64_t s : start) operands.push_back(scalar_i32(s, domain));
  return evaluate(op, operands, TensorType{DType::u32, op.shape}, domain);
}

RC_GTEST_PROP(RandomBlocks, TileTheWhole, ()) {
  const int64_t rank = *rc::gen::inRange<int64_t>(1, 4);
  const KeyLayout layout = *rc::gen::arbitrary<bool>() ? KeyLayout::original : KeyLayout::partitionable;
  const auto key = *rc::gen::arbitrary<uint64_t>();
  Shape block, whole;
  for (int64_t d = 0; d < rank; ++d) {
    block.push_back(*rc::gen::inRange<int64_t>(1, 5));
    whole.push_back(block.back() * *rc::gen::inRange<int64_t>(1, 4));
  }
  const Value all = draw(RngBits{whole, {}, layout}, key, {});
  std::vector<int64_t> start(block.size(), 0);
  for (size_t d = 0; d < block.size();) {
    Shape limit = block;
    for (size_t e = 0; e < start.size(); ++e) limit[e] += start[e];
    RC_ASSERT(same_bits(draw(RngBits{block, whole, layout}, key, start), slice(all, start, limit)));
    for (d = 0; d < block.size() && (start[d] += block[d]) == whole[d]; ++d) start[d] = 0;
  }
}

RC_GTEST_PROP(RandomBlocks, AreClampedIntoTheWhole, ()) {
  const auto size = *rc::gen::inRange<int64_t>(1, 20), block = *rc::gen::inRange<int64_t>(0, size + 1);
  const auto start = *rc::gen::inRange<int64_t>(-30, 30), inside = std::clamp<int64_t>(start, 0, size - block);
  const RngBits op{{block}, {size}, KeyLayout::original};
  RC_ASSERT(same_bits(draw(op, 7, {start}), draw(op, 7, {inside})));
}

}  // namespace
}  // namespace isoshard::sim::random_blocks_test

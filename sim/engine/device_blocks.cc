// What one device reads of a global and writes of an output: blocks are ceil(size / count) long, padding is drawn per
// device, load and iteration, and never stored. Cost: a copy, unless the block lies in its global in one piece.
#include "sim/engine/device_blocks.h"

#include <algorithm>
#include <memory>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/evaluate/blocks.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

/// A block that lies in its global has a count of references of its own: workers would wait for each other where all
/// devices count in one place.
Value load_block(const RunContext& context, const LoadBlock& op, PlanValueId result, const Whereabouts& at) {
  const Value& whole = context.globals[op.global.index()];
  Shape begin, shape;
  for (size_t d = 0; d < op.block.size(); ++d) {
    const int64_t size = (whole.type.shape[d] + op.count[d] - 1) / op.count[d];
    const int64_t index = at.value_of(op.block[d]);
    ISOSHARD_CHECK(index >= 0 && index < op.count[d], "a block that does not exist");
    begin.push_back(index * size + (op.start.empty() ? 0 : op.start[d]));
    shape.push_back(op.size.empty() ? size : op.size[d]);
  }
  uint64_t seed = mix(static_cast<uint64_t>(at.position) + mix(result.index() + mix(context.options.padding_seed)));
  for (const int64_t iteration : at.iterations) seed = mix(seed + static_cast<uint64_t>(iteration));
  if (context.options.other_padding == result) seed = mix(seed);
  Value block = reshape(read_block(whole, begin, shape, context.domain, {seed, op.global.index()}),
                        context.index.type(result).shape);
  if (shares_storage(block, whole)) block.data = {std::make_shared<Value>(whole), block.data.get()};
  return block;
}

StoredBlock stored_block(const Plan& plan, const StoreBlock& op, const Value& value, const Whereabouts& at) {
  const Shape& whole = plan.outputs[op.output].type.shape;
  StoredBlock result{at.position, {}, {}};
  Shape block, valid;
  for (size_t d = 0; d < whole.size(); ++d) {
    block.push_back((whole[d] + op.count[d] - 1) / op.count[d]);
    result.begin.push_back(std::min(at.value_of(op.block[d]) * block[d], whole[d]));
    valid.push_back(std::min(block[d], whole[d] - result.begin[d]));
  }
  result.value = slice(reshape(value, block), Shape(whole.size(), 0), valid);
  return result;
}

Value put_block(const Value& x, const PutBlock& put, int64_t block, const Domain& domain) {
  std::vector<Value> parts(static_cast<size_t>(put.count), zeros(x.type, domain));
  parts[static_cast<size_t>(block)] = x;
  return concatenate(parts, put.dim);
}

Value row_of(const Value& whole, int64_t row, int64_t count, const Shape& shape, bool last) {
  const bool in_place = !last && whole.storage.planes == 1;
  return in_place ? row_in_place(whole, row, shape) : reshape(take_block(whole, 0, row, count), shape);
}

}  // namespace isoshard::sim

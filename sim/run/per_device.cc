#include "sim/run/per_device.h"

#include <utility>

#include "core/support/result.h"
#include "sim/evaluate/blocks.h"

namespace isoshard::sim {
namespace {

/// Why the blocks cannot be stacked; empty if they can.
std::string obstacle(const std::vector<StoredBlock>& blocks, int64_t devices) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const StoredBlock& block = blocks[i];
    if (block.position != static_cast<int64_t>(i)) return "not every device stores exactly one block of it";
    if (block.value.type.shape != blocks[0].value.type.shape) {
      return "the device at position " + std::to_string(i) + " holds " + to_string(block.value.type) +
             ", the one at position 0 " + to_string(blocks[0].value.type);
    }
  }
  return blocks.size() == static_cast<size_t>(devices) ? "" : "not every device stores exactly one block of it";
}

}  // namespace

Result<Value> stack_devices(const std::string& name, const std::vector<StoredBlock>& blocks, int64_t devices) {
  const std::string why = obstacle(blocks, devices);
  if (!why.empty()) {
    return failure("I-per-device", {},
                   "--per-device: @" + name + ": " + why +
                       "; expected one block of one shape on each device; leave --per-device out");
  }
  TensorType type = blocks[0].value.type;
  type.shape.insert(type.shape.begin(), devices);
  NewValue whole(type, blocks[0].value.storage);
  std::vector<int64_t> begin(type.shape.size(), 0);
  for (const StoredBlock& block : blocks) {
    Value row = block.value;
    row.type.shape.insert(row.type.shape.begin(), 1);
    begin[0] = block.position;
    copy_into(row, begin, whole);
  }
  return std::move(whole).finish();
}

}  // namespace isoshard::sim

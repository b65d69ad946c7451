#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/ops/view_op.h"
#include "core/ir/types/type.h"

namespace isoshard::pictures {

/// Which block of a whole array each device reads or writes, for the devices that a page shows.
struct DeviceBlocks {
  std::vector<std::string> blocks;  ///< each once: `[0:6, 0:4]`
  std::vector<uint32_t> of_device;  ///< by position: its index in `blocks`
};

/// At most so many devices of a mesh are shown, the first ones.
inline constexpr int64_t kMostDevices = 256;

/// The blocks of an array of `whole` as `layout` cuts it; padding is left out.
DeviceBlocks blocks_of(const Shape& whole, const Layout& layout, const Mesh& mesh);
/// The parts of `whole` that `view` reads.
DeviceBlocks blocks_of(const Shape& whole, const View& view, const Mesh& mesh);

}  // namespace isoshard::pictures

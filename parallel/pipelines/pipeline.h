#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "parallel/module/module.h"

namespace isoshard {

/// How a pipeline runs.
struct Pipeline {
  Group axis;                     ///< one stage per device
  int64_t num_microbatches = 1;   ///< equal parts of the batch
  std::vector<ValueId> kwargs{};  ///< what the module takes beside x, in every iteration the whole of it
  /// The module takes the number of its micro-batch behind them: i32, V over the axis, in bubbles below 0 or M and
  /// more.
  bool with_number = false;
};
/// A module that takes them.
using PipelineFn = std::function<ValueId(Scope& self, ValueId x, const std::vector<ValueId>& kwargs)>;

}  // namespace isoshard

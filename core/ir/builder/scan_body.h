#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/program.h"

namespace isoshard {

/// What a scan starts from; empty names are made up.
struct ScanOperands {
  std::vector<ValueId> initial;  ///< one per carry
  std::vector<ValueId> stacked;  ///< sliced along dimension 0
  std::optional<int64_t> trips;  ///< needed where nothing is stacked
  bool with_index = false;       ///< the body uses the iteration, an i32 scalar
  std::string index_name;
  std::vector<std::string> carry_names, slice_names;  ///< of the body's arguments; empty or one each
  std::vector<std::string> result_names;              ///< empty or one each: carries, then stacks
};

/// What the body of a scan sees.
struct ScanArguments {
  ValueId index;  ///< invalid unless asked for
  std::vector<ValueId> carries, slices;
};

/// What the body of a scan leaves: the next carries and one part of each stacked output.
struct ScanYield {
  std::vector<ValueId> carries, stacked;
  Location location;
  bool check_states = false;  ///< run the body once more when its states are settled
};

/// Appends the ops of a body to the Builder that calls it; nothing after an error that it reported.
///
/// It may be called several times: where the state of a carry only shows in the body (a zero initial value), the ops of
/// the earlier call are dropped. `settled`: the states of this call are final.
using ScanBody = std::function<std::optional<ScanYield>(const ScanArguments&, bool settled)>;

}  // namespace isoshard

#pragma once

#include "parallel/module/gather_array.h"
#include "parallel/sharding/stack_params.h"

namespace isoshard {

/// What no more than so many elements make up stays whole (shard_params' default).
inline constexpr int64_t kMinWeightSize = int64_t{1} << 18;

/// Keeps the device's own block of each leaf along the dimension that `dim_to_shard` picks, and names that dimension
/// after `axis` (docs/spec/originals.md, "Sharded parameters"). Sizes are those of one device.
///
/// Leaves of no more than `min_weight_size` elements stay as they are. So do, with a warning (C-shard), leaves whose
/// names say `axis` already and those without a dimension that the devices divide. V over `axis` in typed programs.
ParamTree shard_params(ModelBuilder& m, const ParamTree& params, const Group& axis,
                       int64_t min_weight_size = kMinWeightSize, const Location& location = Location::here());

/// Joins the blocks of each leaf that has `axis` among its names, which then is none; leaves without names left are
/// plain. Gradients come back as gather_array says; in untyped programs they are means, as in the original.
ParamTree gather_params(ModelBuilder& m, const ParamTree& params, const Group& axis, GatherOptions options = {},
                        const Location& location = Location::here());

}  // namespace isoshard

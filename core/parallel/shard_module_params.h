#pragma once

#include "core/parallel/module.h"

namespace isoshard {

/// shard_module_params, forward: between uses the devices of `axis` hold a block each of every parameter of
/// `module_fn`; when the module reads one, an all_gather joins the blocks (FSDP, ZeRO-3; spec/seeds.md 2.1).
///
/// Which dimension is split says `dim_to_shard`, from the sizes on one device: the array of one device of an enclosed
/// model_parallelism_wrapper, with the layers of enclosed scans as a dimension of their own. What has no more than
/// `min_weight_size` elements and what cannot be split stays whole. First values are blocks of the array that the key
/// draws, the same for all devices of `axis`. The module stands in `self` itself.
///
/// In typed programs what is gathered is R over `axis`. There is no gather_dtype and no grad_scatter_dtype.
inline constexpr int64_t kMinWeightSize = int64_t{1} << 18;
ValueId shard_module_params(Scope& self, const Group& axis, const ModuleFn& module_fn, ValueId x,
                            int64_t min_weight_size = kMinWeightSize);

}  // namespace isoshard

#pragma once

#include "parallel/module/module.h"
#include "parallel/sharding/shard_params.h"

namespace isoshard {

/// shard_module_params: between uses the devices of `axis` hold a block each of every parameter of `module_fn`; when
/// the module reads one, an all_gather joins the blocks (FSDP, ZeRO-3; docs/spec/originals.md, "Sharded parameters").
///
/// Which dimension is split says `dim_to_shard`, from the sizes on one device: the array of one device of an enclosed
/// model_parallelism_wrapper, with the layers of enclosed scans as a dimension of their own. What has no more than
/// `min_weight_size` elements and what cannot be split stays whole. First values are blocks of the array that the key
/// draws, the same for all devices of `axis`. The module stands in `self` itself.
///
/// In typed programs what is gathered is R over `axis`, and its gradient the true one unless `gather` asks for means;
/// in untyped ones it is the mean of the devices' gradients, as in the original. With a gather_dtype blocks travel in
/// that dtype, and the module reads them converted back to their own, as Flax's layers promote them.
ValueId shard_module_params(Scope& self, const Group& axis, const ModuleFn& module_fn, ValueId x,
                            int64_t min_weight_size = kMinWeightSize, GatherOptions gather = {});

}  // namespace isoshard

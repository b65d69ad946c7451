#include "parallel/sharding/shard_module_params.h"

#include <utility>

namespace isoshard {

ValueId shard_module_params(Scope& self, const Group& axis, const ModuleFn& module_fn, ValueId x,
                            int64_t min_weight_size, GatherOptions gather) {
  ParamTransform shard{ParamTransform::Kind::shard, axis};
  shard.count = self.m().mesh().size(axis);
  shard.min_weight_size = min_weight_size;
  gather.mean_gradients |= !self.m().typed();
  shard.gather = gather;
  Scope sharded = self.transformed(std::move(shard));
  return module_fn(sharded, x);
}

}  // namespace isoshard

#pragma once

#include "catalogue/models.h"

namespace isoshard {

/// shard_module_params, gather_array_with_mean_grads and sync_gradients: entries about gradients.
std::vector<Model> data_parallel_models();

}  // namespace isoshard

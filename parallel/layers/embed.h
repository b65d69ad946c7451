#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// flax.linen.Embed: a row of the parameter `embedding` [num_embeddings, features] for each id. It begins with normal
/// numbers of variance 1 / features, unless `embedding_init` is given.
struct Embed {
  int64_t num_embeddings = 0;
  int64_t features = 0;
  std::optional<Initializer> embedding_init{};
};
/// ids [..], integers, to [.., features]; in a model_parallelism_wrapper each device has `features` of its own. Ids
/// that are no integers are an error (C-embed). Those outside 0 to num_embeddings - 1 give the nearest row, where the
/// original gives NaN.
ValueId embed(Scope& self, const Embed& layer, ValueId ids, const std::string& name = "",
              const Location& location = Location::here());

}  // namespace isoshard

#include "parallel/layers/embed.h"

#include <cmath>

namespace isoshard {

ValueId embed(Scope& self, const Embed& layer, ValueId ids, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  if (!ids.valid()) return {};
  const DType dtype = m.builder().type(ids).tensor.dtype;
  if (!is_integer(dtype)) {
    return m.error("C-embed", "embed: the ids are " + std::string(info(dtype).name) + "; expected integers", location);
  }
  // The square root of an f32, as the original takes it.
  const float deviation = std::sqrt(1.0f / static_cast<float>(layer.features));
  const Initializer init = layer.embedding_init.value_or(normal_initializer(static_cast<double>(deviation)));
  const ValueId table = self.param("embedding", init, {layer.num_embeddings, layer.features});
  return m.op(Gather{0, 0}, {table, ids}, name, location);
}

}  // namespace isoshard

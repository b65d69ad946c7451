// Which elements of whole arrays ranks load and store. Cost: the dimensions, and the expressions of their blocks.
#include "core/plan/block_box.h"

namespace isoshard {

IndexRange block_box(const Mesh& mesh, const Shape& whole, const std::vector<Expr>& block,
                     const std::vector<int64_t>& count, int64_t position, const std::vector<int64_t>& loops) {
  IndexRange box{Shape(whole.size()), Shape(whole.size())};
  for (size_t d = 0; d < whole.size(); ++d) {
    const int64_t size = whole[d] / count[d] + (whole[d] % count[d] != 0 ? 1 : 0);
    box.begin[d] = block[d].evaluate(mesh, position, loops) * size;
    box.end[d] = box.begin[d] + size;
  }
  return box;
}

IndexRange loaded_box(const Plan& plan, const LoadBlock& load, int64_t position, const std::vector<int64_t>& loops) {
  const Shape& whole = plan.globals[load.global.index()].type.shape;
  IndexRange box = block_box(*plan.mesh, whole, load.block, load.count, position, loops);
  for (size_t d = 0; d < load.start.size(); ++d) {
    box.begin[d] += load.start[d];
    box.end[d] = box.begin[d] + load.size[d];
  }
  return box;
}

IndexRange stored_box(const Plan& plan, const StoreBlock& store, int64_t position, const std::vector<int64_t>& loops) {
  const Shape& whole = plan.outputs[store.output].type.shape;
  return block_box(*plan.mesh, whole, store.block, store.count, position, loops);
}

}  // namespace isoshard

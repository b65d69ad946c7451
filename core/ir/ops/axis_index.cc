#include "core/ir/ops/axis_index.h"

namespace isoshard {

Inferred AxisIndex::infer(const InferContext&) const { return std::vector{TensorType{DType::i32, {}}}; }

void AxisIndex::infer_states(StateContext& context) const {
  const AxisSet varying = axis.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    context.set(AxisId(i), varying.contains(AxisId(i)) ? State::varying : State::equal);
  }
}

}  // namespace isoshard

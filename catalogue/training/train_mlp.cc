#include "catalogue/training/train_network.h"
#include "parallel/layers/dense.h"

namespace isoshard {
namespace {

/// x + down(drop(silu(up(x)))): the first layer column parallel, the second row parallel, its bias added to the sum.
ValueId mlp_block(Scope& self, const TrainSizes& sizes, const Group& tensor, ValueId x, const TrainPlace& place) {
  ModelBuilder& m = self.m();
  Scope up = self.child("up"), down = self.child("down").giving_terms(tensor);
  const int64_t hidden = sizes.hidden / m.mesh().size(tensor);
  const ValueId h = dense(up, Dense{hidden}, enter_tensor(m, tensor, x));
  if (!h.valid()) return {};
  const ValueId a = train_dropout(m, sizes, tensor, activate(m, Activation::silu, h, ""), place);
  const ValueId y = leave_tensor(m, tensor, dense(down, Dense{sizes.width, lecun_normal_initializer(), false}, a));
  const ValueId bias = self.param("bias", zeros_initializer(), {sizes.width});
  return m.add(x, m.add(y, m.broadcast_like(bias, {1}, x)));
}

/// (y - t)^2 of each number of a row.
ValueId squares(Scope& self, const TrainSizes& sizes, ValueId x, ValueId target) {
  ModelBuilder& m = self.m();
  Scope output = self.child("output");
  const ValueId y = in_dtype(m, dense(output, Dense{sizes.outputs}, x), DType::f32);
  const ValueId error = m.op(Subtract{}, {y, target});
  return m.multiply(error, error);
}

}  // namespace

TrainNetwork train_mlp(const TrainSizes& sizes, const TrainAxes& axes) {
  const ViewEntry all, tensor{axes.tensor};
  Group behind = axes.tensor;  // the loss is the same on all stages
  behind.axes.insert(behind.axes.end(), axes.pipeline.axes.begin(), axes.pipeline.axes.end());
  TrainNetwork network;
  network.batch = {{"x", {DType::f32, {sizes.rows, sizes.inputs}}, axes.tensor},
                   {"t", {DType::f32, {sizes.rows, sizes.outputs}}, behind}};
  network.outer = {{"input.kernel", {sizes.inputs, sizes.width}, {all, all}, axes.tensor},
                   {"input.bias", {sizes.width}, {all}, axes.tensor, InitKind::zeros},
                   {"output.kernel", {sizes.width, sizes.outputs}, {all, all}, behind},
                   {"output.bias", {sizes.outputs}, {all}, behind, InitKind::zeros}};
  network.blocks = {{"blocks.up.kernel", {sizes.width, sizes.hidden}, {all, tensor}},
                    {"blocks.up.bias", {sizes.hidden}, {tensor}, {}, InitKind::zeros},
                    {"blocks.down.kernel", {sizes.hidden, sizes.width}, {tensor, all}},
                    {"blocks.bias", {sizes.width}, {all}, axes.tensor, InitKind::zeros}};
  network.input = [sizes](Scope& self, const std::vector<ValueId>& batch) {
    Scope input = self.child("input");
    return dense(input, Dense{sizes.width}, in_dtype(self.m(), batch[0], sizes.dtype));
  };
  network.block = [sizes, axes](Scope& self, ValueId x, const TrainPlace& place) {
    return mlp_block(self, sizes, axes.tensor, x, place);
  };
  network.losses = [sizes](Scope& self, ValueId x, const std::vector<ValueId>& batch) {
    return squares(self, sizes, x, batch[1]);
  };
  network.losses_per_row = sizes.outputs;
  return network;
}

}  // namespace isoshard

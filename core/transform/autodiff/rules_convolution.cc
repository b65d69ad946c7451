// Adjoints of a convolution, which are convolutions: what scatters from windows is gathered by windows of the
// cotangent. The input's is one of the cotangent, spread by the strides, with the kernel turned round and its features
// exchanged; the kernel's is one of the input with the cotangent as kernel, batch and features exchanged, so that it
// sums over the batch. As in JAX (jax/_src/lax/convolution.py), whose transposition rules give the strides, dilations
// and paddings; groups of features become groups of the batch and the other way round. Cost: two convolutions, and a
// reshaped kernel where there are groups.
#include <algorithm>
#include <utility>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {
namespace {

int64_t groups_of(const Convolution& op) {
  return std::max(op.feature_groups.value_or(1), op.batch_groups.value_or(1));
}

std::optional<int64_t> if_many(int64_t groups) { return groups > 1 ? std::optional(groups) : std::nullopt; }

/// `x` with the groups that are outermost along dimension `from` outermost along `to`.
ValueId move_groups(OpAdjoint& at, ValueId x, int64_t from, int64_t to, int64_t groups) {
  if (groups == 1) return x;
  const auto f = static_cast<size_t>(from), t = static_cast<size_t>(to);
  Shape apart = at.shape(x), moved = apart;
  moved[f] /= groups;
  moved[t] *= groups;
  apart[f] = groups;
  apart.insert(apart.begin() + from + 1, moved[f]);
  Transpose order;  // of dimensions with the groups as `from` and what follows one further
  for (int64_t d = 0; d < std::ssize(moved); ++d) {
    if (d == to) order.permutation.push_back(from);
    order.permutation.push_back(d < from ? d : d + 1);
  }
  return at.op(Reshape{moved}, {at.op(std::move(order), {at.op(Reshape{apart}, {x})})});
}

/// The size of what the windows' starts span.
int64_t reach(const ConvolutionWindows& w) { return ConvolutionWindows::spread(w.count(), w.stride); }

/// Each element of the input is met by the kernel's elements in the opposite order.
void give_input(const Convolution& op, const std::vector<ConvolutionWindows>& along, OpAdjoint& at) {
  const auto& [input, kernel, output] = op.dims;
  Convolution back{{output, {kernel.input, kernel.output, kernel.spatial}, input}};
  for (const ConvolutionWindows& w : along) {
    back.strides.push_back(w.dilation);
    back.low.push_back(w.span() - 1 - w.low);
    back.high.push_back(w.dilated() - reach(w) + w.low);
    back.lhs_dilation.push_back(w.stride);
    back.rhs_dilation.push_back(w.kernel_dilation);
    back.reversal.push_back(w.reversed ? 0 : 1);
  }
  back.feature_groups = if_many(groups_of(op));
  const ValueId turned = move_groups(at, at.operand(1), kernel.output, kernel.input, groups_of(op));
  const ValueId product = at.op(std::move(back), {at.cotangent(), turned});
  at.give(0, move_groups(at, product, input.feature, input.batch, op.batch_groups.value_or(1)));
}

/// Each element of the kernel meets those of the input that lie as far apart as the windows.
void give_kernel(const Convolution& op, const std::vector<ConvolutionWindows>& along, OpAdjoint& at) {
  const auto& [input, kernel, output] = op.dims;
  Convolution back{{{input.feature, input.batch, input.spatial},
                    {output.feature, output.batch, output.spatial},
                    {kernel.input, kernel.output, kernel.spatial}}};
  Reverse turned;
  for (size_t i = 0; i < along.size(); ++i) {
    const ConvolutionWindows& w = along[i];
    back.strides.push_back(w.kernel_dilation);
    back.low.push_back(w.low);
    back.high.push_back(reach(w) + w.span() - 1 - w.dilated() - w.low);
    back.lhs_dilation.push_back(w.dilation);
    back.rhs_dilation.push_back(w.stride);
    if (w.reversed) turned.dims.push_back(kernel.spatial[i]);
  }
  back.feature_groups = if_many(op.batch_groups.value_or(1));
  back.batch_groups = if_many(op.feature_groups.value_or(1));
  const ValueId product = at.op(std::move(back), {at.operand(0), at.cotangent()});
  at.give(1, turned.dims.empty() ? product : at.op(std::move(turned), {product}));
}

}  // namespace

void adjoint(const Convolution& op, OpAdjoint& at) {
  const Shape &input = at.operand_type(0).shape, &kernel = at.operand_type(1).shape;
  for (const Shape* shape : {&input, &kernel, &at.result_type(0).shape}) {
    if (element_count(*shape) == 0) return;  // nothing is multiplied
  }
  const std::vector<ConvolutionWindows> along = op.windows(input, kernel);
  if (at.wants(0)) give_input(op, along, at);
  if (at.wants(1)) give_kernel(op, along, at);
}

}  // namespace isoshard::autodiff

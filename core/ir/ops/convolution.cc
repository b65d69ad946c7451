// Types and states of convolution, by the constraints of StableHLO's convolution, which the checks cite by number. They
// come in the order in which later ones rely on earlier ones: dtypes, roles of dimensions, entries of lists, groups,
// sizes. States follow from the bilinear row; `partial={axes}` turns V into P, where the author says that devices hold
// terms of one sum (docs/spec/states.md, "Rows of the state table"). Cost: dimensions times axes.
#include "core/ir/ops/convolution.h"

#include <algorithm>
#include <utility>

#include "core/ir/ops/shape_checks.h"

namespace isoshard {
namespace {

/// The greatest distances and paddings, so that sizes can be multiplied by the first and added to the second.
constexpr int64_t kFarthest = int64_t{1} << 20, kWidest = int64_t{1} << 42;

int64_t entry(const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

int64_t size_of(const Shape& shape, int64_t dim) { return shape[static_cast<size_t>(dim)]; }

std::nullopt_t wrong(const InferContext& context, const std::string& message) {
  return context.error("T-convolution", message);
}

std::vector<int64_t> all_of(int64_t first, int64_t second, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> all{first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

/// C1, C13, C14, C18 to C21: each tensor has the dimensions that `dims` names, each once.
bool check_roles(const InferContext& context, const ConvolutionDims& dims) {
  const std::vector<int64_t> named[] = {all_of(dims.input.batch, dims.input.feature, dims.input.spatial),
                                        all_of(dims.kernel.output, dims.kernel.input, dims.kernel.spatial),
                                        all_of(dims.output.batch, dims.output.feature, dims.output.spatial)};
  const TensorType &input = context.operand(0), &kernel = context.operand(1);
  const size_t ranks[] = {input.shape.size(), kernel.shape.size(), input.shape.size()};
  for (size_t i = 0; i < 3; ++i) {
    if (named[i].size() == ranks[i] && ranks[i] == ranks[0]) continue;
    wrong(context, "`dims` names " + std::to_string(named[0].size()) + ", " + std::to_string(named[1].size()) +
                       " and " + std::to_string(named[2].size()) + " dimensions and the operands are " +
                       to_string(input) + " and " + to_string(kernel) + "; expected one rank everywhere");
    return false;
  }
  return check_dims(context, named[0], ranks[0]) && check_dims(context, named[1], ranks[0]) &&
         check_dims(context, named[2], ranks[0]);
}

/// C3 to C10: one entry per spatial dimension, or none, from `least` to `most`.
bool check_list(const InferContext& context, const std::vector<int64_t>& list, const std::string& name, size_t spatial,
                int64_t least, int64_t most) {
  if (!list.empty() && list.size() != spatial) {
    wrong(context, "`" + name + "` has " + std::to_string(list.size()) + " entries for " + std::to_string(spatial) +
                       " spatial dimensions; expected one each, or none");
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] >= least && list[i] <= most) continue;
    wrong(context, "`" + name + "` is " + std::to_string(list[i]) + " for spatial dimension " + std::to_string(i) +
                       "; expected " + std::to_string(least) + " to " + std::to_string(most));
    return false;
  }
  return true;
}

bool check_lists(const InferContext& context, const Convolution& op) {
  const size_t spatial = op.dims.input.spatial.size();
  return check_list(context, op.strides, "strides", spatial, 1, kFarthest) &&
         check_list(context, op.low, "low", spatial, -kWidest, kWidest) &&
         check_list(context, op.high, "high", spatial, -kWidest, kWidest) &&
         check_list(context, op.lhs_dilation, "lhs_dilation", spatial, 1, kFarthest) &&
         check_list(context, op.rhs_dilation, "rhs_dilation", spatial, 1, kFarthest) &&
         check_list(context, op.reversal, "reversal", spatial, 0, 1);
}

/// C11, C12, C16, C17: a dimension that is cut into groups.
bool check_multiple(const InferContext& context, size_t operand, int64_t dim, int64_t groups, const std::string& name) {
  const TensorType& type = context.operand(operand);
  const int64_t size = size_of(type.shape, dim);
  if (size % groups == 0) return true;
  wrong(context, "`" + name + "` is " + std::to_string(groups) + " and dim " + std::to_string(dim) + " of " +
                     to_string(type) + " has size " + std::to_string(size) + "; expected a multiple of it");
  return false;
}

/// C22 to C24, then the dimensions that are split.
bool check_groups(const InferContext& context, const Convolution& op) {
  const int64_t features = op.feature_groups.value_or(1), batches = op.batch_groups.value_or(1);
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    wrong(context, "`feature_groups` is " + std::to_string(features) + " and `batch_groups` is " +
                       std::to_string(batches) + "; expected at least 1, and one of them 1");
    return false;
  }
  return check_multiple(context, 0, op.dims.input.batch, batches, "batch_groups") &&
         check_multiple(context, 0, op.dims.input.feature, features, "feature_groups") &&
         check_multiple(context, 1, op.dims.kernel.output, batches, "batch_groups") &&
         check_multiple(context, 1, op.dims.kernel.output, features, "feature_groups");
}

/// C15: the kernel has the input features of one group.
bool check_features(const InferContext& context, const Convolution& op) {
  const TensorType &input = context.operand(0), &kernel = context.operand(1);
  const int64_t given = size_of(input.shape, op.dims.input.feature) / op.feature_groups.value_or(1);
  const int64_t taken = size_of(kernel.shape, op.dims.kernel.input);
  if (given == taken) return true;
  wrong(context, "the kernel " + to_string(kernel) + " has " + std::to_string(taken) + " input features (dim " +
                     std::to_string(op.dims.kernel.input) + ") and the input " + to_string(input) + " has " +
                     std::to_string(given) + (op.feature_groups ? " in each group" : "") + " (dim " +
                     std::to_string(op.dims.input.feature) + "); expected equal numbers");
  return false;
}

/// What a Plan holds on the way must be possible too: the input with its gaps and padding, and its windows.
bool check_windows(const InferContext& context, const Convolution& op, const std::vector<ConvolutionWindows>& along) {
  Shape spread = context.operand(0).shape, padded = spread, windows = spread;
  for (size_t i = 0; i < along.size(); ++i) {
    const size_t dim = static_cast<size_t>(op.dims.input.spatial[i]);
    spread[dim] = along[i].size * along[i].dilation;
    padded[dim] = std::max(along[i].dilated(), along[i].padded());
    windows[dim] = along[i].count();
    windows.push_back(along[i].kernel);
  }
  return check_sizes(context, spread) && check_sizes(context, padded) && check_sizes(context, windows);
}

/// `[b, f, 0, 1]`: the name of each dimension, by its place.
std::string names_of(int64_t first, int64_t second, const std::vector<int64_t>& spatial, const char* first_name,
                     const char* second_name) {
  std::vector<std::string> names(spatial.size() + 2);
  names[static_cast<size_t>(first)] = first_name;
  names[static_cast<size_t>(second)] = second_name;
  for (size_t i = 0; i < spatial.size(); ++i) names[static_cast<size_t>(spatial[i])] = std::to_string(i);
  std::string text = "[";
  for (size_t i = 0; i < names.size(); ++i) text += (i ? ", " : "") + names[i];
  return text + "]";
}

}  // namespace

std::string to_string(const ConvolutionDims& dims) {
  return names_of(dims.input.batch, dims.input.feature, dims.input.spatial, "b", "f") + "x" +
         names_of(dims.kernel.output, dims.kernel.input, dims.kernel.spatial, "o", "i") + "->" +
         names_of(dims.output.batch, dims.output.feature, dims.output.spatial, "b", "f");
}

int64_t ConvolutionWindows::count() const {
  const int64_t room = padded();
  return room == 0 || span() > room ? 0 : (room - span()) / stride + 1;
}

std::vector<ConvolutionWindows> Convolution::windows(const Shape& input, const Shape& kernel) const {
  std::vector<ConvolutionWindows> all;
  for (size_t i = 0; i < dims.input.spatial.size(); ++i) {
    all.push_back({.size = size_of(input, dims.input.spatial[i]),
                   .dilation = entry(lhs_dilation, i, 1),
                   .low = entry(low, i, 0),
                   .high = entry(high, i, 0),
                   .kernel = size_of(kernel, dims.kernel.spatial[i]),
                   .kernel_dilation = entry(rhs_dilation, i, 1),
                   .stride = entry(strides, i, 1),
                   .reversed = entry(reversal, i, 0) != 0});
  }
  return all;
}

Inferred Convolution::infer(const InferContext& context) const {
  const TensorType &input = context.operand(0), &kernel = context.operand(1);
  if (input.dtype != kernel.dtype || !is_numeric(input.dtype)) {
    return context.error("T-dtype", "the operands are " + to_string(input) + " and " + to_string(kernel) +
                                        "; expected one numeric dtype");
  }
  if (!check_roles(context, dims) || !check_lists(context, *this) || !check_groups(context, *this) ||
      !check_features(context, *this)) {
    return std::nullopt;
  }
  const std::vector<ConvolutionWindows> along = windows(input.shape, kernel.shape);
  TensorType result{input.dtype, Shape(input.shape.size())};
  const auto size = [&](int64_t dim) -> int64_t& { return result.shape[static_cast<size_t>(dim)]; };
  size(dims.output.batch) = size_of(input.shape, dims.input.batch) / batch_groups.value_or(1);
  size(dims.output.feature) = size_of(kernel.shape, dims.kernel.output);
  for (size_t i = 0; i < along.size(); ++i) size(dims.output.spatial[i]) = along[i].count();
  if (!check_windows(context, *this, along) || !check_sizes(context, result.shape)) return std::nullopt;
  return std::vector{result};
}

void Convolution::infer_states(StateContext& context) const {
  infer_states_by_rule(StateRule::bilinear, context);
  apply_partial(partial, context);
}

}  // namespace isoshard

// Types and states of iota and of ops that are indexed by values. A gather takes the rows of one dimension, with
// `batch` leading dimensions shared by operand and indices; a scatter takes updates of exactly the shape that this
// gather gives. Starts and indices are integers. States: the data follow their row, and what selects must be equal on
// all devices or the result varies with it, which one function decides for all of these ops (docs/types.md,
// "Predicates, indices and starts"). Cost: dimensions times axes.
#include "core/ir/ops/indexing.h"

#include <algorithm>

#include "core/ir/ops/shape_checks.h"
#include "core/value/integers.h"

namespace isoshard {
namespace {

/// Reports block sizes that do not fit into operand 0.
bool check_block(const InferContext& context, const Shape& block, const std::string& what) {
  const TensorType& x = context.operand(0);
  bool fits = block.size() == x.shape.size();
  for (size_t d = 0; fits && d < block.size(); ++d) fits = block[d] >= 0 && block[d] <= x.shape[d];
  if (!fits) {
    context.error("T-block", what + " [" + to_string(block) + "] does not fit into the operand " + to_string(x) +
                                 "; expected one size per dimension, from 0 to that of the operand");
  }
  return fits;
}

/// The shape that a gather gives; nothing after an error.
std::optional<Shape> gathered_shape(const InferContext& context, int64_t dim, int64_t batch) {
  const TensorType& x = context.operand(0);
  const TensorType& ids = context.operand(1);
  if (!check_dim(context, dim, x.shape.size())) return std::nullopt;
  if (!is_integer(ids.dtype)) {
    context.error("T-index", "the indices are " + to_string(ids) + "; expected integers");
    return std::nullopt;
  }
  const auto shared = static_cast<size_t>(batch);
  if (batch < 0 || batch > dim || shared > ids.shape.size() ||
      !std::equal(ids.shape.begin(), ids.shape.begin() + batch, x.shape.begin())) {
    const bool fits = batch >= 0 && batch <= dim && shared <= ids.shape.size();
    for (size_t i = 0; fits && i < shared; ++i) {
      if (ids.shape[i] == x.shape[i]) continue;
      context.error("T-gather", "`batch` is " + std::to_string(batch) + ", and dim " + std::to_string(i) + " of " +
                                    to_string(x) + " is " + std::to_string(x.shape[i]) + " but that of the indices " +
                                    to_string(ids) + " is " + std::to_string(ids.shape[i]) +
                                    "; expected equal leading dimensions");
      return std::nullopt;
    }
    context.error("T-gather", "`batch` is " + std::to_string(batch) + " for " + to_string(x) + " indexed along dim " +
                                  std::to_string(dim) + " by " + to_string(ids) +
                                  "; expected the number of equal leading dimensions, at most " + std::to_string(dim));
    return std::nullopt;
  }
  if (x.shape[static_cast<size_t>(dim)] == 0 && element_count(ids.shape) != 0) {
    context.error("T-gather", "dim " + std::to_string(dim) + " of " + to_string(x) + " has no elements to pick from");
    return std::nullopt;
  }
  Shape result(x.shape.begin(), x.shape.begin() + dim);
  result.insert(result.end(), ids.shape.begin() + batch, ids.shape.end());
  result.insert(result.end(), x.shape.begin() + dim + 1, x.shape.end());
  if (!check_sizes(context, result)) return std::nullopt;
  return result;
}

}  // namespace

Inferred Iota::infer(const InferContext& context) const {
  if (!check_sizes(context, shape) || !check_dim(context, dim, shape.size())) return std::nullopt;
  if (!is_numeric(dtype)) {
    return context.error("T-numeric", "`dtype` is " + std::string(name(dtype)) + "; expected numbers");
  }
  const int64_t count = shape[static_cast<size_t>(dim)];
  if (is_integer(dtype) && count - 1 > integer_ends(dtype).greatest) {
    return context.error("T-iota", "dim " + std::to_string(dim) + " counts to " + std::to_string(count - 1) +
                                       "; expected at most " + std::to_string(integer_ends(dtype).greatest) + " in " +
                                       std::string(name(dtype)));
  }
  return std::vector{TensorType{dtype, shape}};
}

Inferred DynamicSlice::infer(const InferContext& context) const {
  if (!check_starts(context, 1, context.operand(0)) || !check_block(context, sizes, "`sizes`")) return std::nullopt;
  return std::vector{TensorType{context.operand(0).dtype, sizes}};
}

void DynamicSlice::infer_states(StateContext& context) const {
  infer_states_with_selectors(StateRule::unary_linear, 1, context.operands.size() - 1, context);
}

Inferred DynamicUpdateSlice::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (!check_starts(context, 2, context.operand(0))) return std::nullopt;
  const TensorType& update = context.operand(1);
  if (update.dtype != x.dtype) {
    return context.error("T-dtype",
                         "the operands are " + to_string(x) + " and " + to_string(update) + "; expected one dtype");
  }
  if (!check_block(context, update.shape, "the update")) return std::nullopt;
  return std::vector{x};
}

void DynamicUpdateSlice::infer_states(StateContext& context) const {
  infer_states_with_selectors(StateRule::jointly_linear, 2, context.operands.size() - 1, context);
}

Inferred Gather::infer(const InferContext& context) const {
  std::optional<Shape> shape = gathered_shape(context, dim, batch);
  if (!shape) return std::nullopt;
  return std::vector{TensorType{context.operand(0).dtype, std::move(*shape)}};
}

void Gather::infer_states(StateContext& context) const {
  infer_states_with_selectors(StateRule::unary_linear, 1, 1, context);
}

Inferred ScatterAdd::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  const TensorType& updates = context.operand(2);
  if (!is_numeric(x.dtype)) return context.error("T-numeric", "the operand is " + to_string(x) + "; expected numbers");
  const std::optional<Shape> shape = gathered_shape(context, dim, batch);
  if (!shape) return std::nullopt;
  if (!(updates == TensorType{x.dtype, *shape})) {
    return context.error("T-scatter", "the updates are " + to_string(updates) + "; expected " +
                                          to_string(TensorType{x.dtype, *shape}) + ", what gather would give");
  }
  return std::vector{x};
}

void ScatterAdd::infer_states(StateContext& context) const {
  infer_states_with_selectors(StateRule::jointly_linear, 1, 1, context);
}

}  // namespace isoshard

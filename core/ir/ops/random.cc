// Types of the ops on keys (docs/spec/random.md, "Folds and splits", "Blocks"). Folds take a word per key or one for
// all; splits give as many keys as counters of 32 bits allow; bits are those of a block that fits into the whole array,
// whose start may be a value. Keys become words and words keys only by `bitcast_convert`, since arithmetic on keys has
// no meaning. States follow from the rows of ops without a gradient. Cost: the number of dimensions.
#include "core/ir/ops/random.h"

#include "core/ir/ops/shape_checks.h"

namespace isoshard {
namespace {

/// Reports a first operand that is no key, or no scalar one.
bool check_key(const InferContext& context, bool scalar) {
  const TensorType& key = context.operand(0);
  if (key.dtype == DType::key && (!scalar || key.shape.empty())) return true;
  context.error("T-key", "the first operand is " + to_string(key) + "; expected " + (scalar ? "a scalar key" : "keys") +
                             (key.dtype == DType::u32 ? " (bitcast_convert makes keys of u32[..., 2])" : ""));
  return false;
}

}  // namespace

Inferred RngFoldIn::infer(const InferContext& context) const {
  if (!check_key(context, false)) return std::nullopt;
  const TensorType& key = context.operand(0);
  const TensorType& data = context.operand(1);
  const bool is_word = data.dtype == DType::i32 || data.dtype == DType::u32;
  if (!is_word || (!data.shape.empty() && data.shape != key.shape)) {
    return context.error("T-rng", "folds " + to_string(data) + " into " + to_string(key) +
                                      "; expected i32 or u32, a scalar or of the key's shape");
  }
  return std::vector{key};
}

Inferred RngSplit::infer(const InferContext& context) const {
  if (!check_key(context, true)) return std::nullopt;
  if (n < 1 || n >= int64_t{1} << 31) {
    return context.error("T-rng", "`n` is " + std::to_string(n) + "; expected 1 to 2147483647 keys");
  }
  return std::vector{TensorType{DType::key, {n}}};
}

Inferred RngBits::infer(const InferContext& context) const {
  if (!check_key(context, true) || !check_sizes(context, shape) || !check_sizes(context, whole())) return std::nullopt;
  bool fits = shape.size() == whole().size();
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = shape[d] <= whole()[d];
  if (!fits) {
    return context.error("T-rng", "`shape` is [" + to_string(shape) + "] and does not fit into `global_shape` [" +
                                      to_string(whole()) +
                                      "]; expected one size per dimension, none above that of the whole");
  }
  if (context.operand_count() > 1 && !check_starts(context, 1, TensorType{DType::u32, whole()})) return std::nullopt;
  return std::vector{TensorType{DType::u32, shape}};
}

Inferred BitcastConvert::infer(const InferContext& context) const {
  TensorType x = context.operand(0);
  const bool words = x.dtype == DType::u32 && !x.shape.empty() && x.shape.back() == 2;
  if (x.dtype == DType::key && dtype == DType::u32) {
    x.shape.push_back(2);
  } else if (words && dtype == DType::key) {
    x.shape.pop_back();
  } else {
    return context.error("T-bitcast", "makes " + std::string(name(dtype)) + " of " + to_string(x) +
                                          "; expected key[...] to u32, or u32[..., 2] to key");
  }
  x.dtype = dtype;
  return std::vector{x};
}

}  // namespace isoshard

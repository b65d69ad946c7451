#include <utility>
#include <vector>

#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluators.h"
#include "sim/evaluate/indexing.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

Value apply(const RngFoldIn&, const EvalContext& c) {
  const Value& keys = c.operand(0);
  const Value data = c.operand(1).type.shape.empty() ? broadcast(c.operand(1), {}, keys.type.shape) : c.operand(1);
  NewValue result(c.result(), keys.storage);
  c.domain.fold_in(data.type.dtype, keys.size(), keys.data.get(), data.data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const RngSplit& op, const EvalContext& c) {
  NewValue result(c.result(), c.operand(0).storage);
  c.domain.split_key(op, c.operand(0).data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const RngBits& op, const EvalContext& c) {
  NewValue result(c.result(), c.domain.integer_storage(DType::u32));
  BitsBlock block{op, std::vector<int64_t>(op.whole().size(), 0)};
  if (c.operands.size() > 1) block.start = clamped_starts(c.operands_from(1), op.whole(), op.shape, c.domain);
  c.domain.random_bits(block, c.operand(0).data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const BitcastConvert& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), storage_of(op.dtype, c.domain));
  if (op.dtype == DType::key) {
    c.domain.words_to_keys(result.size(), x.data.get(), result.data.get());
  } else {
    c.domain.keys_to_words(x.size(), x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

}  // namespace isoshard::sim

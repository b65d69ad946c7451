// Finds the evaluator of an op. Each local op has an `apply` (evaluators.h); each other op says below what it is in a
// Plan. An op that has neither, or both, does not compile, so that no new op can be forgotten, and nothing is looked up
// at run time but the index of the variant. Results are one or two values.
#include "sim/evaluate/evaluate.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "core/plan/local_ops.h"
#include "core/support/check.h"
#include "sim/evaluate/evaluators.h"

namespace isoshard::sim {
namespace {

// Ops that are not local say what they are in a Plan instead. An op that has neither an evaluator nor such a reason
// does not compile.

constexpr const char* not_local(const View*) { return "a view is LoadBlock in a Plan"; }
constexpr const char* not_local(const BlockSize*) { return "a block_size is ScalarIndex in a Plan"; }
constexpr const char* not_local(const AxisIndex*) { return "axis_index is ScalarIndex in a Plan"; }
constexpr const char* not_local(const Clamp*) { return "a clamp is a maximum and a minimum in a Plan"; }
constexpr const char* not_local(const Ceil*) { return "a ceil is a floor between two negations in a Plan"; }
constexpr const char* not_local(const AllReduce*) { return "all_reduce is Collective in a Plan"; }
constexpr const char* not_local(const AllGather*) { return "all_gather is Collective in a Plan"; }
constexpr const char* not_local(const ReduceScatter*) { return "reduce_scatter is Collective in a Plan"; }
constexpr const char* not_local(const AllToAll*) { return "all_to_all is Collective in a Plan"; }
constexpr const char* not_local(const CollectivePermute*) { return "collective_permute is Permute in a Plan"; }
constexpr const char* not_local(const ConvertState*) { return "convert_state is KeepOn or nothing in a Plan"; }
constexpr const char* not_local(const Reinterpret*) { return "reinterpret is nothing in a Plan"; }
constexpr const char* not_local(const SliceBlock*) { return "slice_block is TakeBlock in a Plan"; }
constexpr const char* not_local(const Convolution*) { return "a convolution is slices and a dot_general in a Plan"; }
constexpr const char* not_local(const Scan*) { return "a scan is a repeat in a Plan"; }
constexpr const char* not_local(const PlaceBlock*) { return "place_block is PutBlock in a Plan"; }
constexpr const char* not_local(const AssertEqual*) { return "assert_equal is Collective in a Plan"; }
constexpr const char* not_local(const PipelineRun*) { return "a pipeline is actions, sends and receives in a Plan"; }
constexpr const char* not_local(const Call*) { return "a call is replaced by its body in a Plan"; }

template <class Op>
inline constexpr bool has_evaluator = requires(const Op& op, const EvalContext& c) {
  apply(op, c);
};
template <class Op>
inline constexpr bool is_not_local = requires(const Op* op) {
  not_local(op);
};

void put(Value value, std::span<Value> out) { out[0] = std::move(value); }
void put(TwoValues values, std::span<Value> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::move(values[i]);
}

template <class Op>
void evaluate_op(const Op& op, const EvalContext& c, std::span<Value> out) {
  static_assert(has_evaluator<Op> != is_not_local<Op>,
                "an Op needs either apply(const Op&, ...) in sim/evaluate/evaluators.h or not_local(const Op*) here");
  static_assert(has_evaluator<Op> == kIsLocalOp<Op>, "core/plan/local_ops.h says which ops are local");
  if constexpr (has_evaluator<Op>) {
    put(apply(op, c), out);
  } else {
    internal_error("local op", not_local(&op), __FILE__, __LINE__);
  }
}

}  // namespace

void evaluate(const OpData& op, std::span<const Value* const> operands, std::span<const TensorType* const> results,
              const Domain& domain, std::span<Value> out) {
  const EvalContext context{operands, results, domain};
  std::visit([&](const auto& o) { evaluate_op(o, context, out); }, op);
}

void evaluate(const OpData& op, std::span<const Value> operands, std::span<const TensorType* const> results,
              const Domain& domain, std::span<Value> out) {
  std::vector<const Value*> places;
  places.reserve(operands.size());
  for (const Value& operand : operands) places.push_back(&operand);
  evaluate(op, places, results, domain, out);
}

Value evaluate(const OpData& op, std::span<const Value> operands, const TensorType& result, const Domain& domain) {
  const TensorType* const results[] = {&result};
  Value value;
  evaluate(op, operands, results, domain, std::span(&value, 1));
  return value;
}

}  // namespace isoshard::sim

#include "core/ir/all_ops.h"

namespace isoshard {

OpData::OpData() = default;
OpData::OpData(const OpData& other) = default;
OpData::OpData(OpData&& other) noexcept = default;
OpData& OpData::operator=(const OpData& other) = default;
OpData& OpData::operator=(OpData&& other) noexcept = default;
OpData::~OpData() = default;

std::string_view op_name(const OpData& op) {
  return std::visit([](const auto& o) { return o.kName; }, op);
}

OpFacts op_facts(const OpData& op) {
  return std::visit([](const auto& o) { return facts_of(o); }, op);
}

std::vector<ProgramId> callees(const OpData& op) {
  if (const Call* call = std::get_if<Call>(&op)) {
    return call->vjp.valid() ? std::vector{call->callee, call->vjp} : std::vector{call->callee};
  }
  if (const PipelineRun* pipeline = std::get_if<PipelineRun>(&op)) return {pipeline->stage, pipeline->loss};
  return {};
}

int operand_count(const OpData& op) {
  return std::visit([](const auto& o) { return o.kOperands; }, op);
}

Inferred infer_types(const OpData& op, const InferContext& context) {
  return std::visit([&](const auto& o) { return o.infer(context); }, op);
}

void infer_states(const OpData& op, StateContext& context) {
  std::visit(
      [&]<class T>(const T& o) {
        if constexpr (T::kStates == StateRule::custom) {
          o.infer_states(context);
        } else {
          infer_states_by_rule(T::kStates, context);
        }
      },
      op);
}

}  // namespace isoshard

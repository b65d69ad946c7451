// Calls and scans: the backward program calls the backward part, and runs the body's adjoint from the last iteration to
// the first.
#include <utility>

#include "core/transform/autodiff/backward_scan.h"
#include "core/transform/autodiff/no_derivative.h"
#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {

/// A backward that the user wrote takes the arguments and all cotangents, and gives those of all arguments.
static void user_written_adjoint(const Call& op, OpAdjoint& at) {
  const VjpSignature signature = vjp_signature(at.module().function(op.callee));
  std::vector<ValueId> operands;
  for (size_t i = 0; i < at.operand_count(); ++i) operands.push_back(at.operand(i));
  for (const size_t result : signature.results) operands.push_back(at.cotangent(result));
  const std::vector<ValueId> gradients = at.ops(Call{op.vjp}, std::move(operands));
  for (size_t k = 0; k < signature.wrt.size(); ++k) at.give(signature.wrt[k], gradients[k]);
}

void adjoint(const Call& op, OpAdjoint& at) {
  if (op.vjp.valid()) return user_written_adjoint(op, at);
  const Vjp& vjp = at.analysis().callees.at(at.id().index());
  std::vector<ValueId> operands;
  for (const size_t result : vjp.active_results) operands.push_back(at.cotangent(result));
  for (size_t i = 0; i < vjp.residuals; ++i) operands.push_back(at.extra(i));
  const std::vector<ValueId> gradients = at.ops(Call{vjp.backward}, std::move(operands));
  for (size_t i = 0; i < vjp.wrt.size(); ++i) at.give(vjp.wrt[i], gradients[i]);
}

void adjoint(const Scan&, OpAdjoint& at) { BackwardScan(at).run(); }

void adjoint(const PipelineRun& op, OpAdjoint& at) { at.refuse(std::string(no_derivative(op))); }

void differentiate(const OpData& data, OpAdjoint& at) {
  std::visit([&](const auto& op) { adjoint(op, at); }, data);
}

}  // namespace isoshard::autodiff

#include "tests/autodiff/parts.h"

#include <algorithm>
#include <cstddef>

#include "core/transform/autodiff/split_backward.h"

namespace isoshard::autodiff {
namespace {

Values chosen(const Values& values, const std::vector<size_t>& which) {
  Values result;
  for (const size_t i : which) result.push_back(values[i]);
  return result;
}

/// How many ops of a function, and of what it calls, move or compute data.
size_t work(const Module& module, ProgramId function) {
  const Program& program = module.program(function);
  size_t count = 0;
  for (size_t i = 0; i < program.op_count(); ++i) {
    const Op& op = program.op(OpId(i));
    if (const Call* call = std::get_if<Call>(&op.data)) count += work(module, call->callee);
    const bool counts = std::holds_alternative<DotGeneral>(op.data) || std::holds_alternative<AllReduce>(op.data) ||
                        std::holds_alternative<AllGather>(op.data) || std::holds_alternative<Gather>(op.data);
    count += counts ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string parts_problem(Module& module, const Vjp& vjp, const AdjointIdentity& at, const Values& gradients,
                          uint64_t seed) {
  DiagnosticSink sink;
  testing::Dice dice(seed + 3);
  if (vjp.wrt.size() < 2) return "";  // no two parts
  std::vector<size_t> inputs;
  while (inputs.empty() || inputs.size() == vjp.wrt.size()) {
    inputs.clear();
    for (size_t k = 0; k < vjp.wrt.size(); ++k) {
      if (dice.chance(50)) inputs.push_back(k);
    }
  }
  const std::optional<SplitBackward> parts = split_backward(module, vjp, inputs, sink);
  if (!parts) return "cannot be split: " + (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
  for (const ProgramId part : {parts->input, parts->weight}) {
    for (const Diagnostic& error : module.state_errors(part)) return error.message;
  }
  Values first = at.apply(module, parts->input, chosen(at.backward_arguments(), parts->input_arguments));
  Values second = chosen(at.backward_arguments(), parts->weight_arguments);
  if (first.size() != inputs.size() + parts->handed) return "another number of results";
  second.insert(second.end(), first.begin() + static_cast<std::ptrdiff_t>(inputs.size()), first.end());
  first.resize(inputs.size());
  if (!same(first, chosen(gradients, inputs))) return "the input part gives other gradients";
  if (!same(at.apply(module, parts->weight, second), chosen(gradients, parts->weights))) {
    return "the weight part gives other gradients";
  }
  const size_t both = work(module, parts->input) + work(module, parts->weight);
  return both <= work(module, vjp.backward) ? "" : "something is computed in both parts";
}

}  // namespace isoshard::autodiff

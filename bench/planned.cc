#include "bench/planned.h"

#include <variant>

#include "bench/report.h"
#include "core/plan/lower.h"
#include "core/support/check.h"
#include "sim/conversion.h"
#include "sim/domains/f32_f64.h"
#include "sim/engine.h"

namespace isoshard::bench {
namespace {

sim::Value small_numbers(const TensorType& type) {
  if (type.dtype == DType::key)
    return sim::from_tensor(Tensor::from<uint64_t>(DType::key, {}, std::vector<uint64_t>{0}), sim::float_domain());
  std::vector<double> elements(static_cast<size_t>(element_count(type.shape)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = (static_cast<double>(i * 7919 % 13) - 6) / 64;
  return sim::from_doubles(type, elements, sim::float_domain());
}

/// Elements over which the contracted dimensions of `operand` run.
int64_t contracted_size(const DotGeneral& dot, const Shape& operand) {
  int64_t size = 1;
  for (const int64_t dim : dot.contract.lhs) size *= operand[static_cast<size_t>(dim)];
  return size;
}

}  // namespace

std::vector<sim::Value> small_numbers(const Plan& plan) {
  std::vector<sim::Value> globals;
  for (const Global& global : plan.globals) globals.push_back(small_numbers(global.type));
  return globals;
}

Module model(const ModelRequest& request) {
  DiagnosticSink sink;
  std::optional<Module> module = make_model(request, sink);
  ISOSHARD_CHECK(module.has_value(), "the catalogue makes this model");
  return std::move(*module);
}

Planned planned_model(const ModelRequest& request, Side side) {
  const Module module = model(request);
  const Check& check = module.checks.front();
  Plan plan = lower(module, side == Side::sharded ? check.left : check.right);
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

void run(benchmark::State& state, const Planned& planned, int workers) {
  sim::RunOptions options;
  options.workers = workers;
  Shortest shortest;
  for (auto _ : state) {
    shortest.start();
    const Result<sim::RunResult> result = sim::run(planned.plan, sim::float_domain(), planned.globals, options);
    shortest.stop();
    if (!result) return fail(state, result.error().message);
  }
  shortest.show(state);
}

double matmul_flops(const Plan& plan) {
  double flops = 0;
  for (const Instruction& instruction : plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&instruction.data);
    const DotGeneral* dot = local == nullptr ? nullptr : std::get_if<DotGeneral>(&local->op);
    if (dot == nullptr) continue;
    const auto outputs = static_cast<double>(element_count(plan.value(instruction.results[0]).type.shape));
    const Shape& left = plan.value(instruction.operands[0]).type.shape;
    flops += 2 * outputs * static_cast<double>(contracted_size(*dot, left));
  }
  return flops * static_cast<double>(plan.mesh->device_count());
}

}  // namespace isoshard::bench

#include "bench/planned.h"

#include "core/plan/passes/lower.h"
#include "core/support/check.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::bench {
namespace {

sim::Value value_of_small_numbers(const TensorType& type) {
  if (type.dtype == DType::key)
    return sim::from_tensor(Tensor::from<uint64_t>(DType::key, {}, std::vector<uint64_t>{0}), sim::float_domain());
  std::vector<double> elements(static_cast<size_t>(element_count(type.shape)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = (static_cast<double>(i * 7919 % 13) - 6) / 64;
  return sim::from_doubles(type, elements, sim::float_domain());
}

}  // namespace

std::vector<sim::Value> small_numbers(const Plan& plan) {
  std::vector<sim::Value> globals;
  for (const Global& global : plan.globals) globals.push_back(value_of_small_numbers(global.type));
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

}  // namespace isoshard::bench

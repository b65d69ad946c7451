#include "tests/golden/module_run.h"

#include <stdexcept>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"

namespace isoshard::golden {
namespace {

Tensor zeros(const TensorType& type) {
  const std::vector<std::byte> bytes(static_cast<size_t>(element_count(type.shape)) * info(type.dtype).bytes);
  return Tensor::from_bytes(type.dtype, type.shape, bytes);
}

}  // namespace

std::map<std::string, Tensor> run_program(const Module& module, ProgramId program,
                                          const std::map<std::string, Tensor>& given) {
  std::string wrong;
  for (const Diagnostic& d : module.state_errors(program)) wrong += d.rule + " " + d.message + "\n";
  if (!wrong.empty()) throw std::runtime_error(wrong);
  const Plan plan = lower(module, program);
  const sim::Domain& domain = sim::float_domain();
  std::vector<sim::Value> globals;
  for (const Global& global : module.globals) {
    const auto own = given.find(global.name);
    const Tensor array = own == given.end() ? zeros(global.type) : own->second;
    if (TensorType{array.dtype(), array.shape()} != global.type)
      throw std::runtime_error("the type of @" + global.name);
    globals.push_back(sim::from_tensor(array, domain));
  }
  const Result<sim::RunResult> result = sim::run(plan, domain, globals);
  if (!result) throw std::runtime_error(result.error().message);
  std::map<std::string, Tensor> outputs;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    outputs[plan.outputs[o].name] =
        sim::to_tensor(sim::assemble(plan.outputs[o].type, result->outputs[o]).value, domain);
  }
  return outputs;
}

}  // namespace isoshard::golden

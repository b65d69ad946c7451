#include "bench/table/measure/plan_runs.h"

#include <stdexcept>

#include "core/plan/passes/lower.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"

namespace isoshard::bench {

void run_plan(const Planned& planned, int workers, std::optional<uint64_t> interleave_seed) {
  sim::RunOptions options;
  options.workers = workers;
  options.interleave_seed = interleave_seed;
  const Result<sim::RunResult> result = sim::run(planned.plan, sim::float_domain(), planned.globals, options);
  if (!result) throw std::runtime_error("not supported: " + result.error().message);
}

std::string path_of(const ProgramFile& file) {
  return std::string(ISOSHARD_SOURCE) + "/bench/table/programs/" + file.name + ".shard";
}

Planned planned_file(const ProgramFile& file, Side side) {
  const auto source = text::read_source(path_of(file));
  if (!source) throw std::runtime_error("not measured: " + source.error().message);
  text::ElaborateOptions options;
  options.mesh_sizes = file.mesh;
  options.settings = file.settings;
  DiagnosticSink sink;
  const std::optional<Module> module = text::parse_module(*source, options, sink);
  if (!module) throw std::runtime_error("not supported: " + file.name + ".shard has errors");
  const Check& check = module->checks.front();
  Plan plan = lower(*module, side == Side::sharded ? check.left : check.right);
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

}  // namespace isoshard::bench

// The main job: `check` inside this process, and whole processes of isoshard from start to end. Run from anywhere.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/planned.h"
#include "bench/process.h"
#include "bench/report.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "verify/check.h"

namespace isoshard::bench {
namespace {

std::string example(const char* name) { return std::string(ISOSHARD_EXAMPLES) + "/" + name + ".shard"; }

std::optional<Module> parse(const std::string& path) {
  DiagnosticSink sink;
  const Result<std::shared_ptr<const SourceFile>> source = text::read_source(path);
  return source ? text::parse_module(*source, text::ElaborateOptions{}, sink) : std::nullopt;
}

/// From the file to the module.
void parse_file(benchmark::State& state, const char* name) {
  const std::string path = example(name);
  for (auto _ : state) {
    if (!parse(path)) return fail(state, "cannot parse " + path);
  }
}

void check_module(benchmark::State& state, const Module& module, int workers) {
  verify::CheckOptions options;
  options.workers = workers;
  Shortest shortest;
  for (auto _ : state) {
    shortest.start();
    const verify::CheckReport report = verify::check(module, module.checks.front(), options);
    shortest.stop();
    if (report.exit_code() != 0) return fail(state, report.headline());
  }
  shortest.show(state);
}

void check_file(benchmark::State& state, const char* name) {
  const std::optional<Module> module = parse(example(name));
  if (!module) return fail(state, "cannot parse " + example(name));
  check_module(state, *module, static_cast<int>(state.range(0)));
}

/// With the catalogue's default sizes on 1 x `devices` devices.
void check_model(benchmark::State& state, const char* name) {
  const ModelRequest request{name, {MeshAxis{"data", 1}, MeshAxis{"model", state.range(0)}}, {}};
  check_module(state, model(request), static_cast<int>(state.range(1)));
}

/// One process per iteration; the CPU time is that of this program and means nothing, `cpu` is that of the process.
void process(benchmark::State& state, const std::vector<std::string>& arguments) {
  const std::string binary = isoshard_binary();
  Shortest shortest;
  ProcessRun last;
  double cpu_seconds = 0;
  for (auto _ : state) {
    shortest.start();
    last = run_process(binary, arguments);
    shortest.stop();
    cpu_seconds += last.cpu_seconds;
    if (last.exit_code != 0) return fail(state, binary + " ended with " + std::to_string(last.exit_code));
  }
  shortest.show(state);
  state.counters["cpu"] = benchmark::Counter(cpu_seconds, benchmark::Counter::kAvgIterations);
  state.counters["peak_MB"] = last.peak_megabytes;
}

// Processes first: Linux counts the memory of the starting process into `peak_MB` of the one it starts.
BENCHMARK_CAPTURE(process, version, {"version"})->UseRealTime();
BENCHMARK_CAPTURE(process, check_tp_mlp, {"check", example("tp_mlp")})->UseRealTime();
BENCHMARK_CAPTURE(process, check_ring_matmul, {"check", example("ring_matmul")})->UseRealTime();
BENCHMARK_CAPTURE(process, sim_tp_mlp, {"sim", "tp_mlp"})->UseRealTime();
BENCHMARK_CAPTURE(process, check_train_step,
                  {"check", "train_step", "--set", "model=transformer,layers=12", "--mesh", "dp=2,pp=2,tp=2"})
    ->UseRealTime();
BENCHMARK_CAPTURE(parse_file, tp_mlp, "tp_mlp");
BENCHMARK_CAPTURE(parse_file, ring_matmul, "ring_matmul");
BENCHMARK_CAPTURE(check_file, tp_mlp, "tp_mlp")->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(check_file, ring_matmul, "ring_matmul")->ArgName("workers")->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(check_model, tp_mlp, "tp_mlp")
    ->ArgNames({"devices", "workers"})
    ->ArgsProduct({{1, 8}, {1, 2}})
    ->UseRealTime();

}  // namespace
}  // namespace isoshard::bench

// Whole programs of the catalogue in f32, lowering, and what the engine itself costs. With several workers look at the
// wall time and at `best`, otherwise at the CPU time. GF are 10^9 operations of matrix products per second.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/planned.h"
#include "bench/report.h"
#include "bench/small_plans.h"
#include "bench/timed_run.h"
#include "core/plan/flops.h"
#include "core/plan/passes/lower.h"

namespace isoshard::bench {
namespace {

ModelRequest request(std::string name, int64_t devices, int64_t b, int64_t d, int64_t f) {
  ModelRequest result{std::move(name), {MeshAxis{"data", 1}, MeshAxis{"model", devices}}, {}};
  for (const auto& [setting, value] : {std::pair("b", b), std::pair("d", d), std::pair("f", f)}) {
    result.settings.push_back(SettingValue{setting, std::to_string(value)});
  }
  return result;
}

void run_and_count(benchmark::State& state, const Planned& planned, int workers) {
  run(state, planned, workers);
  count_giga(state, "GF", matmul_flops(planned.plan));
}

/// Arguments: devices, workers; 512 rows, 1024 features, 4096 hidden ones.
void tp_mlp(benchmark::State& state) {
  run_and_count(state, planned_model(request("tp_mlp", state.range(0), 512, 1024, 4096)),
                static_cast<int>(state.range(1)));
}

/// The dense program that tp_mlp must equal, on one device. Argument: workers.
void dense_mlp(benchmark::State& state) {
  run_and_count(state, planned_model(request("tp_mlp", 1, 512, 1024, 4096), Side::reference),
                static_cast<int>(state.range(0)));
}

void tp_mlp_small(benchmark::State& state) {
  run_and_count(state, planned_model(request("tp_mlp", state.range(0), 128, 512, 2048)),
                static_cast<int>(state.range(1)));
}

/// The same sizes with the residual stream split over the devices: TPMLPBlock, which gathers and scatters.
void tp_mlp_split(benchmark::State& state) {
  ModelRequest wanted = request("tp_mlp", state.range(0), 512, 1024, 4096);
  wanted.settings.push_back(SettingValue{"residual", "split"});
  wanted.settings.push_back(SettingValue{"activation", "silu"});
  run_and_count(state, planned_model(wanted), static_cast<int>(state.range(1)));
}

/// TPAsyncMLPBlock: N times as many products, each N times smaller, and rings of permutes.
void tp_async_mlp(benchmark::State& state) {
  run_and_count(state, planned_model(request("tp_async_mlp", state.range(0), 512, 1024, 4096)),
                static_cast<int>(state.range(1)));
}

void ring_matmul(benchmark::State& state) {
  run_and_count(state, planned_model(request("ring_matmul", state.range(0), 512, 1024, 4096)),
                static_cast<int>(state.range(1)));
}

constexpr int64_t kMicroBatches = 32, kBatch = 512, kWidth = 256;

ModelRequest gpipe_request(int64_t devices) {
  ModelRequest result{"execute_pipeline", {MeshAxis{"data", 1}, MeshAxis{"model", devices}}, {}};
  for (const auto& [setting, value] :
       {std::pair("micro_batches", kMicroBatches), std::pair("b", kBatch), std::pair("width", kWidth)}) {
    result.settings.push_back(SettingValue{setting, std::to_string(value)});
  }
  return result;
}

/// The forward pass of GPipe: 512 rows of 256 features in 32 micro-batches through stages of one matrix each. GF are
/// those of the micro-batches, without those of the bubbles. Arguments: devices, workers.
void gpipe(benchmark::State& state) {
  const int64_t devices = state.range(0);
  run(state, planned_model(gpipe_request(devices)), static_cast<int>(state.range(1)));
  count_giga(state, "GF", 2.0 * static_cast<double>(kBatch * kWidth * kWidth * devices));
}

/// The same stages one after another on one device, the whole batch at once. Arguments: stages, workers.
void gpipe_sequential(benchmark::State& state) {
  run_and_count(state, planned_model(gpipe_request(state.range(0)), Side::reference), static_cast<int>(state.range(1)));
}

/// From the catalogue's name to the plan of the pipeline.
void make_and_lower_gpipe(benchmark::State& state) {
  for (auto _ : state) {
    const Module module = model(gpipe_request(state.range(0)));
    benchmark::DoNotOptimize(lower(module, module.checks.front().left));
  }
}

/// From the catalogue's name to the module, both programs and the check.
void make(benchmark::State& state, const char* name) {
  const ModelRequest wanted = request(name, state.range(0), 64, 1024, 4096);
  for (auto _ : state) benchmark::DoNotOptimize(model(wanted));
}

void lower_program(benchmark::State& state, const char* name) {
  const Module module = model(request(name, state.range(0), 64, 1024, 4096));
  const ProgramId program = module.checks.front().left;
  size_t instructions = 0;
  for (auto _ : state) instructions = lower(module, program).instructions.size();
  count_each(state, "each", static_cast<double>(instructions));
}

/// From the catalogue's name to the plan: a scan over 32 transformer blocks on 8 x 8 devices, beside it the reference,
/// a loop over layers and devices, and the program of the first parameters.
void make_and_lower_transformer(benchmark::State& state) {
  const ModelRequest wanted{"tp_transformer_block",
                            {MeshAxis{"data", 8}, MeshAxis{"model", 8}},
                            {SettingValue{"layers", "32"}, SettingValue{"width", "64"}, SettingValue{"hidden", "256"}}};
  for (auto _ : state) {
    const Module module = model(wanted);
    benchmark::DoNotOptimize(lower(module, module.checks.front().left));
  }
}

/// `each` is the time of one instruction on one device.
void engine(benchmark::State& state, bool communicate) {
  const int64_t devices = state.range(0);
  run(state, small_ops(devices, communicate), 1);
  count_each(state, "each", static_cast<double>(devices * kSmallOpRounds * (communicate ? 2 : 1)));
}

void large_meshes(benchmark::internal::Benchmark* row) { row->ArgName("devices")->Arg(8)->Arg(64)->Arg(4096); }

void meshes(benchmark::internal::Benchmark* row) {
  row->ArgNames({"devices", "workers"})->ArgsProduct({{1, 8}, {1, 2}})->MeasureProcessCPUTime()->UseRealTime();
}

void blocks(benchmark::internal::Benchmark* row) {
  row->ArgNames({"devices", "workers"})->ArgsProduct({{8, 64}, {1}})->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(dense_mlp)->ArgName("workers")->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(tp_mlp)->Apply(meshes);
BENCHMARK(tp_mlp_small)->Apply(meshes);
BENCHMARK(gpipe)->Apply(blocks);
BENCHMARK(gpipe_sequential)->Apply(blocks);
BENCHMARK(tp_mlp_split)->Apply(blocks);
BENCHMARK(tp_async_mlp)->Apply(blocks);
BENCHMARK(ring_matmul)->Apply(meshes);
BENCHMARK_CAPTURE(make, tp_mlp, "tp_mlp")->ArgName("devices")->Arg(8);
BENCHMARK_CAPTURE(make, ring_matmul, "ring_matmul")->ArgName("devices")->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(make, tp_async_mlp, "tp_async_mlp")->ArgName("devices")->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(lower_program, tp_mlp, "tp_mlp")->ArgName("devices")->Arg(8);
BENCHMARK_CAPTURE(lower_program, ring_matmul, "ring_matmul")->ArgName("devices")->Arg(8)->Arg(64);
BENCHMARK(make_and_lower_transformer)->Unit(benchmark::kMillisecond);
BENCHMARK(make_and_lower_gpipe)->ArgName("devices")->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(engine, local, false)->Apply(large_meshes);
BENCHMARK_CAPTURE(engine, all_reduce, true)->Apply(large_meshes);

}  // namespace
}  // namespace isoshard::bench

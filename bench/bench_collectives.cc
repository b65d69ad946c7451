// Collectives and permutes as the engine does them: one thread, 8 devices, kRounds in a row. GB is per second of the
// array of each device (the larger of what it gives and what it gets), all devices together; `copy` is memcpy of as
// much.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "bench/planned.h"
#include "bench/report.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard::bench {
namespace {

constexpr int64_t kDevices = 8, kRounds = 16;

/// Appends one collective whose larger side has as many elements as `x`.
using Append = void (*)(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x);

template <CollectiveKind kind>
void append_collective(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x) {
  builder.collective(kind, communicator, x);
}

void append_gather(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x) {
  builder.collective(CollectiveKind::all_gather, communicator, builder.take_block(x, 0, 0, kDevices));
}

void append_permute(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x) {
  const Expr self = Expr::coordinate(AxisId(size_t{0}));
  builder.permute(communicator, x, mod(self + 1, kDevices), mod(self + (kDevices - 1), kDevices));
}

/// Each device loads its own f32[elements] and takes part in kRounds collectives on it.
Planned rounds(int64_t elements, Append append) {
  const auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{MeshAxis{"x", kDevices}});
  const Expr self = Expr::coordinate(AxisId(size_t{0}));
  PlanBuilder builder(mesh);
  const TensorType whole{DType::f32, {kDevices * elements}};
  const GlobalId global = builder.add_global(Global{"x", whole, Role::input, Init{}, Location()});
  const PlanValueId x = builder.load(global, {self}, {kDevices});
  const CommunicatorId communicator = builder.add_communicator(Group{{AxisId(size_t{0})}}, "comm");
  const std::vector<PlanValueId> inside = builder.begin_repeat(kRounds, {x});
  append(builder, communicator, inside[0]);
  builder.end_repeat({inside[0]});
  Plan plan = builder.finish();
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

void collective(benchmark::State& state, Append append) {
  const int64_t bytes = state.range(0);
  run(state, rounds(bytes / 4, append), 1);
  count_giga(state, "GB", static_cast<double>(kRounds * kDevices * bytes));
  count_each(state, "each", kRounds);
}

void copy(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  const std::vector<char> from(bytes * kDevices, 1);
  std::vector<char> to(from.size());
  for (auto _ : state) {
    for (int64_t i = 0; i < kRounds; ++i) {
      std::memcpy(to.data(), from.data(), from.size());
      benchmark::ClobberMemory();
    }
  }
  count_giga(state, "GB", static_cast<double>(kRounds * kDevices * state.range(0)));
  count_each(state, "each", kRounds);
}

void sizes(benchmark::internal::Benchmark* row) {
  row->ArgName("bytes")->Arg(1 << 10)->Arg(64 << 10)->Arg(1 << 20)->Arg(16 << 20);
}

BENCHMARK_CAPTURE(collective, all_reduce, append_collective<CollectiveKind::all_reduce>)->Apply(sizes);
BENCHMARK_CAPTURE(collective, all_gather, append_gather)->Apply(sizes);
BENCHMARK_CAPTURE(collective, reduce_scatter, append_collective<CollectiveKind::reduce_scatter>)->Apply(sizes);
BENCHMARK_CAPTURE(collective, collective_permute, append_permute)->Apply(sizes);
BENCHMARK(copy)->ArgName("bytes")->Arg(1 << 20)->Arg(16 << 20);

}  // namespace
}  // namespace isoshard::bench

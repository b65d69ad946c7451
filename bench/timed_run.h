#pragma once

#include <benchmark/benchmark.h>

#include "bench/planned.h"

namespace isoshard::bench {

/// Runs the Plan once per iteration on `workers` threads; with one, nothing leaves the calling thread.
void run(benchmark::State& state, const Planned& planned, int workers);

}  // namespace isoshard::bench

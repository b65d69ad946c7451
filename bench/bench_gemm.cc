// Speed of the kernels on one thread. Rows end in the instruction set; GF and Gop are 10^9 operations per second. Rows
// `gemm_and_openblas` run both in turn and count processor time, of which others on the machine take least: GF is the
// best of ours, of_openblas its ratio to the best of OpenBLAS. Without an OpenBLAS they say so and have no ratio.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/open_blas.h"
#include "bench/report.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_modulo.h"
#include "sim/kernels/reduce.h"

namespace {

using isoshard::sim::Isa;
using isoshard::sim::UnaryOp;
using Index = std::int64_t;

/// Small positive numbers, none of them special.
template <typename T>
std::vector<T> values(Index count) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(1 + (i * 7919) % 13) / T(8);
  return v;
}

void count_rate(benchmark::State& state, const char* unit, double per_iteration) {
  state.counters[unit] = benchmark::Counter(per_iteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate,
                                            benchmark::Counter::kIs1000);
}

bool skipped(benchmark::State& state, Isa isa) {
  if (isoshard::sim::isa_supported(isa)) return false;
  state.SkipWithError("instruction set not available");
  return true;
}

template <typename T>
void gemm_square(benchmark::State& state, Isa isa) {
  if (skipped(state, isa)) return;
  const Index n = state.range(0);
  const auto a = values<T>(n * n);
  const auto b = values<T>(n * n);
  std::vector<T> c(a.size());
  for (auto _ : state) {
    isoshard::sim::gemm(isa, n, n, n, a.data(), n, b.data(), n, c.data(), n);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "GF", 2.0 * static_cast<double>(n * n * n));
}

/// M, N and K are the arguments of a row.
template <typename T>
void gemm_and_openblas(benchmark::State& state) {
  const Index m = state.range(0), n = state.range(1), k = state.range(2);
  const auto a = values<T>(m * k), b = values<T>(k * n);
  std::vector<T> c(static_cast<std::size_t>(m * n));
  static const isoshard::bench::OpenBlas blas;
  state.SetLabel(blas.found() ? blas.description() : isoshard::bench::kNoOpenBlas);
  if (blas.found()) blas.use_threads(1);
  const double flops = 2.0 * static_cast<double>(m * n * k);
  const int times = static_cast<int>(std::max(1.0, 1e8 / flops));
  isoshard::bench::ShortestOnProcessor ours, theirs;
  for (auto _ : state) {
    ours.start();
    for (int i = 0; i < times; ++i) {
      isoshard::sim::gemm(isoshard::sim::best_isa(), m, n, k, a.data(), k, b.data(), n, c.data(), n);
      benchmark::ClobberMemory();
    }
    ours.stop();
    if (!blas.found()) continue;
    theirs.start();
    for (int i = 0; i < times; ++i) {
      blas.product(m, n, k, a.data(), b.data(), c.data());
    }
    theirs.stop();
  }
  state.counters["GF"] = flops * times * 1e-9 / ours.seconds();
  if (blas.found()) state.counters["of_openblas"] = theirs.seconds() / ours.seconds();
}

void product_shapes(benchmark::internal::Benchmark* rows) {
  rows->Args({512, 512, 512})->Args({1024, 1024, 1024})->Args({4096, 512, 2048})->Args({64, 256, 1024});
  rows->Args({8, 256, 256})->Args({16, 256, 256})->Args({1, 1024, 1024})->Args({64, 64, 64})->Args({32, 32, 32});
}

void gemm_mod31(benchmark::State& state, Isa isa) {
  if (skipped(state, isa)) return;
  const Index n = state.range(0);
  const isoshard::sim::Mod31 modulus(2147483629u);
  const std::vector<std::uint32_t> a(static_cast<std::size_t>(n * n), 2147483628u);
  std::vector<std::uint32_t> c(a.size());
  for (auto _ : state) {
    isoshard::sim::gemm_mod31(isa, modulus, n, n, n, a.data(), n, a.data(), n, c.data(), n);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "Gop", 2.0 * static_cast<double>(n * n * n));
}

/// Of the tower: primes of 30 and of 61 bits.
void gemm_modulo(benchmark::State& state, Isa isa, std::uint64_t modulus) {
  if (skipped(state, isa)) return;
  const Index n = state.range(0);
  const std::vector<std::uint64_t> a(static_cast<std::size_t>(n * n), modulus - 1);
  std::vector<std::uint64_t> c(a.size());
  for (auto _ : state) {
    isoshard::sim::gemm_modulo(isa, modulus, n, n, n, a.data(), a.data(), c.data());
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "Gop", 2.0 * static_cast<double>(n * n * n));
}

void multiply_mod31(benchmark::State& state, Isa isa) {
  if (skipped(state, isa)) return;
  const isoshard::sim::Mod31 modulus(2147483629u);
  const std::vector<std::uint32_t> a(16384, 2147483628u);
  std::vector<std::uint32_t> c(a.size());
  for (auto _ : state) {
    isoshard::sim::multiply_mod31(isa, modulus, a.data(), a.data(), c.data(), 16384);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "Gelements", 16384);
}

void gemm_bound(benchmark::State& state, Isa isa) {
  if (skipped(state, isa)) return;
  const Index n = state.range(0);
  const auto a = values<double>(n * n);
  std::vector<double> c(a.size()), e(a.size());
  for (auto _ : state) {
    isoshard::sim::gemm_bound(isa, n, n, n, {a.data(), a.data(), n}, {a.data(), a.data(), n}, {c.data(), e.data(), n});
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "GF", 2.0 * static_cast<double>(n * n * n));
}

template <typename T>
void unary_array(benchmark::State& state, Isa isa, UnaryOp op) {
  if (skipped(state, isa)) return;
  const auto x = values<T>(16384);
  std::vector<T> y(x.size());
  for (auto _ : state) {
    isoshard::sim::unary(isa, op, x.data(), y.data(), 16384);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "Gelements", 16384);
}

template <typename T>
void reduce_matrix(benchmark::State& state, Isa isa, Index dim, std::vector<Index> shape = {256, 256}) {
  if (skipped(state, isa)) return;
  const std::vector<Index> dims = {dim};
  const isoshard::sim::ReducePlan plan(shape, dims);
  const auto x = values<T>(plan.input_size());
  std::vector<T> y(static_cast<std::size_t>(plan.output_size()));
  for (auto _ : state) {
    isoshard::sim::reduce_sum(isa, plan, x.data(), y.data());
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "Gelements", static_cast<double>(plan.input_size()));
}

void gemm_f32(benchmark::State& state, Isa isa) { gemm_square<float>(state, isa); }
void gemm_f64(benchmark::State& state, Isa isa) { gemm_square<double>(state, isa); }
void unary_f32(benchmark::State& state, Isa isa, UnaryOp op) { unary_array<float>(state, isa, op); }
void unary_f64(benchmark::State& state, Isa isa, UnaryOp op) { unary_array<double>(state, isa, op); }
void reduce_f32(benchmark::State& state, Isa isa, Index dim) { reduce_matrix<float>(state, isa, dim); }
/// Sums of several chunks.
void reduce_long_f32(benchmark::State& state, Isa isa, Index dim) {
  const Index other = 1 - dim;
  reduce_matrix<float>(state, isa, dim, {other == 0 ? 64 : 4096, other == 0 ? 4096 : 64});
}
void reduce_f64(benchmark::State& state, Isa isa, Index dim) { reduce_matrix<double>(state, isa, dim); }

BENCHMARK(gemm_and_openblas<float>)->Apply(product_shapes);
BENCHMARK(gemm_and_openblas<double>)->Apply(product_shapes);
BENCHMARK_CAPTURE(gemm_f32, avx512, Isa::avx512)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_f64, avx512, Isa::avx512)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_f32, avx2, Isa::avx2)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_f64, avx2, Isa::avx2)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_mod31, avx2, Isa::avx2)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_mod31, avx512, Isa::avx512)->RangeMultiplier(2)->Range(8, 1024);
BENCHMARK_CAPTURE(gemm_modulo, bits30_avx2, Isa::avx2, 1073741789)->RangeMultiplier(4)->Range(8, 512);
BENCHMARK_CAPTURE(gemm_modulo, bits30_avx512, Isa::avx512, 1073741789)->RangeMultiplier(4)->Range(8, 512);
BENCHMARK_CAPTURE(gemm_modulo, bits61_avx2, Isa::avx2, 2305843009213693951)->RangeMultiplier(4)->Range(8, 512);
BENCHMARK_CAPTURE(gemm_modulo, bits61_avx512, Isa::avx512, 2305843009213693951)->RangeMultiplier(4)->Range(8, 512);
BENCHMARK_CAPTURE(gemm_bound, avx2, Isa::avx2)->RangeMultiplier(4)->Range(16, 256);
BENCHMARK_CAPTURE(multiply_mod31, avx2, Isa::avx2);
BENCHMARK_CAPTURE(gemm_f32, scalar, Isa::scalar)->Arg(64);
BENCHMARK_CAPTURE(gemm_f64, scalar, Isa::scalar)->Arg(64);
BENCHMARK_CAPTURE(gemm_mod31, scalar, Isa::scalar)->Arg(64);
BENCHMARK_CAPTURE(unary_f32, exponential_avx2, Isa::avx2, UnaryOp::exponential);
BENCHMARK_CAPTURE(unary_f64, exponential_avx2, Isa::avx2, UnaryOp::exponential);
BENCHMARK_CAPTURE(unary_f32, tanh_avx2, Isa::avx2, UnaryOp::tanh);
BENCHMARK_CAPTURE(unary_f64, tanh_avx2, Isa::avx2, UnaryOp::tanh);
BENCHMARK_CAPTURE(unary_f32, logistic_avx2, Isa::avx2, UnaryOp::logistic);
BENCHMARK_CAPTURE(unary_f64, log_avx2, Isa::avx2, UnaryOp::log);
BENCHMARK_CAPTURE(unary_f64, exponential_scalar, Isa::scalar, UnaryOp::exponential);
BENCHMARK_CAPTURE(reduce_f32, rows_avx2, Isa::avx2, 1);
BENCHMARK_CAPTURE(reduce_f32, columns_avx2, Isa::avx2, 0);
BENCHMARK_CAPTURE(reduce_long_f32, rows_avx2, Isa::avx2, 1);
BENCHMARK_CAPTURE(reduce_long_f32, columns_avx2, Isa::avx2, 0);
BENCHMARK_CAPTURE(reduce_f64, rows_avx2, Isa::avx2, 1);
BENCHMARK_CAPTURE(reduce_f64, columns_avx2, Isa::avx2, 0);

}  // namespace

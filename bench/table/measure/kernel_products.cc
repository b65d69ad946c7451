#include "bench/table/measure/kernel_products.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "bench/open_blas.h"
#include "bench/planned.h"
#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "bench/table/measure/plan_runs.h"
#include "core/plan/passes/plan_builder.h"
#include "sim/kernels/gemm.h"

namespace isoshard::bench {
namespace {

/// A program of one product on one device.
Planned product_plan(DType dtype, ProductSizes s) {
  PlanBuilder builder(std::make_shared<Mesh>("m", std::vector<MeshAxis>{MeshAxis{"x", 1}}));
  const auto operand = [&](const char* name, Shape shape) {
    const GlobalId id =
        builder.add_global(Global{name, TensorType{dtype, std::move(shape)}, Role::input, Init{}, Location()});
    return builder.load(id, {Expr(0), Expr(0)}, {1, 1});
  };
  const PlanValueId a = operand("a", {s.m, s.k}), b = operand("b", {s.k, s.n});
  const TensorType result{dtype, {s.m, s.n}};
  const uint32_t output = builder.add_output("c", result);
  builder.store(builder.local(DotGeneral{{{1}, {0}}, {}, {}}, {a, b}, result), output, {Expr(0), Expr(0)}, {1, 1});
  Plan plan = builder.finish();
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

template <class T>
std::vector<T> factors(std::int64_t count) {
  std::vector<T> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(1 + i * 7919 % 13) / T(8);
  return result;
}

template <class T>
Measured beside(const OpenBlas& blas, DType dtype, ProductSizes s, int workers) {
  const std::vector<T> a = factors<T>(s.m * s.k), b = factors<T>(s.k * s.n);
  std::vector<T> own(static_cast<size_t>(s.m * s.n)), theirs(own.size());
  const Planned planned = product_plan(dtype, s);
  const auto kernel = [&] { sim::gemm(sim::best_isa(), s.m, s.n, s.k, a.data(), s.k, b.data(), s.n, own.data(), s.n); };
  const auto plan = [&] { run_plan(planned, workers); };
  const auto peer = [&](int threads) {
    return [&, threads] {
      blas.use_threads(threads);
      blas.product(s.m, s.n, s.k, a.data(), b.data(), theirs.data());
    };
  };
  // Two threads of OpenBLAS wait for each other, and take long when a core has something else to do.
  std::vector<double> seconds = workers == 1 ? least_seconds(TimeOf::thread, {kernel, peer(1)})
                                             : least_seconds(TimeOf::wall, {plan, peer(2), peer(1)});
  if (workers != 1) seconds[1] = std::min(seconds[1], seconds[2]);
  const double giga = 2e-9 * static_cast<double>(s.m * s.n * s.k);
  const double rate = giga / seconds[0], peer_rate = giga / seconds[1];
  return {rate / peer_rate,
          0,
          digits(rate) + " GF (" + sim::isa_name(sim::best_isa()) + ") beside " + digits(peer_rate) + " of " +
              blas.description(),
          {{"own_GF", rate}, {"open_blas_GF", peer_rate}}};
}

}  // namespace

Measured product_beside_open_blas(DType dtype, ProductSizes sizes, int workers) {
  const OpenBlas blas;
  if (!blas.found()) return Measured{{}, 0, kNoOpenBlas, {}};
  return dtype == DType::f32 ? beside<float>(blas, dtype, sizes, workers) : beside<double>(blas, dtype, sizes, workers);
}

}  // namespace isoshard::bench

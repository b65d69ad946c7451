#include "bench/table/measure/residue_products.h"

#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_modulo.h"
#include "sim/kernels/mod31.h"

namespace isoshard::bench {
namespace {

constexpr std::uint32_t kMersenne = 2147483647u;        // 2^31 - 1
constexpr std::uint32_t kTower = 1073741789u;           // the largest prime below 2^30
constexpr std::uint64_t kLarge = 2305843009213693921u;  // the largest prime below 2^61 but for 2^61 - 1

template <class T>
std::vector<T> residues_below(std::uint64_t modulus, std::int64_t count) {
  std::vector<T> result(static_cast<size_t>(count));
  std::uint64_t state = 1;
  for (T& x : result) x = static_cast<T>((state = state * 6364136223846793005u + 1442695040888963407u) % modulus);
  return result;
}

/// C = A B modulo a number below 2^32 as one writes it down.
template <class T>
void product_by_loops(std::uint64_t modulus, std::int64_t n, const T* a, const T* b, T* c) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t l = 0; l < n; ++l) sum = (sum + std::uint64_t{a[i * n + l]} * b[l * n + j]) % modulus;
      c[i * n + j] = static_cast<T>(sum);
    }
  }
}

/// The product of a ring whose residues are T, by the kernel and by loops, and that both are the same.
template <class T>
Measured measured(std::uint64_t modulus, std::int64_t n, bool over_loops,
                  const std::function<void(const T*, const T*, T*)>& kernel) {
  const std::vector<T> a = residues_below<T>(modulus, n * n), b = residues_below<T>(modulus - 2, n * n);
  std::vector<T> own(a.size()), loops(a.size());
  const double giga = 2e-9 * static_cast<double>(n * n * n);
  const auto run = [&] { kernel(a.data(), b.data(), own.data()); };
  if (!over_loops) {
    const double rate = giga / least_seconds(TimeOf::thread, {run})[0];
    return {rate, 0, std::string("kernels of ") + sim::isa_name(sim::best_isa()), {{"own_Gop", rate}}};
  }
  const auto by_loops = [&] { product_by_loops(modulus, n, a.data(), b.data(), loops.data()); };
  const std::vector<double> seconds = least_seconds(TimeOf::thread, {run, by_loops});
  if (own != loops) throw std::runtime_error("not measured: the kernel and the loops differ");
  return {seconds[1] / seconds[0],
          0,
          digits(giga / seconds[0]) + " beside " + digits(giga / seconds[1]) + " Gop/s",
          {{"own_Gop", giga / seconds[0]}, {"loops_Gop", giga / seconds[1]}}};
}

Measured residue_measured(ResidueRing ring, std::int64_t n, bool over_loops) {
  const sim::Isa isa = sim::best_isa();
  if (ring == ResidueRing::mersenne31) {
    const sim::Mod31 modulus(kMersenne);
    return measured<std::uint32_t>(kMersenne, n, over_loops, [&](const auto* a, const auto* b, auto* c) {
      sim::gemm_mod31(isa, modulus, n, n, n, a, n, b, n, c, n);
    });
  }
  const std::uint64_t modulus = ring == ResidueRing::tower30 ? kTower : kLarge;
  return measured<std::uint64_t>(modulus, n, over_loops, [&](const auto* a, const auto* b, auto* c) {
    sim::gemm_modulo(isa, modulus, n, n, n, a, b, c);
  });
}

}  // namespace

Measured residue_product(ResidueRing ring, std::int64_t n) { return residue_measured(ring, n, false); }

Measured residue_product_over_loops(ResidueRing ring, std::int64_t n) { return residue_measured(ring, n, true); }

}  // namespace isoshard::bench

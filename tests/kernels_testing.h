#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "sim/kernels/helpers.h"
#include "sim/kernels/isa.h"

/// Skips the calling test where `isa` cannot run, and says so.
#define ISOSHARD_NEEDS_ISA(isa)                                                                         \
  if (!isoshard::sim::isa_supported(isa)) {                                                             \
    GTEST_SKIP() << isoshard::sim::isa_name(isa) << " not available: this processor or build lacks it"; \
  }                                                                                                     \
  static_assert(true)

namespace isoshard::sim::testing_support {

/// All instruction sets of this machine; the scalar one first.
inline std::vector<Isa> supported_isas() {
  std::vector<Isa> isas = {Isa::scalar};
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

/// The index of the first element whose bits differ, or -1.
template <typename T>
std::int64_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}

/// Normal numbers over a few binades: sums of them round at every step.
template <typename T>
std::vector<T> random_values(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(normal(random));
  return values;
}

/// Integers in [-8, 8], whose products and short sums are exact.
template <typename T>
std::vector<T> random_integers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return values;
}

/// Residues, a quarter of them at the ends of the range.
inline std::vector<std::uint32_t> random_residues(std::uint32_t modulus, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> values(static_cast<std::size_t>(count));
  for (std::uint32_t& value : values) {
    const std::uint64_t draw = random();
    const std::uint64_t ends[] = {0, 1, modulus - 2, modulus - 1};
    value = static_cast<std::uint32_t>(draw % 4 == 0 ? ends[(draw / 4) % 4] : (draw / 16) % modulus);
  }
  return values;
}

/// Odd numbers between 2^30 and 2^31: both ends, a prime, and random ones.
inline std::vector<std::uint32_t> moduli_of_31_bits() {
  std::vector<std::uint32_t> moduli{(1U << 30) + 1, (1U << 30) + 3, 0x7fffffff, 0x7ffffffd, 2147483629};
  std::mt19937_64 random(7);
  while (moduli.size() < 12) moduli.push_back((1U << 30) + 1 + 2 * static_cast<std::uint32_t>(random() % (1U << 29)));
  return moduli;
}

/// As many threads as it says are spare, in every call.
class Threads : public Helpers {
 public:
  explicit Threads(Index spare) : spare_(spare) {}

  Index spare() const override { return spare_; }
  void share(Index count, const std::function<void(Index)>& part) override {
    parts += count;
    std::atomic<Index> next = 0;
    std::vector<std::thread> threads;
    for (Index t = 0; t <= spare_; ++t) {
      threads.emplace_back([&] {
        for (Index i = next++; i < count; i = next++) part(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  Index parts = 0;

 private:
  Index spare_;
};

}  // namespace isoshard::sim::testing_support

// Whether the functions of core/ir/scalar give the same bits on a GPU as on this machine's processor, which sim uses:
// f32 for all 2^32 arguments, f64 for 2^26 arguments whose bits are drawn, roundings to narrow formats for all f32. The
// file is compiled once for both, so that the very same lines run. The results of a batch are copied back and compared
// by all threads of the processor. Cost: 2^32 calls of each function on the processor, some two minutes on 16 cores.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/gpu/device.h"
#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/cube_root.h"
#include "core/ir/scalar/erf.h"
#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/narrow.h"
#include "core/ir/scalar/near_one.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/roots.h"
#include "core/ir/scalar/rounding.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"

namespace {

namespace scalar = isoshard::scalar;
using isoshard::bench::DeviceArray;
using isoshard::bench::require;

constexpr std::uint64_t kBatch = std::uint64_t{1} << 26;

/// The mixer of SplitMix64 (Steele, Lea and Flood 2014).
ISOSHARD_SCALAR std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Argument number i: of f32 the number whose bits are i, of f64 one whose bits are drawn.
template <typename T>
ISOSHARD_SCALAR T argument(std::uint64_t i) {
  if constexpr (sizeof(T) == 4) {
    return scalar::bits_as<float>(static_cast<std::uint32_t>(i));
  } else {
    return scalar::bits_as<double>(mixed(i));
  }
}

#define ELEMENT(Name, expression)      \
  struct Name {                        \
    template <typename T>              \
    static ISOSHARD_SCALAR T of(T x) { \
      return expression;               \
    }                                  \
  };
ELEMENT(Exponential, scalar::exponential(x))
ELEMENT(Log, scalar::log(x))
ELEMENT(Tanh, scalar::tanh(x))
ELEMENT(Logistic, scalar::logistic(x))
ELEMENT(Sqrt, scalar::sqrt(x))
ELEMENT(Rsqrt, scalar::rsqrt(x))
ELEMENT(Sine, scalar::sine(x))
ELEMENT(Cosine, scalar::cosine(x))
ELEMENT(ErfInv, scalar::erf_inv(x))
ELEMENT(ExponentialMinusOne, scalar::exponential_minus_one(x))
ELEMENT(LogPlusOne, scalar::log_plus_one(x))
ELEMENT(Cbrt, scalar::cbrt(x))
ELEMENT(Erf, scalar::erf(x))
ELEMENT(Erfc, scalar::erfc(x))
ELEMENT(RoundNearestEven, scalar::round_nearest_even(x))
ELEMENT(RoundNearestAfz, scalar::round_nearest_afz(x))
ELEMENT(Angle, scalar::atan2(x, x + 1))
ELEMENT(Floor, scalar::floor(x))
ELEMENT(Power, scalar::power(x, T(1.75)))
ELEMENT(PowerOfItself, scalar::power(scalar::magnitude(x), x))
ELEMENT(Remainder, scalar::remainder(T(1e30), x))
ELEMENT(Reciprocal, scalar::canonical(T(1) / x))
ELEMENT(ToBf16, scalar::narrowed<scalar::Bf16>(x))
ELEMENT(ToF16, scalar::narrowed<scalar::F16>(x))
ELEMENT(ToF8E4M3, scalar::narrowed<scalar::F8E4M3>(x))
ELEMENT(ToF8E5M2, scalar::narrowed<scalar::F8E5M2>(x))
#undef ELEMENT

template <typename Element, typename T>
__global__ void evaluate(T* results, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    results[i] = Element::of(argument<T>(first + i));
  }
}

/// How many of `results` have other bits than this processor computes, and the first of them.
struct Differences {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};
};

template <typename Element, typename T>
Differences compare(const T* results, std::uint64_t first, std::uint64_t from, std::uint64_t to) {
  Differences found;
  for (std::uint64_t i = from; i < to; ++i) {
    const T expected = Element::of(argument<T>(first + i));
    if (std::memcmp(&expected, results + i, sizeof(T)) == 0) continue;
    if (found.count++ == 0) found.first = first + i;
  }
  return found;
}

template <typename Element, typename T>
Differences compare_in_threads(const T* results, std::uint64_t first) {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Differences> found(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back(
        [=, &found] { found[t] = compare<Element>(results, first, kBatch * t / threads, kBatch * (t + 1) / threads); });
  }
  Differences all;
  for (unsigned t = 0; t < threads; ++t) {
    workers[t].join();
    all.count += found[t].count;
    all.first = std::min(all.first, found[t].first);
  }
  return all;
}

/// Prints one line; says whether all bits are equal.
template <typename Element, typename T>
bool check(const char* name, std::uint64_t count) {
  DeviceArray<T> device(kBatch);
  T* host = nullptr;
  require(cudaMallocHost(&host, kBatch * sizeof(T)), "cudaMallocHost");
  Differences all;
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    evaluate<Element><<<1056, 256>>>(device.data(), first, kBatch);
    require(cudaGetLastError(), name);
    require(cudaMemcpy(host, device.data(), kBatch * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    const Differences found = compare_in_threads<Element>(host, first);
    all.count += found.count;
    all.first = std::min(all.first, found.first);
  }
  cudaFreeHost(host);
  std::printf("%-16s %s  %11llu arguments  %llu differ", name, sizeof(T) == 4 ? "f32" : "f64",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(all.count));
  if (all.count != 0) {
    const T x = argument<T>(all.first);
    std::printf(", first at %a: %a expected", static_cast<double>(x), static_cast<double>(Element::of(x)));
  }
  std::printf("\n");
  std::fflush(stdout);
  return all.count == 0;
}

constexpr std::uint64_t kAllOfF32 = std::uint64_t{1} << 32;

template <typename Element>
bool check_both(const char* name) {
  const bool narrow = check<Element, float>(name, kAllOfF32);
  return check<Element, double>(name, kBatch) && narrow;
}

}  // namespace

int main() {
  isoshard::bench::require_device();
  isoshard::bench::print_device();
  bool equal = true;
  equal &= check_both<Exponential>("exponential");
  equal &= check_both<Log>("log");
  equal &= check_both<Tanh>("tanh");
  equal &= check_both<Logistic>("logistic");
  equal &= check_both<Sqrt>("sqrt");
  equal &= check_both<Rsqrt>("rsqrt");
  equal &= check_both<Sine>("sine");
  equal &= check_both<Cosine>("cosine");
  equal &= check_both<ErfInv>("erf_inv");
  equal &= check_both<ExponentialMinusOne>("exponential_minus_one");
  equal &= check_both<LogPlusOne>("log_plus_one");
  equal &= check_both<Cbrt>("cbrt");
  equal &= check_both<Erf>("erf");
  equal &= check_both<Erfc>("erfc");
  equal &= check_both<RoundNearestEven>("round_nearest_even");
  equal &= check_both<RoundNearestAfz>("round_nearest_afz");
  equal &= check_both<Angle>("atan2 of x and x + 1");
  equal &= check_both<Floor>("floor");
  equal &= check_both<Reciprocal>("1 / x");
  equal &= check_both<Power>("x^1.75");
  equal &= check_both<PowerOfItself>("|x|^x");
  equal &= check_both<Remainder>("1e30 rem x");
  equal &= check<ToBf16, float>("to bf16", kAllOfF32);
  equal &= check<ToF16, float>("to f16", kAllOfF32);
  equal &= check<ToF8E4M3, float>("to f8e4m3", kAllOfF32);
  equal &= check<ToF8E5M2, float>("to f8e5m2", kAllOfF32);
  return equal ? 0 : 1;
}

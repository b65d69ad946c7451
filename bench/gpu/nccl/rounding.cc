// How all_reduce adds: its results beside those of some ways of adding the same numbers, element by element, since
// which order NCCL takes depends on the place in the array. Cost: elements times the square of the ranks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "bench/gpu/nccl/modes.h"

namespace isoshard::bench {
namespace {

float rounded(float x, __nv_bfloat16) { return __bfloat162float(__float2bfloat16(x)); }
float rounded(float x, __half) { return __half2float(__float2half(x)); }
float rounded(float x, float) { return x; }

/// Sums x[0] to x[n-1] of one element from rank `first` on, cyclically; rounds after each add, or at the end only.
template <typename T>
float cyclic_sum(const std::vector<float>& x, std::size_t first, bool each_add) {
  float sum = x[first];
  for (std::size_t i = 1; i < x.size(); ++i) {
    sum += x[(first + i) % x.size()];
    if (each_add) sum = rounded(sum, T());
  }
  return rounded(sum, T());
}

constexpr std::size_t kRounded = std::size_t{1} << 18;

/// What each rank put into an all_reduce, one after another, and what came out.
template <typename T>
struct Reduced {
  std::vector<T> terms, sums;
  bool same = true;  ///< the bits of the sums, the second time and on every rank
};

template <typename T>
Reduced<T> reduce_random(const World& world, ncclDataType_t type) {
  const auto ranks = static_cast<std::size_t>(world.size);
  std::mt19937 random(static_cast<unsigned>(1 + world.rank));
  std::normal_distribution<float> normal;
  std::vector<T> mine(kRounded), again(kRounded), of_ranks(kRounded * ranks);
  for (T& each : mine) each = T(normal(random));
  Reduced<T> result{std::vector<T>(kRounded * ranks), std::vector<T>(kRounded)};
  DeviceArray<T> x(kRounded), y(kRounded), gathered(kRounded * ranks);
  require(cudaMemcpy(x.data(), mine.data(), kRounded * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  const auto fetch = [&](const DeviceArray<T>& from, std::vector<T>& to) {
    require(cudaStreamSynchronize(world.stream), "cudaStreamSynchronize");
    require(cudaMemcpy(to.data(), from.data(), to.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  };
  const auto gather = [&](const DeviceArray<T>& from, std::vector<T>& to) {
    require(ncclAllGather(from.data(), gathered.data(), kRounded, type, world.all, world.stream), "ncclAllGather");
    fetch(gathered, to);
  };
  for (std::vector<T>* sums : {&result.sums, &again}) {
    require(ncclAllReduce(x.data(), y.data(), kRounded, type, ncclSum, world.all, world.stream), "ncclAllReduce");
    fetch(y, *sums);
  }
  gather(y, of_ranks);
  gather(x, result.terms);
  const auto differs = [&](const T* sums) { return std::memcmp(sums, result.sums.data(), kRounded * sizeof(T)) != 0; };
  result.same = !differs(again.data());
  for (std::size_t r = 0; r < ranks; ++r) result.same = result.same && !differs(of_ranks.data() + r * kRounded);
  return result;
}

/// How many sums are what some way of adding gives.
struct Ways {
  std::size_t each_add = 0, in_rank_order = 0;  ///< rounded after each add: in some cyclic order, from rank 0 on
  std::size_t at_end = 0;                       ///< in some cyclic order in f32, rounded once
  std::size_t exact = 0;                        ///< the exact sum, rounded
  std::size_t none = 0;
};

template <typename T>
Ways count_ways(const Reduced<T>& reduced) {
  Ways ways;
  std::vector<float> parts(reduced.terms.size() / kRounded);
  for (std::size_t i = 0; i < kRounded; ++i) {
    double sum = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      sum += parts[r] = static_cast<float>(reduced.terms[r * kRounded + i]);
    }
    const float got = static_cast<float>(reduced.sums[i]);
    bool each_add = false, at_end = false;
    for (std::size_t first = 0; first < parts.size(); ++first) {
      each_add = each_add || cyclic_sum<T>(parts, first, true) == got;
      at_end = at_end || cyclic_sum<T>(parts, first, false) == got;
    }
    ways.each_add += each_add;
    ways.in_rank_order += cyclic_sum<T>(parts, 0, true) == got;
    ways.at_end += at_end;
    ways.exact += rounded(static_cast<float>(sum), T()) == got;
    ways.none += !each_add && !at_end;
  }
  return ways;
}

template <typename T>
bool rounding_of(const World& world, ncclDataType_t type, const char* name) {
  const Reduced<T> reduced = reduce_random<T>(world, type);
  if (world.rank != 0) return reduced.same;
  const Ways ways = count_ways(reduced);
  const auto percent = [](std::size_t part) { return 100.0 * static_cast<double>(part) / kRounded; };
  std::printf(
      "%-5s rounded at each add, some cyclic order %6.2f %%, rank order %6.2f %%; f32 adds rounded once %6.2f %%; "
      "exact sum rounded %6.2f %%; none of these %zu; same bits again and on all ranks: %s\n",
      name, percent(ways.each_add), percent(ways.in_rank_order), percent(ways.at_end), percent(ways.exact), ways.none,
      reduced.same ? "yes" : "NO");
  return reduced.same;
}

}  // namespace

bool rounding(const World& world) {
  bool good = rounding_of<float>(world, ncclFloat, "f32");
  good = rounding_of<__nv_bfloat16>(world, ncclBfloat16, "bf16") && good;
  return rounding_of<__half>(world, ncclHalf, "f16") && good;
}

}  // namespace isoshard::bench

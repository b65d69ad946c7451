// Collectives over sizes, as nccl-tests has them: small integers, whose sums are exact in any order, are checked once
// and then timed by the host around ten calls. Cost: seconds.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu/nccl/modes.h"

namespace isoshard::bench {
namespace {

struct Collective {
  const char* name;
  double bus_factor;  ///< of nccl-tests: bytes on the bus per byte of the size column
  bool total;         ///< the size column counts the bytes of all ranks
  bool joins;         ///< gives a block for each rank
  std::function<ncclResult_t(const float*, float*, std::size_t)> issue;
  std::function<float(std::size_t i, std::size_t count)> expected;
};

/// Small integers, whose sums are exact in any order.
float value_of(int rank, std::size_t i) {
  return static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 3) % 64);
}

std::vector<Collective> collectives(const World& world) {
  const int n = world.size, rank = world.rank;
  const auto sum_at = [n](std::size_t i) {
    float sum = 0;
    for (int r = 0; r < n; ++r) sum += value_of(r, i);
    return sum;
  };
  const double others = static_cast<double>(n - 1) / n;
  return {
      {"all_reduce", 2 * others, false, false,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAllReduce(x, y, count, ncclFloat, ncclSum, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t) { return sum_at(i); }},
      {"all_gather", others, true, true,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAllGather(x, y, count, ncclFloat, world.all, world.stream);
       },
       [](std::size_t i, std::size_t count) { return value_of(static_cast<int>(i / count), i % count); }},
      {"reduce_scatter", others, true, false,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclReduceScatter(x, y, count, ncclFloat, ncclSum, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t count) { return sum_at(static_cast<std::size_t>(rank) * count + i); }},
      {"all_to_all", others, true, true,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAlltoAll(x, y, count, ncclFloat, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t count) {
         return value_of(static_cast<int>(i / count), static_cast<std::size_t>(rank) * count + i % count);
       }},
      {"permute", 1, false, false,
       [&world, n, rank](const float* x, float* y, std::size_t count) {
         require(ncclGroupStart(), "ncclGroupStart");
         require(ncclSend(x, count, ncclFloat, (rank + 1) % n, world.all, world.stream), "ncclSend");
         require(ncclRecv(y, count, ncclFloat, (rank + n - 1) % n, world.all, world.stream), "ncclRecv");
         return ncclGroupEnd();
       },
       [=](std::size_t i, std::size_t) { return value_of((rank + n - 1) % n, i); }},
  };
}

/// How many elements that have arrived are wrong.
std::size_t count_wrong(const Collective& each, std::size_t count, std::size_t blocks, const std::vector<float>& got) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count * blocks; ++i) wrong += got[i] != each.expected(i, count);
  return wrong;
}

}  // namespace

bool sweep(const World& world) {
  bool good = true;
  constexpr int kCalls = 10;
  const auto ranks = static_cast<std::size_t>(world.size);
  constexpr std::size_t kLargest = std::size_t{1} << 24;  // bytes in the size column
  DeviceArray<float> x(kLargest / 4 * ranks), y(kLargest / 4 * ranks);
  std::vector<float> host(x.size());
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = value_of(world.rank, i);
  require(cudaMemcpy(x.data(), host.data(), host.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  if (world.rank == 0)
    std::printf(
        "#       size(B)    count  type  redop  collective        time(us)  algbw(GB/s)  busbw(GB/s)  #wrong\n");
  for (const Collective& each : collectives(world)) {
    for (std::size_t bytes = 1024; bytes <= kLargest; bytes *= 128) {
      const std::size_t count = each.total ? bytes / 4 / ranks : bytes / 4;
      require(cudaMemsetAsync(y.data(), 0xff, y.size() * 4, world.stream), "cudaMemsetAsync");
      require(each.issue(x.data(), y.data(), count), each.name);
      require(cudaStreamSynchronize(world.stream), each.name);
      require(cudaMemcpy(host.data(), y.data(), host.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
      const std::size_t wrong = count_wrong(each, count, each.joins ? ranks : 1, host);
      good = good && wrong == 0;
      const auto begin = Clock::now();
      for (int i = 0; i < kCalls; ++i) require(each.issue(x.data(), y.data(), count), each.name);
      require(cudaStreamSynchronize(world.stream), each.name);
      const double seconds = seconds_since(begin) / kCalls;
      const double rate = static_cast<double>(bytes) / seconds * 1e-9;
      if (world.rank == 0) {
        std::printf("%15zu %8zu float    sum  %-15s %10.1f  %11.3f  %11.3f  %6zu\n", bytes, count, each.name,
                    seconds * 1e6, rate, rate * each.bus_factor, wrong);
        std::fflush(stdout);
      } else if (wrong != 0) {
        say(world, std::string(each.name) + ": " + std::to_string(wrong) + " wrong elements");
      }
    }
  }
  return good;
}

}  // namespace isoshard::bench

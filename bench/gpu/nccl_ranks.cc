// What NCCL does on real ranks, one process each, where the answer decides something in isoshard: how it rounds, what a
// rank sees when another is gone, and whether programs that the deadlock verdict refuses do hang. Ranks may share one
// GPU when each has a NCCL_HOSTID of its own (docs/gpu-results.md). Every wait has a deadline, so that nothing hangs.
//
//   RANK=r WORLD_SIZE=n UID_FILE=path nccl_ranks MODE
//     sweep      collectives in nccl-tests' table format, with wrong elements counted
//     rounding   sums of random bf16, f16 and f32: which order and rounding of the adds gives the bits
//     killed     rank n-1 ends before the second all_reduce; what the others see, and how abort ends
//     crossed, crossed_on_one_stream    two communicators, used in other orders on the ranks; first the right twin
//     mismatch   on one communicator rank 0 issues another count than the others, then another collective
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/gpu/device.h"

namespace isoshard::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// This process's place among the ranks and its communicators.
struct World {
  int rank = number_of("RANK", 0);
  int size = number_of("WORLD_SIZE", 1);
  ncclComm_t all = nullptr;
  cudaStream_t stream = nullptr;
};

/// The id that rank 0 drew, by a file that appears whole.
ncclUniqueId shared_id(int rank) {
  const char* path = std::getenv("UID_FILE");
  if (path == nullptr) require(1, "UID_FILE must name a file that is not there yet; it");
  ncclUniqueId id;
  if (rank == 0) {
    require(ncclGetUniqueId(&id), "ncclGetUniqueId");
    const std::string part = std::string(path) + ".part";
    std::ofstream(part, std::ios::binary).write(id.internal, sizeof id.internal);
    if (std::rename(part.c_str(), path) != 0) require(1, "rename of UID_FILE");
    return id;
  }
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    std::ifstream file(path, std::ios::binary);
    if (file.read(id.internal, sizeof id.internal)) return id;
  }
}

World join() {
  World world;
  int devices = 0;
  require(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  require(cudaSetDevice(world.rank % devices), "cudaSetDevice");
  const ncclUniqueId id = shared_id(world.rank);
  const auto begin = Clock::now();
  require(ncclCommInitRank(&world.all, world.size, id, world.rank), "ncclCommInitRank");
  int version = 0;
  require(ncclGetVersion(&version), "ncclGetVersion");
  if (world.rank == 0) {
    print_device();
    std::printf("# NCCL %d (header %d), %d ranks, init %.0f ms\n", version, NCCL_VERSION_CODE, world.size,
                seconds_since(begin) * 1e3);
  }
  require(cudaStreamCreateWithFlags(&world.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return world;
}

/// Waits for `stream` until the deadline; says how it ended, in words.
std::string wait(cudaStream_t stream, ncclComm_t communicator, double deadline) {
  const auto begin = Clock::now();
  for (; seconds_since(begin) < deadline; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    const cudaError_t status = cudaStreamQuery(stream);
    ncclResult_t error = ncclSuccess;
    ncclCommGetAsyncError(communicator, &error);
    const std::string when = " after " + std::to_string(seconds_since(begin)) + " s";
    if (error != ncclSuccess && error != ncclInProgress)
      return std::string("async error ") + ncclGetErrorString(error) + when;
    if (status == cudaSuccess) return "complete" + when;
    if (status != cudaErrorNotReady) return std::string("CUDA error ") + cudaGetErrorName(status) + when;
  }
  return "still waiting after " + std::to_string(deadline) + " s, no async error";
}

void say(const World& world, const std::string& text) {
  std::printf("[rank %d] %s\n", world.rank, text.c_str());
  std::fflush(stdout);
}

/// Aborts and says how long that took. The process then ends without destructors: streams may still be busy.
[[noreturn]] void abort_and_leave(const World& world, std::vector<ncclComm_t> communicators) {
  const auto begin = Clock::now();
  std::string results;
  for (const ncclComm_t each : communicators) results += std::string(" ") + ncclGetErrorString(ncclCommAbort(each));
  say(world, "ncclCommAbort:" + results + ", " + std::to_string(seconds_since(begin)) +
                 " s; cudaDeviceSynchronize: " + cudaGetErrorName(cudaDeviceSynchronize()));
  std::_Exit(0);
}

// -------------------------------------------------------------------------------------------------------- rounding

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
void rounding_of(const World& world, ncclDataType_t type, const char* name) {
  const Reduced<T> reduced = reduce_random<T>(world, type);
  if (world.rank != 0) return;
  const Ways ways = count_ways(reduced);
  const auto percent = [](std::size_t part) { return 100.0 * static_cast<double>(part) / kRounded; };
  std::printf(
      "%-5s rounded at each add, some cyclic order %6.2f %%, rank order %6.2f %%; f32 adds rounded once %6.2f %%; "
      "exact sum rounded %6.2f %%; none of these %zu; same bits again and on all ranks: %s\n",
      name, percent(ways.each_add), percent(ways.in_rank_order), percent(ways.at_end), percent(ways.exact), ways.none,
      reduced.same ? "yes" : "NO");
}

void rounding(const World& world) {
  rounding_of<float>(world, ncclFloat, "f32");
  rounding_of<__nv_bfloat16>(world, ncclBfloat16, "bf16");
  rounding_of<__half>(world, ncclHalf, "f16");
}

// ----------------------------------------------------------------------------------------------------------- sweep

struct Collective {
  const char* name;
  double bus_factor;  ///< of nccl-tests: bytes on the bus per byte of the size column
  bool total;         ///< the size column counts the bytes of all ranks
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
      {"all_reduce", 2 * others, false,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAllReduce(x, y, count, ncclFloat, ncclSum, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t) { return sum_at(i); }},
      {"all_gather", others, true,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAllGather(x, y, count, ncclFloat, world.all, world.stream);
       },
       [](std::size_t i, std::size_t count) { return value_of(static_cast<int>(i / count), i % count); }},
      {"reduce_scatter", others, true,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclReduceScatter(x, y, count, ncclFloat, ncclSum, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t count) { return sum_at(static_cast<std::size_t>(rank) * count + i); }},
      {"all_to_all", others, true,
       [&world](const float* x, float* y, std::size_t count) {
         return ncclAlltoAll(x, y, count, ncclFloat, world.all, world.stream);
       },
       [=](std::size_t i, std::size_t count) {
         return value_of(static_cast<int>(i / count), static_cast<std::size_t>(rank) * count + i % count);
       }},
      {"permute", 1, false,
       [&world, n, rank](const float* x, float* y, std::size_t count) {
         require(ncclGroupStart(), "ncclGroupStart");
         require(ncclSend(x, count, ncclFloat, (rank + 1) % n, world.all, world.stream), "ncclSend");
         require(ncclRecv(y, count, ncclFloat, (rank + n - 1) % n, world.all, world.stream), "ncclRecv");
         return ncclGroupEnd();
       },
       [=](std::size_t i, std::size_t) { return value_of((rank + n - 1) % n, i); }},
  };
}

/// How many elements a collective writes: of `count` per rank.
std::size_t written(const Collective& each, std::size_t count, int ranks) {
  const std::string name = each.name;
  return name == "all_gather" || name == "all_to_all" ? count * static_cast<std::size_t>(ranks) : count;
}

void sweep(const World& world) {
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
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < written(each, count, world.size); ++i) wrong += host[i] != each.expected(i, count);
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
}

// -------------------------------------------------------------------------------------------------------- failures

void killed(const World& world) {
  DeviceArray<float> x(1 << 20);
  require(ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  say(world, "first all_reduce: " + wait(world.stream, world.all, 20));
  if (world.rank == world.size - 1) std::_Exit(0);
  require(ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  say(world, "all_reduce without the last rank: " + wait(world.stream, world.all, 10));
  say(world, std::string("last error: ") + ncclGetLastError(world.all));
  abort_and_leave(world, {world.all});
}

/// Two communicators of all ranks, used in one order on rank 0 and in the other elsewhere.
void crossed(const World& world, bool one_stream) {
  ncclComm_t a, b;
  require(ncclCommSplit(world.all, 0, world.rank, &a, nullptr), "ncclCommSplit");
  require(ncclCommSplit(world.all, 0, world.rank, &b, nullptr), "ncclCommSplit");
  cudaStream_t other;
  require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  DeviceArray<float> x(1 << 20), y(1 << 20);
  const auto reduce = [&](ncclComm_t communicator, const DeviceArray<float>& data, cudaStream_t stream) {
    require(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat, ncclSum, communicator, stream),
            "ncclAllReduce");
  };
  reduce(a, x, world.stream), reduce(b, y, world.stream);  // connections are made at first use
  say(world, "first use: " + wait(world.stream, world.all, 20));
  const cudaStream_t second = one_stream ? world.stream : other;
  reduce(a, x, world.stream), reduce(b, y, second);
  say(world, "same order: " + wait(world.stream, world.all, 20) + ", " + wait(second, world.all, 20));
  if (world.rank == 0) reduce(a, x, world.stream), reduce(b, y, second);
  if (world.rank != 0) reduce(b, y, second), reduce(a, x, world.stream);
  say(world, "crossed: " + wait(world.stream, world.all, 8) + ", " + wait(second, world.all, 8));
  abort_and_leave(world, {a, b, world.all});
}

void mismatch(const World& world) {
  const bool odd = world.rank == 0;
  DeviceArray<float> x(1 << 20), y((1 << 20) * static_cast<std::size_t>(world.size));
  const std::vector<float> ones(x.size(), 1.0f);
  require(cudaMemcpy(x.data(), ones.data(), x.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  require(ncclAllReduce(x.data(), y.data(), 1024, ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  say(world, "all_reduce of 1024 on all: " + wait(world.stream, world.all, 20));
  require(ncclAllReduce(x.data(), y.data(), odd ? 512 : 1024, ncclFloat, ncclSum, world.all, world.stream),
          "ncclAllReduce");
  const std::string ended = wait(world.stream, world.all, 8);
  float first = 0, last = 0;
  if (ended.rfind("complete", 0) == 0) {
    require(cudaMemcpy(&first, y.data(), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(&last, y.data() + (odd ? 511 : 1023), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  say(world, "all_reduce of 512 on rank 0, of 1024 on the others: " + ended + "; first and last result " +
                 std::to_string(first) + ", " + std::to_string(last));
  if (ended.rfind("complete", 0) != 0) abort_and_leave(world, {world.all});
  if (odd) {
    require(ncclAllGather(x.data(), y.data(), 512, ncclFloat, world.all, world.stream), "ncclAllGather");
  } else {
    require(ncclAllReduce(x.data(), y.data(), 1024, ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  }
  say(world, "all_gather on rank 0, all_reduce on the others: " + wait(world.stream, world.all, 8));
  abort_and_leave(world, {world.all});
}

}  // namespace

int run_mode(const std::string& mode) {
  require_device();
  const World world = join();
  if (mode == "sweep") {
    sweep(world);
  } else if (mode == "rounding") {
    rounding(world);
  } else if (mode == "killed") {
    killed(world);
  } else if (mode == "crossed") {
    crossed(world, false);
  } else if (mode == "crossed_on_one_stream") {
    crossed(world, true);
  } else if (mode == "mismatch") {
    mismatch(world);
  } else {
    std::fprintf(stderr, "no mode '%s'\n", mode.c_str());
    return 2;
  }
  require(ncclCommFinalize(world.all), "ncclCommFinalize");
  require(ncclCommDestroy(world.all), "ncclCommDestroy");
  return 0;
}

}  // namespace isoshard::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: RANK=r WORLD_SIZE=n UID_FILE=path nccl_ranks "
                 "sweep|rounding|killed|crossed|crossed_on_one_stream|mismatch\n");
    return 2;
  }
  return isoshard::bench::run_mode(argv[1]);
}

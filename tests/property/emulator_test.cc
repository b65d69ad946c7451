// The emulator of blocks: kernels that are right, and each mistake that it has to name.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "exec/kernels/element.h"
#include "exec/kernels/simt/simt.h"
#include "tests/property/kernel_memory.h"

namespace isoshard::exec::emulator_test {
namespace {

constexpr unsigned kAll = 0xffffffffU;

/// What planted kernels are told.
struct Given {
  int64_t blocks = 1;
};

template <class Kernel>
std::string failure_of(const Kernel& kernel, std::vector<int64_t>& memory, unsigned blocks = 1) {
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  start_together("planted", +kernel, Grid{blocks}, nullptr, Given{blocks}, bytes);
  return testing::take_kernel_failure();
}
template <class Kernel>
std::string failure_of(const Kernel& kernel) {
  std::vector<int64_t> memory(4 * kThreads);
  return failure_of(kernel, memory);
}

/// The sums of the numbers of each block's threads, by lanes and then by warps.
void sum_of_threads(const Given&, std::byte* memory) {
  ISOSHARD_SHARED(int64_t, of_warps, kThreads / kWarp);
  int64_t sum = thread_number();
  for (int bits = 16; bits > 0; bits /= 2) sum += exchange(kAll, sum, bits);
  if (thread_in_block() % kWarp == 0) of_warps[thread_in_block() / kWarp] = sum;
  sync_threads();
  if (thread_in_block() != 0) return;
  int64_t all = 0;
  for (int warp = 0; warp < kThreads / kWarp; ++warp) all += of_warps[warp];
  store(memory, thread_number() / kThreads, all);
}

TEST(Emulator, BlocksWorkTogetherInAnyOrderOfThreads) {
  for (const uint64_t order : {0U, 1U, 2U, 3U}) {
    trial() = Trial{order};
    std::vector<int64_t> memory(3);
    EXPECT_EQ(failure_of(sum_of_threads, memory, 3), "");
    EXPECT_EQ(memory, (std::vector<int64_t>{128 * 127 / 2, 128 * 127 / 2 + 128 * 128, 128 * 127 / 2 + 2 * 128 * 128}));
  }
  trial() = Trial{};
}

TEST(Emulator, ABarrierThatNotAllComeToIsNamed) {
  const auto some_end = [](const Given&, std::byte*) {
    if (thread_in_block() < 64) sync_threads({"planted.cu", 1});
  };
  EXPECT_EQ(failure_of(some_end),
            "kernel planted: thread 0 waits at the barrier of planted.cu:1, and thread 64 has ended");
  const auto two = [](const Given&, std::byte*) { sync_threads({"planted.cu", thread_in_block() == 7 ? 2 : 1}); };
  EXPECT_EQ(failure_of(two),
            "kernel planted: thread 0 waits at the barrier of planted.cu:1, and thread 7 at that of planted.cu:2");
  std::vector<int64_t> memory(1);
  EXPECT_EQ(failure_of(sum_of_threads, memory), "") << "the next kernel is not concerned";
}

TEST(Emulator, AShuffleThatALaneDoesNotComeToIsNamed) {
  const auto missing = [](const Given&, std::byte*) {
    if (thread_in_block() != 37) exchange(kAll, 1.0F, 1, {"planted.cu", 3});
  };
  EXPECT_EQ(failure_of(missing),
            "kernel planted: thread 32 waits in the shuffle at planted.cu:3 for lane 5, which never comes there");
  const auto uninvited = [](const Given&, std::byte*) { exchange(0xffffU, 1.0F, 1, {"planted.cu", 4}); };
  EXPECT_EQ(failure_of(uninvited), "kernel planted: lane 16 is none of those of its shuffle at planted.cu:4");
  const auto from_outside = [](const Given&, std::byte*) {
    if (thread_in_block() % kWarp < 16) exchange(0xffffU, 1.0F, 16, {"planted.cu", 5});
  };
  EXPECT_EQ(failure_of(from_outside),
            "kernel planted: lane 0 asks lane 16, which is none of those of the shuffle at planted.cu:5");
}

TEST(Emulator, MistakesInSharedMemoryAreNamed) {
  const auto beside = [](const Given&, std::byte*) {
    const SharedArray<float> x(10, kThreads - 1);
    x[thread_in_block()] = 1;
  };
  EXPECT_EQ(failure_of(beside),
            "kernel planted: thread 127 writes element 127 of the shared array of line 10, which has 127");
  const auto unwritten = [](const Given&, std::byte*) {
    const SharedArray<float> x(10, kThreads);
    if (thread_in_block() != 3) x[thread_in_block()] = 1;
    sync_threads();
    static_cast<void>(static_cast<float>(x[3]));
  };
  EXPECT_EQ(failure_of(unwritten),
            "kernel planted: thread 0 reads element 3 of the shared array of line 10, which no thread has written");
  const auto race = [](const Given&, std::byte*) {
    const SharedArray<float> x(10, kThreads);
    x[thread_in_block()] = 1;
    if (thread_in_block() > 0) static_cast<void>(static_cast<float>(x[thread_in_block() - 1]));
  };
  EXPECT_EQ(failure_of(race),
            "kernel planted: a race: thread 0 wrote element 0 of the shared array of line 10, and thread 1 reads it "
            "without a barrier in between");
  const auto read_first = [](const Given&, std::byte*) {
    const SharedArray<float> x(10, kThreads);
    x[thread_in_block()] = 1;
    sync_threads();
    static_cast<void>(static_cast<float>(x[0]));
    if (thread_in_block() == kThreads - 1) x[0] = 2;
  };
  EXPECT_EQ(failure_of(read_first),
            "kernel planted: a race: thread 0 read element 0 of the shared array of line 10, and thread 127 writes it "
            "without a barrier in between");
}

/// What the watch of memory finds in two blocks of a kernel.
template <class Kernel>
std::string finding_of(const Kernel& kernel) {
  std::vector<int64_t> memory(4 * kThreads);
  Watch::get().tell(reinterpret_cast<const std::byte*>(memory.data()), 2 * kThreads * 8, "x");
  EXPECT_EQ(failure_of(kernel, memory, 2), "");
  std::string finding = Watch::get().finding();
  Watch::get().clear();
  return finding;
}

TEST(Emulator, RacesInMemoryAreFoundAndBarriersOrderABlockOnly) {
  const auto own = [](const Given&, std::byte* memory) { store(memory, thread_number(), int64_t{1}); };
  EXPECT_EQ(finding_of(own), "");
  const auto neighbour = [](const Given&, std::byte* memory) {
    store(memory, thread_number(), int64_t{1});
    sync_threads();
    load<int64_t>(memory, thread_number() ^ 1);
  };
  EXPECT_EQ(finding_of(neighbour), "");
  const auto without_barrier = [](const Given&, std::byte* memory) {
    store(memory, thread_number(), int64_t{1});
    load<int64_t>(memory, thread_number() ^ 1);
  };
  EXPECT_EQ(finding_of(without_barrier), "a race: byte 8 of x, thread 1 of block 0 and thread 0 of block 0");
  const auto other_block = [](const Given&, std::byte* memory) {
    store(memory, thread_number(), int64_t{1});
    sync_threads();
    load<int64_t>(memory, thread_number() ^ kThreads);
  };
  EXPECT_EQ(finding_of(other_block), "a race: byte 1024 of x, thread 0 of block 1 and thread 0 of block 0");
  const auto read_by_many = [](const Given&, std::byte* memory) {
    load<int64_t>(memory, 0);
    if (thread_number() == kThreads) store(memory, 0, int64_t{1});
  };
  EXPECT_EQ(finding_of(read_by_many), "a race: byte 0 of x, thread 0 of block 1 and thread 0 of block 1");
  const auto read_by_lanes_that_met = [](const Given&, std::byte* memory) {
    load<int64_t>(memory, thread_number() / 16);
    sync_lanes(0xffffU << (thread_in_block() % kWarp / 16 * 16));
    if (thread_number() % 16 == 0) store(memory, thread_number() / 16, int64_t{1});
  };
  EXPECT_EQ(finding_of(read_by_lanes_that_met), "");
  const auto read_by_others_too = [](const Given&, std::byte* memory) {
    load<int64_t>(memory, thread_number() / kWarp);
    sync_lanes(0xffffU << (thread_in_block() % kWarp / 16 * 16));
    if (thread_number() % kWarp == 0) store(memory, thread_number() / kWarp, int64_t{1});
  };
  EXPECT_EQ(finding_of(read_by_others_too).substr(0, 21), "a race: byte 0 of x, ");
  const auto exchanged_only = [](const Given&, std::byte* memory) {
    load<int64_t>(memory, thread_number() / kWarp);
    exchange(kAll, 1.0F, 1);
    if (thread_number() % kWarp == 0) store(memory, thread_number() / kWarp, int64_t{1});
  };
  EXPECT_EQ(finding_of(exchanged_only).substr(0, 21), "a race: byte 0 of x, ");
  const auto outside = [](const Given&, std::byte* memory) { load<int64_t>(memory, thread_number() + 1); };
  EXPECT_EQ(finding_of(outside), "thread 127 of block 1 reads 8 bytes outside of all arrays");
}

}  // namespace
}  // namespace isoshard::exec::emulator_test

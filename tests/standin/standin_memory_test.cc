// Memory of the stand-in: poison, guards, and accesses outside of it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/standin/standin_testing.h"

namespace isoshard::standin_memory_test {
namespace {

using standin_testing::Buffer;
using standin_testing::new_stream;
using standin_testing::run_ranks;
using standin_testing::run_threads;
using standin_testing::Seat;

std::vector<std::string> problems_of(const std::function<void(cudaStream_t)>& body, cudaError_t expected) {
  run_threads(1, {}, [&](int) {
    const cudaStream_t stream = new_stream();
    body(stream);
    EXPECT_EQ(cudaStreamSynchronize(stream), expected);
  });
  return standin::problems();
}

TEST(StandinMemory, NewMemoryIsNan) {
  EXPECT_EQ(problems_of([](cudaStream_t stream) { EXPECT_TRUE(std::isnan(Buffer<float>(1).values(stream)[0])); },
                        cudaSuccess),
            std::vector<std::string>());
}

TEST(StandinMemory, CopiesStayInTheirAllocation) {
  const auto copy = [](size_t bytes) {
    return problems_of(
        [&](cudaStream_t stream) {
          const Buffer<char> x(8), y(8);
          cudaMemcpyAsync(y.data(), x.data(), bytes, cudaMemcpyDeviceToDevice, stream);
        },
        bytes > 8 ? cudaErrorIllegalAddress : cudaSuccess);
  };
  EXPECT_EQ(copy(8), std::vector<std::string>());
  EXPECT_EQ(copy(9), (std::vector<std::string>{
                         "rank 0 stream 1: a copy reads 9 bytes at 0 in an allocation of 8 bytes of rank 0",
                         "rank 0 stream 1: a copy writes 9 bytes at 0 in an allocation of 8 bytes of rank 0"}));
}

TEST(StandinMemory, WhatIsFreedIsNotUsed) {
  const auto fill = [](cudaStream_t stream) {
    const Buffer<char> x(8);
    cudaMemsetAsync(x.data(), 0, 8, stream);
    cudaFree(x.data());
  };
  EXPECT_EQ(problems_of(fill, cudaErrorIllegalAddress),
            (std::vector<std::string>{
                "rank 0 stream 1: a fill writes 8 bytes of an allocation of 8 bytes of rank 0 that was freed"}));
}

TEST(StandinMemory, KernelsThatWriteBesideItAreFound) {
  const auto write = [](std::ptrdiff_t place, bool freed) {
    return problems_of(
        [&](cudaStream_t stream) {
          const Buffer<char> x(8);
          char* const at = x.data() + place;
          standin_enqueue(stream, [at] { *at = 1; });
          if (freed) cudaFree(x.data());
        },
        cudaSuccess);
  };
  EXPECT_EQ(write(0, false), std::vector<std::string>());
  EXPECT_EQ(write(8, false), std::vector<std::string>{"written over the end of an allocation of 8 bytes of rank 0"});
  EXPECT_EQ(write(-1, false),
            std::vector<std::string>{"written before the begin of an allocation of 8 bytes of rank 0"});
  EXPECT_EQ(write(0, true), std::vector<std::string>{"written after the free of an allocation of 8 bytes of rank 0"});
}

TEST(StandinMemory, HostMemoryIsReadWhenACopyRuns) {
  run_threads(1, {}, [](int) {
    const cudaStream_t stream = new_stream();
    const Buffer<int> x(1);
    int value = 1;
    cudaMemcpyAsync(x.data(), &value, sizeof value, cudaMemcpyHostToDevice, stream);
    value = 2;
    EXPECT_EQ(x.values(stream)[0], 2);
  });
}

TEST(StandinMemory, SidesOfACopyAreWhatItsKindSays) {
  const auto wrong = [](cudaStream_t stream) {
    const Buffer<int> x(1), y(1);
    cudaMemcpyAsync(x.data(), y.data(), sizeof(int), cudaMemcpyHostToDevice, stream);
  };
  EXPECT_EQ(problems_of(wrong, cudaErrorIllegalAddress).size(), 1);
}

TEST(StandinMemory, CollectivesUseMemoryOfTheirOwnDevice) {
  float* shared = nullptr;
  run_ranks(2, {}, [&](const Seat& seat) {
    const Buffer<float> x(std::vector<float>{1});
    if (seat.rank == 0) shared = x.data();
    ncclAllReduce(x.data(), x.data(), 1, ncclFloat32, ncclSum, seat.comm, seat.stream);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaSuccess);
    ncclAllReduce(x.data(), shared, 1, ncclFloat32, ncclSum, seat.comm, seat.stream);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), seat.rank == 0 ? cudaSuccess : cudaErrorIllegalAddress);
  });
  EXPECT_EQ(standin::problems(),
            (std::vector<std::string>{"rank 1: all_reduce(1 f32 sum) on communicator \"all\" writes 4 "
                                      "bytes of an allocation of 4 bytes of rank 0"}));
}

TEST(StandinMemory, HasTheSizeOfTheDevice) {
  standin::Options options;
  options.device_bytes = 1024;
  run_threads(1, options, [](int) {
    size_t free = 0, total = 0;
    void* place = nullptr;
    EXPECT_EQ(cudaMalloc(&place, 2048), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&place, 1000), cudaSuccess);
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    EXPECT_EQ(free, 24);
    EXPECT_EQ(cudaFree(place), cudaSuccess);
    EXPECT_EQ(cudaFree(place), cudaErrorInvalidValue);
  });
}

}  // namespace
}  // namespace isoshard::standin_memory_test

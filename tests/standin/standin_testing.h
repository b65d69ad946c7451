#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "tests/standin/standin.h"

/// What tests of the stand-in share: ranks that are threads, and buffers on devices.
namespace isoshard::standin_testing {

/// One rank: a communicator of all, and a stream.
struct Seat {
  int rank = 0;
  int ranks = 1;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
};

inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  return stream;
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  return event;
}

/// Runs a thread per device after a reset; none has a communicator.
inline void run_threads(int ranks, standin::Options options, const std::function<void(int)>& body) {
  options.ranks = ranks;
  standin::reset(options);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      if (cudaSetDevice(rank) == cudaSuccess) body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Runs ranks with a communicator named `all`.
inline void run_ranks(int ranks, const standin::Options& options, const std::function<void(const Seat&)>& body) {
  ncclUniqueId id{};
  const auto meet = [&](int rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.commName = "all";
    Seat seat{rank, ranks, nullptr, new_stream()};
    ASSERT_EQ(ncclCommInitRankConfig(&seat.comm, ranks, id, rank, &config), ncclSuccess);
    body(seat);
  };
  standin::reset(options);
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  run_threads(ranks, options, meet);
}

inline standin::Options with_seed(uint64_t seed) {
  standin::Options options;
  options.seed = seed;
  return options;
}

/// Elements in memory of the calling thread's device.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
    data_ = static_cast<T*>(data);
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  T* data() const { return data_; }
  size_t size() const { return count_; }
  /// After everything on the stream.
  std::vector<T> values(cudaStream_t stream) const {
    std::vector<T> result(count_);
    EXPECT_EQ(cudaMemcpyAsync(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

}  // namespace isoshard::standin_testing

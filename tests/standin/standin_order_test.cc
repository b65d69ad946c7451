// Streams and events of the stand-in: what they order is in order under every seed, and what they leave open is not
// under some; and the same seed gives the same order.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/standin/standin_testing.h"

namespace isoshard::standin_order_test {
namespace {

using standin_testing::Buffer;
using standin_testing::new_event;
using standin_testing::new_stream;
using standin_testing::run_ranks;
using standin_testing::run_threads;
using standin_testing::Seat;
using standin_testing::with_seed;

constexpr uint64_t kSeeds = 200;

/// Writes 1 on one stream and copies that on another, which waits for it or does not; how many seeds see it.
int seen(bool waits, standin::Order order) {
  int count = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    standin::Options options = with_seed(seed);
    options.order = order;
    run_threads(1, options, [&](int) {
      const cudaStream_t first = new_stream(), second = new_stream();
      const cudaEvent_t written = new_event();
      const Buffer<unsigned char> x(1), y(1);
      cudaMemsetAsync(x.data(), 1, 1, first);
      cudaEventRecord(written, first);
      if (waits) cudaStreamWaitEvent(second, written, 0);
      cudaMemcpyAsync(y.data(), x.data(), 1, cudaMemcpyDeviceToDevice, second);
      count += y.values(second)[0] == 1 ? 1 : 0;
    });
  }
  return count;
}

TEST(StandinOrder, AnEventOrdersUnderEverySeed) {
  for (const standin::Order order :
       {standin::Order::any, standin::Order::last_issued_first, standin::Order::one_rank, standin::Order::priorities}) {
    EXPECT_EQ(seen(true, order), kSeeds);
  }
}

TEST(StandinOrder, AMissingWaitShows) {
  EXPECT_LT(seen(false, standin::Order::any), kSeeds * 3 / 4);
  EXPECT_EQ(seen(false, standin::Order::last_issued_first), 0);
  EXPECT_LT(seen(false, standin::Order::priorities), kSeeds * 3 / 4);
}

/// Copies a byte of the host, then that on a stream that does not wait for the legacy one; how many seeds see it.
int seen_of_host(bool synchronizes) {
  int count = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    run_threads(1, with_seed(seed), [&](int) {
      const cudaStream_t stream = new_stream();
      const Buffer<unsigned char> x(1), y(1);
      const unsigned char one = 1;
      cudaMemcpy(x.data(), &one, 1, cudaMemcpyHostToDevice);
      if (synchronizes) cudaDeviceSynchronize();
      cudaMemcpyAsync(y.data(), x.data(), 1, cudaMemcpyDeviceToDevice, stream);
      count += y.values(stream)[0] == 1 ? 1 : 0;
    });
  }
  return count;
}

TEST(StandinOrder, ACopyFromTheHostMayStillBeOnItsWay) {
  EXPECT_EQ(seen_of_host(true), kSeeds);
  EXPECT_LT(seen_of_host(false), kSeeds * 3 / 4);
}

/// What the second stream reads of x, which is written 1, recorded, written 2 and recorded again.
std::set<int> read_after_first_record(bool wait_before_second) {
  std::set<int> found;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    run_threads(1, with_seed(seed), [&](int) {
      const cudaStream_t first = new_stream(), second = new_stream();
      const cudaEvent_t event = new_event();
      const Buffer<unsigned char> x(1), y(1);
      cudaMemsetAsync(x.data(), 1, 1, first);
      cudaEventRecord(event, first);
      if (wait_before_second) cudaStreamWaitEvent(second, event, 0);
      cudaMemsetAsync(x.data(), 2, 1, first);
      cudaEventRecord(event, first);
      if (!wait_before_second) cudaStreamWaitEvent(second, event, 0);
      cudaMemcpyAsync(y.data(), x.data(), 1, cudaMemcpyDeviceToDevice, second);
      found.insert(y.values(second)[0]);
    });
  }
  return found;
}

TEST(StandinOrder, AWaitIsForTheRecordBeforeIt) {
  EXPECT_EQ(read_after_first_record(true), (std::set<int>{1, 2}));
  EXPECT_EQ(read_after_first_record(false), (std::set<int>{2}));
}

TEST(StandinOrder, AWaitForAnEventNeverRecordedIsNone) {
  run_threads(1, {}, [](int) {
    const cudaStream_t stream = new_stream();
    const cudaEvent_t event = new_event();
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  });
}

TEST(StandinOrder, NothingRunsBeforeItsRankWaits) {
  run_threads(1, {}, [](int) {
    const cudaStream_t stream = new_stream();
    bool ran = false;
    standin_enqueue(stream, [&] { ran = true; });
    const Buffer<int> other(1);
    EXPECT_FALSE(ran);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_TRUE(ran);
  });
}

/// Polls as exec does.
cudaError_t polled(cudaEvent_t event) {
  cudaError_t error = cudaErrorNotReady;
  while (error == cudaErrorNotReady) error = cudaEventQuery(event);
  return error;
}

std::vector<std::string> trace_of(uint64_t seed) {
  run_ranks(4, with_seed(seed), [](const Seat& seat) {
    const Buffer<float> x(std::vector<float>(8, static_cast<float>(seat.rank)));
    const cudaStream_t other = new_stream();
    const cudaEvent_t done = new_event();
    for (int i = 0; i < 5; ++i) {
      ncclAllReduce(x.data(), x.data(), 8, ncclFloat32, ncclSum, seat.comm, seat.stream);
      standin_enqueue(other, [] {});
    }
    cudaEventRecord(done, seat.stream);
    EXPECT_EQ(polled(done), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
  return standin::trace();
}

TEST(StandinOrder, TheSeedDecidesTheOrder) {
  std::set<std::vector<std::string>> traces;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::string> trace = trace_of(seed);
    EXPECT_EQ(trace.size(), 4 + 5 + 4 * 5);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(trace_of(seed), trace) << seed;
    traces.insert(trace);
  }
  EXPECT_GT(traces.size(), 15);
}

/// Whether a copy on a stream sees what cudaMemset wrote, which goes to the legacy stream.
int legacy_seen(unsigned flags) {
  int count = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    run_threads(1, with_seed(seed), [&](int) {
      cudaStream_t stream = nullptr;
      EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
      const Buffer<unsigned char> x(1);
      cudaMemset(x.data(), 7, 1);
      count += x.values(stream)[0] == 7 ? 1 : 0;
    });
  }
  return count;
}

TEST(StandinOrder, TheLegacyStreamOrdersBlockingStreamsOnly) {
  EXPECT_EQ(legacy_seen(cudaStreamDefault), kSeeds);
  EXPECT_LT(legacy_seen(cudaStreamNonBlocking), kSeeds * 3 / 4);
}

TEST(StandinOrder, EventsHaveTimes) {
  run_threads(1, {}, [](int) {
    const cudaStream_t stream = new_stream();
    cudaEvent_t begin = nullptr, end = nullptr;
    EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
    float time = -1;
    EXPECT_EQ(cudaEventElapsedTime(&time, begin, end), cudaErrorInvalidResourceHandle);
    cudaEventRecord(begin, stream);
    for (int i = 0; i < 3; ++i) standin_enqueue(stream, [] {});
    cudaEventRecord(end, stream);
    EXPECT_EQ(cudaEventElapsedTime(&time, begin, end), cudaErrorNotReady);
    EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&time, begin, end), cudaSuccess);
    EXPECT_GT(time, 0);
    EXPECT_EQ(cudaEventElapsedTime(&time, begin, new_event()), cudaErrorInvalidResourceHandle);
  });
}

}  // namespace
}  // namespace isoshard::standin_order_test

// Injected errors: every call of a program that polls may fail, and any rank may stop at any call, and nothing hangs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "tests/standin/standin_testing.h"

namespace isoshard::standin_faults_test {
namespace {

using standin_testing::new_stream;
using standin_testing::run_threads;

/// What went wrong first in a rank.
struct Failed {
  std::string call;
  int error = 0;
};

/// A program as exec's: all waits are polls with a deadline, every error ends the rank, which aborts its communicator.
class Program {
 public:
  Program(int rank, int ranks, const ncclUniqueId& id) : rank_(rank), ranks_(ranks), id_(id) {}

  Failed run() {
    step();
    if (comm_ != nullptr) (failed_.error == 0 ? ncclCommDestroy : ncclCommAbort)(comm_);
    return failed_;
  }

 private:
  template <class Result>
  bool good(const char* call, Result result) {
    if (static_cast<int>(result) != 0) failed_ = {call, static_cast<int>(result)};
    return static_cast<int>(result) == 0;
  }

  bool connected(ncclResult_t result) {
    while (result == ncclInProgress && !late()) {
      ncclResult_t error = ncclSuccess;
      result = ncclCommGetAsyncError(comm_, &error);
      if (result == ncclSuccess) result = error;
    }
    return good("connected", result);
  }

  bool finished(cudaEvent_t event) {
    for (;;) {
      const cudaError_t state = cudaEventQuery(event);
      if (state != cudaErrorNotReady) return good("event", state);
      ncclResult_t error = ncclSuccess;
      if (!good("poll", ncclCommGetAsyncError(comm_, &error)) || !good("async", error)) return false;
      if (late()) return good("deadline", 1);
    }
  }

  bool late() const { return std::chrono::steady_clock::now() > deadline_; }

  bool step() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    void* data = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    if (!good("malloc", cudaMalloc(&data, 64)) || !good("stream", cudaStreamCreateWithFlags(&stream, 1))) return false;
    if (!good("event", cudaEventCreateWithFlags(&event, 2))) return false;
    if (!connected(ncclCommInitRankConfig(&comm_, ranks_, id_, rank_, &config))) return false;
    if (!good("memset", cudaMemsetAsync(data, 0, 64, stream))) return false;
    for (int i = 0; i < 2; ++i) {
      if (!connected(ncclAllReduce(data, data, 16, ncclFloat32, ncclSum, comm_, stream))) return false;
    }
    if (!good("record", cudaEventRecord(event, stream)) || !finished(event)) return false;
    return connected(ncclCommFinalize(comm_));
  }

  int rank_, ranks_;
  ncclUniqueId id_;
  ncclComm_t comm_ = nullptr;
  Failed failed_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
};

constexpr int kRanks = 3;

/// Runs the program with a fault; what went wrong at each rank.
std::vector<Failed> run_with(const std::function<void()>& inject) {
  std::vector<Failed> failed(kRanks);
  ncclUniqueId id{};
  std::vector<std::thread> threads;
  standin::Options options;
  options.ranks = kRanks;
  standin::reset(options);
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  inject();
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      const cudaError_t chosen = cudaSetDevice(rank);
      failed[static_cast<size_t>(rank)] =
          chosen == cudaSuccess ? Program(rank, kRanks, id).run() : Failed{"set device", static_cast<int>(chosen)};
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failed;
}

int64_t calls_made() {
  for (const Failed& one : run_with([] {})) EXPECT_EQ(one.error, 0) << one.call;
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
  return standin::calls(1);
}

TEST(StandinFaults, ACallThatFailsIsSeenAndNothingHangs) {
  const int64_t calls = calls_made();
  ASSERT_GT(calls, 10);
  for (int64_t n = 1; n <= calls; ++n) {
    const std::vector<Failed> failed = run_with([&] { standin::fail_at(1, n); });
    // The last calls are polls, whose number may differ, and the destroy, whose result nobody looks at.
    if (n < calls - 4) {
      EXPECT_NE(failed[1].error, 0) << n;
    }
  }
}

TEST(StandinFaults, ARankThatStopsIsARemoteErrorAtTheOthers) {
  const int64_t calls = calls_made();
  int remote = 0;
  for (int64_t n = 1; n < calls - 4; ++n) {
    const std::vector<Failed> failed = run_with([&] { standin::stop_rank_at(1, n); });
    EXPECT_NE(failed[1].error, 0) << n;
    for (const size_t other : {0U, 2U}) {
      EXPECT_NE(failed[other].error, 0) << n;
      remote += failed[other].error == ncclRemoteError ? 1 : 0;
    }
  }
  EXPECT_GT(remote, 4);
}

TEST(StandinFaults, ErrorsAreThoseThatWereAskedFor) {
  const std::vector<Failed> failed = run_with([] {
    standin::Errors errors;
    errors.cuda = cudaErrorMemoryAllocation;
    standin::fail_at(0, 2, errors);
  });
  EXPECT_EQ(failed[0].call, "malloc");
  EXPECT_EQ(failed[0].error, cudaErrorMemoryAllocation);
}

/// The sum of ones of all ranks as each has it, with a fault of the second.
std::vector<std::vector<int32_t>> sums_with(const std::function<void()>& inject) {
  std::vector<std::vector<int32_t>> sums(kRanks);
  standin_testing::run_ranks(kRanks, {}, [&](const standin_testing::Seat& seat) {
    const standin_testing::Buffer<int32_t> buffer(std::vector<int32_t>(3, 1));
    if (seat.rank == 1) inject();
    EXPECT_EQ(ncclAllReduce(buffer.data(), buffer.data(), 3, ncclInt32, ncclSum, seat.comm, seat.stream), ncclSuccess);
    sums[static_cast<size_t>(seat.rank)] = buffer.values(seat.stream);
  });
  return sums;
}

TEST(StandinFaults, SpoiledDataHasOtherBitsOnOneRank) {
  const std::vector<int32_t> right(3, kRanks), wrong{0x40404043, 0x40404043, kRanks};
  EXPECT_EQ(sums_with([] {}), (std::vector<std::vector<int32_t>>{right, right, right}));
  EXPECT_EQ(sums_with([] { standin::spoil_from(1, 1); }), (std::vector<std::vector<int32_t>>{right, wrong, right}));
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
}

TEST(StandinFaults, AKernelThatFailsEndsWhatItsRankDoes) {
  run_threads(2, {}, [](int rank) {
    const cudaStream_t stream = new_stream();
    standin_enqueue(stream, [rank] {
      if (rank == 1) standin_kernel_failed("kernel planted: thread 3 waits");
    });
    const cudaError_t expected = rank == 1 ? cudaErrorLaunchFailure : cudaSuccess;
    EXPECT_EQ(cudaStreamSynchronize(stream), expected);
    EXPECT_EQ(cudaStreamSynchronize(stream), expected);
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>{"rank 1: kernel planted: thread 3 waits"});
}

}  // namespace
}  // namespace isoshard::standin_faults_test

// Captures and graphs of the stand-in, and what CUDA refuses during a capture.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/standin/standin_testing.h"

namespace isoshard::standin_graphs_test {
namespace {

using standin_testing::Buffer;
using standin_testing::new_event;
using standin_testing::new_stream;
using standin_testing::run_ranks;
using standin_testing::run_threads;
using standin_testing::Seat;
using standin_testing::with_seed;

/// Captures a fork: y = x on a second stream, z = y on the first, which waits for the second before that or after it.
cudaGraphExec_t captured_fork(cudaStream_t stream, const Buffer<int>& x, const Buffer<int>& y, const Buffer<int>& z,
                              bool waits) {
  const cudaStream_t second = new_stream();
  const cudaEvent_t forked = new_event(), copied = new_event();
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(second, forked, 0);
  cudaMemcpyAsync(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice, second);
  cudaEventRecord(copied, second);
  if (waits) cudaStreamWaitEvent(stream, copied, 0);
  cudaMemcpyAsync(z.data(), y.data(), 4, cudaMemcpyDeviceToDevice, stream);
  if (!waits) cudaStreamWaitEvent(stream, copied, 0);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2);
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return exec;
}

/// z after two launches with x = 1 and x = 2, over all seeds.
std::set<std::vector<int>> seen(bool waits) {
  std::set<std::vector<int>> found;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    run_threads(1, with_seed(seed), [&](int) {
      const cudaStream_t stream = new_stream();
      const Buffer<int> x(std::vector<int>{1}), y(std::vector<int>{0}), z(1);
      const cudaGraphExec_t exec = captured_fork(stream, x, y, z, waits);
      std::vector<int> values;
      for (int launch = 1; launch <= 2; ++launch) {
        cudaMemcpyAsync(x.data(), &launch, sizeof launch, cudaMemcpyHostToDevice, stream);
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        values.push_back(z.values(stream)[0]);
      }
      found.insert(values);
      EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    });
  }
  return found;
}

TEST(StandinGraphs, ReplayKeepsTheOrderThatEventsMade) { EXPECT_EQ(seen(true), (std::set<std::vector<int>>{{1, 2}})); }

TEST(StandinGraphs, ReplayKeepsNoOtherOrder) {
  EXPECT_EQ(seen(false), (std::set<std::vector<int>>{{0, 1}, {0, 2}, {1, 1}, {1, 2}}));
}

TEST(StandinGraphs, CollectivesAreReplayed) {
  run_ranks(4, with_seed(2), [](const Seat& seat) {
    const Buffer<int> x(std::vector<int>{1});
    EXPECT_EQ(cudaStreamBeginCapture(seat.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ncclAllReduce(x.data(), x.data(), 1, ncclInt32, ncclSum, seat.comm, seat.stream);
    ncclAllReduce(x.data(), x.data(), 1, ncclInt32, ncclMax, seat.comm, seat.stream);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(seat.stream, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    EXPECT_EQ(x.values(seat.stream)[0], 1) << "captured work does not run";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaGraphLaunch(exec, seat.stream), cudaSuccess);
    EXPECT_EQ(x.values(seat.stream)[0], 64);
    EXPECT_EQ(ncclCommFinalize(seat.comm), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(seat.comm), ncclSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, seat.stream), cudaErrorInvalidValue);
  });
  EXPECT_EQ(standin::problems().size(), 4);
}

/// What the end of a capture returns after `body`.
cudaError_t end_after(const std::function<void(cudaStream_t)>& body) {
  cudaError_t error = cudaSuccess;
  run_threads(1, {}, [&](int) {
    const cudaStream_t stream = new_stream();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    body(stream);
    error = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph != nullptr, error == cudaSuccess);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  });
  return error;
}

TEST(StandinGraphs, AnEmptyCaptureIsAGraph) {
  EXPECT_EQ(end_after([](cudaStream_t) {}), cudaSuccess);
}

TEST(StandinGraphs, ForksAreJoined) {
  const auto fork = [](bool joined) {
    return end_after([=](cudaStream_t stream) {
      const cudaStream_t second = new_stream();
      const cudaEvent_t forked = new_event(), done = new_event();
      cudaEventRecord(forked, stream);
      cudaStreamWaitEvent(second, forked, 0);
      standin_enqueue(second, [] {});
      cudaEventRecord(done, second);
      if (joined) cudaStreamWaitEvent(stream, done, 0);
    });
  };
  EXPECT_EQ(fork(true), cudaSuccess);
  EXPECT_EQ(fork(false), cudaErrorStreamCaptureUnjoined);
}

TEST(StandinGraphs, WhatACaptureForbidsSpoilsIt) {
  EXPECT_EQ(end_after([](cudaStream_t stream) {
              EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
              cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
              EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
              EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
            }),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end_after([](cudaStream_t) {
              void* place = nullptr;
              EXPECT_EQ(cudaMalloc(&place, 8), cudaErrorStreamCaptureUnsupported);
            }),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end_after([](cudaStream_t stream) {
              const cudaEvent_t outside = new_event();
              cudaEventRecord(outside, new_stream());
              EXPECT_EQ(cudaStreamWaitEvent(stream, outside, 0), cudaErrorStreamCaptureIsolation);
            }),
            cudaErrorStreamCaptureInvalidated);
}

TEST(StandinGraphs, CapturedEventsAreNotAsked) {
  EXPECT_EQ(end_after([](cudaStream_t stream) {
              const cudaEvent_t event = new_event();
              cudaEventRecord(event, stream);
              EXPECT_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
              EXPECT_EQ(cudaEventSynchronize(event), cudaErrorCapturedEvent);
            }),
            cudaSuccess);
}

TEST(StandinGraphs, ACaptureEndsWhereItBegan) {
  EXPECT_EQ(end_after([](cudaStream_t stream) {
              const cudaStream_t second = new_stream();
              const cudaEvent_t forked = new_event();
              cudaGraph_t graph = nullptr;
              EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
              cudaEventRecord(forked, stream);
              cudaStreamWaitEvent(second, forked, 0);
              EXPECT_EQ(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
            }),
            cudaErrorStreamCaptureInvalidated);
}

}  // namespace
}  // namespace isoshard::standin_graphs_test

// The interface of streams and events.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "tests/standin/calls.h"
#include "tests/standin/captures.h"
#include "tests/standin/issue.h"
#include "tests/standin/streams.h"
#include "tests/standin/witness.h"

namespace standin {
namespace {

/// FNV-1a.
uint64_t digest_of(const void* given, size_t bytes) {
  uint64_t digest = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes; ++i) digest = (digest ^ static_cast<const unsigned char*>(given)[i]) * 0x100000001b3;
  return digest;
}

int64_t time_of(const Nodes& nodes) {
  int64_t time = 0;
  for (const NodeRef& node : nodes) time = std::max(time, node->finished);
  return time;
}

void issue_kernel(cudaStream_t stream, std::function<void()> work, uint64_t digest) {
  const Lock lock(Machine::get().mutex);
  CUstream_st* const found = stream_of(stream);
  if (witnesses()) witness({"kernel", std::to_string(digest), name_of_stream(found)});
  if (found == nullptr) return Machine::get().problem("a kernel on a stream that is none");
  if (!Machine::get().is_gone(found->rank)) issue_work(*found, "kernel", std::move(work));
}

using Kernel = isoshard::exec::InLibrary<void(const void*)>;

bool launch_kernel(cudaStream_t stream, Kernel kernel, const void* work, size_t bytes, uint64_t digest) {
  const auto* const first = static_cast<const std::byte*>(work);
  issue_kernel(
      stream, [run = kernel.get(), own = std::vector<std::byte>(first, first + bytes)] { run(own.data()); }, digest);
  return true;
}

}  // namespace
}  // namespace standin

using namespace standin;

void standin_enqueue(cudaStream_t stream, std::function<void()> work) {
  if (is_client()) {
    std::fprintf(stderr, "stand-in: standin_enqueue: expected devices in this process; a kernel is launched\n");
    std::abort();
  }
  issue_kernel(stream, std::move(work), 0);
}

void standin_launch(cudaStream_t stream, void (*run)(const void*), const void* work, size_t bytes, const void* given,
                    size_t given_bytes) {
  const uint64_t digest = witnesses() ? digest_of(given, given_bytes) : 0;
  if (is_client()) return tell<&launch_kernel>(stream, Kernel(run), In{work, bytes}, bytes, digest);
  launch_kernel(stream, Kernel(run), work, bytes, digest);
}

void standin_kernel_failed(const std::string& what) { Machine::get().fail_kernel(what); }

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  if (is_client()) return ask_cuda<cudaStreamCreateWithFlags>(Out{stream}, flags);
  return cuda_call([&](Lock&) { return make_stream(stream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (is_client()) return ask_cuda<cudaStreamCreateWithPriority>(Out{stream}, flags, priority);
  return cuda_call([&](Lock&) { return make_stream(stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_client()) return ask_cuda<cudaStreamDestroy>(stream);
  return cuda_call([&](Lock&) { return destroy_stream(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (is_client()) return ask_cuda<cudaStreamSynchronize>(stream);
  return cuda_call([&](Lock& lock) {
    CUstream_st* const found = stream_of(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refused_in_capture(*found)) return error;
    return wait_for(lock, tails_of(*found));
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (is_client()) return ask_cuda<cudaStreamQuery>(stream);
  return cuda_call([&](Lock& lock) {
    CUstream_st* const found = stream_of(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refused_in_capture(*found)) return error;
    return ask_for(lock, tails_of(*found));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (is_client()) return ask_cuda<cudaStreamWaitEvent>(stream, event, flags);
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    CUevent_st* const what = event_of(event);
    if (found == nullptr || what == nullptr) return cudaErrorInvalidResourceHandle;
    if (witnesses()) witness({"cudaStreamWaitEvent", name_of_stream(found), name_of_event(what)});
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (found->capture || what->capture) return wait_in_capture(*found, *what);
    append(found->tails, what->nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  if (is_client()) return ask_cuda<cudaDeviceSynchronize>();
  return cuda_call([&](Lock& lock) {
    Nodes tails = tails_of(*stream_of(nullptr));
    for (CUstream_st* stream : streams_on(current_device())) {
      if (const cudaError_t error = refused_in_capture(*stream)) return error;
      append(tails, stream->tails);
    }
    return wait_for(lock, tails);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if (is_client()) return ask_cuda<cudaEventCreateWithFlags>(Out{event}, flags);
  return cuda_call([&](Lock&) { return make_event(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (is_client()) return ask_cuda<cudaEventDestroy>(event);
  return cuda_call([&](Lock&) { return destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (is_client()) return ask_cuda<cudaEventRecord>(event, stream);
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    CUevent_st* const what = event_of(event);
    if (found == nullptr || what == nullptr) return cudaErrorInvalidResourceHandle;
    if (witnesses()) witness({"cudaEventRecord", name_of_event(what), name_of_stream(found)});
    if (found->capture && found->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    what->recorded = true;
    what->capture = found->capture;
    what->captured = found->captured;
    // Also what is done, for its time.
    what->nodes = tails_of(*found);
    if (what->nodes.empty()) what->nodes = found->tails;
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (is_client()) return ask_cuda<cudaEventQuery>(event);
  return cuda_call([&](Lock& lock) {
    const CUevent_st* const what = event_of(event);
    if (what == nullptr) return cudaErrorInvalidResourceHandle;
    if (what->capture) return cudaErrorCapturedEvent;
    return ask_for(lock, Nodes(what->nodes));
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (is_client()) return ask_cuda<cudaEventSynchronize>(event);
  return cuda_call([&](Lock& lock) {
    const CUevent_st* const what = event_of(event);
    if (what == nullptr) return cudaErrorInvalidResourceHandle;
    if (what->capture) return cudaErrorCapturedEvent;
    return wait_for(lock, Nodes(what->nodes));
  });
}

// A step of the scheduler takes a microsecond.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (is_client()) return ask_cuda<cudaEventElapsedTime>(Out{milliseconds}, begin, end);
  return cuda_call([&](Lock&) {
    const CUevent_st* const from = event_of(begin);
    const CUevent_st* const to = event_of(end);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (from == nullptr || to == nullptr) return cudaErrorInvalidResourceHandle;
    if (!from->recorded || !to->recorded || !from->timed || !to->timed) return cudaErrorInvalidResourceHandle;
    if (!all_done(from->nodes) || !all_done(to->nodes)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(time_of(to->nodes) - time_of(from->nodes)) / 1000;
    return cudaSuccess;
  });
}

}  // extern "C"

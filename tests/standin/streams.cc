// Streams and events. Neither holds work: a stream knows the nodes that its next piece of work goes behind, and an
// event the nodes that were so when it was recorded. So recording again does not change earlier waits, and a wait for
// an event that was never recorded is none, as in CUDA.
#include "tests/standin/streams.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/standin/calls.h"
#include "tests/standin/graphs.h"

namespace standin {
namespace {

struct Streams {
  std::map<int, CUstream_st> legacy;  ///< by device
  std::map<int, int> made;            ///< streams of a device
  std::map<CUstream_st*, std::unique_ptr<CUstream_st>> streams;
  std::map<CUevent_st*, std::unique_ptr<CUevent_st>> events;
  std::map<int, cudaError_t> broken;
};

Streams& all_streams() {
  static auto* all = new Streams;
  return *all;
}

CUevent_st* event_of(cudaEvent_t handle) {
  const auto found = all_streams().events.find(handle);
  return found == all_streams().events.end() ? nullptr : found->second.get();
}

void append(Nodes& to, const Nodes& from) {
  for (const NodeRef& node : from) {
    if (!node->done && std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

cudaError_t make_stream(cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUstream_st>();
  made->rank = current_device();
  made->index = ++all_streams().made[made->rank];
  made->blocking = flags == cudaStreamDefault;
  *stream = made.get();
  all_streams().streams.emplace(*stream, std::move(made));
  return cudaSuccess;
}

cudaError_t make_event(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUevent_st>();
  made->timed = (flags & cudaEventDisableTiming) == 0;
  *event = made.get();
  all_streams().events.emplace(*event, std::move(made));
  return cudaSuccess;
}

/// Nodes as they are now; the result of a wait for them.
cudaError_t wait_for(Lock& lock, const Nodes& nodes) {
  const int device = current_device();
  const Wake wake = Machine::get().wait(lock, [&] { return all_done(nodes) || broken(device) != cudaSuccess; });
  if (broken(device) != cudaSuccess) return broken(device);
  return wake == Wake::done ? cudaSuccess : cudaErrorUnknown;
}

cudaError_t ask_for(Lock& lock, const Nodes& nodes) {
  const int device = current_device();
  const Wake wake = Machine::get().query(lock, [&] { return all_done(nodes) || broken(device) != cudaSuccess; });
  if (broken(device) != cudaSuccess) return broken(device);
  if (wake == Wake::failed) return cudaErrorUnknown;
  return all_done(nodes) ? cudaSuccess : cudaErrorNotReady;
}

int64_t time_of(const Nodes& nodes) {
  int64_t time = 0;
  for (const NodeRef& node : nodes) time = std::max(time, node->finished);
  return time;
}

}  // namespace

CUstream_st* stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) {
    CUstream_st& legacy = all_streams().legacy[current_device()];
    legacy.rank = current_device();
    return &legacy;
  }
  const auto found = all_streams().streams.find(handle);
  return found == all_streams().streams.end() ? nullptr : found->second.get();
}

Nodes tails_of(const CUstream_st& stream) {
  Nodes tails;
  append(tails, stream.tails);
  if (stream.index == 0) {
    for (const auto& [handle, other] : all_streams().streams) {
      if (other->blocking && other->rank == stream.rank) append(tails, other->tails);
    }
  } else if (stream.blocking) {
    append(tails, all_streams().legacy[stream.rank].tails);
  }
  return tails;
}

cudaError_t issue(const NodeRef& node, std::span<CUstream_st* const> streams) {
  if (legacy_during_capture(streams)) return cudaErrorStreamCaptureImplicit;
  for (const CUstream_st* stream : streams) {
    if (stream->capture) return capture(node, streams);
  }
  Nodes before;
  for (const CUstream_st* stream : streams) append(before, tails_of(*stream));
  for (CUstream_st* stream : streams) stream->tails = {node};
  Machine::get().add(node, before);
  return cudaSuccess;
}

cudaError_t issue_work(CUstream_st& stream, std::string what, std::function<void()> run) {
  auto node = std::make_shared<Node>();
  node->rank = stream.rank;
  node->stream = stream.index;
  node->what = std::move(what);
  node->run = std::move(run);
  CUstream_st* const streams[] = {&stream};
  return issue(node, streams);
}

cudaError_t wait_for_stream(Lock& lock, const CUstream_st& stream) { return wait_for(lock, tails_of(stream)); }

std::vector<CUstream_st*> streams_of_capture(const Capture& capture) {
  std::vector<CUstream_st*> found;
  for (const auto& [handle, stream] : all_streams().streams) {
    if (stream->capture.get() == &capture) found.push_back(stream.get());
  }
  return found;
}

cudaError_t& broken(int device) { return all_streams().broken[device]; }

bool all_done(const Nodes& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const NodeRef& node) { return node->done; });
}

void reset_streams() { all_streams() = Streams(); }

}  // namespace standin

using namespace standin;

void standin_enqueue(cudaStream_t stream, std::function<void()> work) {
  const Lock lock(Machine::get().mutex);
  CUstream_st* const found = stream_of(stream);
  if (found == nullptr) return Machine::get().problem("a kernel on a stream that is none");
  if (!rank_is_gone(found->rank)) issue_work(*found, "kernel", std::move(work));
}

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cuda_call([&](Lock&) { return make_stream(stream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return cuda_call([&](Lock&) { return make_stream(stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return cuda_call(
      [&](Lock&) { return all_streams().streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return cuda_call([&](Lock& lock) {
    CUstream_st* const found = stream_of(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refused_in_capture(*found)) return error;
    return wait_for_stream(lock, *found);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cuda_call([&](Lock& lock) {
    CUstream_st* const found = stream_of(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refused_in_capture(*found)) return error;
    return ask_for(lock, tails_of(*found));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    CUevent_st* const what = event_of(event);
    if (found == nullptr || what == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (found->capture || what->capture) return wait_in_capture(*found, *what);
    append(found->tails, what->nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return cuda_call([&](Lock& lock) {
    Nodes tails = tails_of(*stream_of(nullptr));
    for (const auto& [handle, stream] : all_streams().streams) {
      if (stream->rank != current_device()) continue;
      if (const cudaError_t error = refused_in_capture(*stream)) return error;
      append(tails, stream->tails);
    }
    return wait_for(lock, tails);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return cuda_call([&](Lock&) { return make_event(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return cuda_call(
      [&](Lock&) { return all_streams().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    CUevent_st* const what = event_of(event);
    if (found == nullptr || what == nullptr) return cudaErrorInvalidResourceHandle;
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
  return cuda_call([&](Lock& lock) {
    const CUevent_st* const what = event_of(event);
    if (what == nullptr) return cudaErrorInvalidResourceHandle;
    if (what->capture) return cudaErrorCapturedEvent;
    return ask_for(lock, Nodes(what->nodes));
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cuda_call([&](Lock& lock) {
    const CUevent_st* const what = event_of(event);
    if (what == nullptr) return cudaErrorInvalidResourceHandle;
    if (what->capture) return cudaErrorCapturedEvent;
    return wait_for(lock, Nodes(what->nodes));
  });
}

// A step of the scheduler takes a microsecond.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
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

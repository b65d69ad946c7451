// Streams and events. Neither holds work: a stream knows the nodes that its next piece of work goes behind, and an
// event the nodes that were so when it was recorded. So recording again does not change earlier waits, and a wait for
// an event that was never recorded is none, as in CUDA.
#include "tests/standin/streams.h"

#include <algorithm>
#include <map>

#include "tests/standin/calls.h"

namespace standin {
namespace {

struct Streams {
  std::map<int, CUstream_st> legacy;  ///< by device
  std::map<int, int> made;            ///< streams of a device
  std::map<int, int> made_events;
  std::map<CUstream_st*, std::unique_ptr<CUstream_st>> streams;
  std::map<CUevent_st*, std::unique_ptr<CUevent_st>> events;
  std::map<int, cudaError_t> broken;
};

Streams& all_streams() {
  static auto* all = new Streams;
  return *all;
}

}  // namespace

std::string name_of_stream(const CUstream_st* stream) {
  return stream == nullptr ? "none" : "s" + std::to_string(stream->index);
}

std::string name_of_event(const CUevent_st* event) {
  return event == nullptr ? "none" : "e" + std::to_string(event->index);
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
  made->index = ++all_streams().made_events[current_device()];
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

cudaError_t destroy_stream(cudaStream_t stream) {
  return all_streams().streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t destroy_event(cudaEvent_t event) {
  return all_streams().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

std::vector<CUstream_st*> streams_on(int device) {
  std::vector<CUstream_st*> found;
  for (const auto& [handle, stream] : all_streams().streams) {
    if (stream->rank == device) found.push_back(stream.get());
  }
  return found;
}

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

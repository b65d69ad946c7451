// Captures: work that streams record in place of issuing it. What CUDA forbids meanwhile spoils the capture, with
// CUDA's errors.
#include "tests/standin/captures.h"

#include <algorithm>

namespace standin {
namespace {

std::vector<std::shared_ptr<Capture>>& all_captures() {
  static auto* all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

/// The capture that the legacy stream of a device would wait for, or null.
Capture* blocking_capture(int rank) {
  for (const std::shared_ptr<Capture>& capture : all_captures()) {
    for (const CUstream_st* stream : streams_of_capture(*capture)) {
      if (stream->rank == rank && stream->blocking) return capture.get();
    }
  }
  return nullptr;
}

/// Whether all nodes lie before these or are among them.
bool joined(const std::vector<Captured>& nodes, const std::vector<size_t>& tails) {
  std::set<size_t> reached(tails.begin(), tails.end());
  for (size_t i = nodes.size(); i-- > 0;) {  // arrows go backwards
    if (reached.count(i) == 0) return false;
    reached.insert(nodes[i].before.begin(), nodes[i].before.end());
  }
  return true;
}

void release_streams(const Capture& capture) {
  for (CUstream_st* stream : streams_of_capture(capture)) {
    stream->captured.clear();
    stream->capture = nullptr;
  }
}

}  // namespace

cudaError_t spoiled(Capture& capture, cudaError_t error) {
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  capture.invalid = true;
  return error;
}

cudaError_t begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode) {
  if (stream.index == 0) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture) return cudaErrorIllegalState;
  auto made = std::make_shared<Capture>();
  made->origin = &stream;
  made->mode = mode;
  made->thread = std::this_thread::get_id();
  stream.capture = made;
  stream.captured.clear();
  all_captures().push_back(std::move(made));
  return cudaSuccess;
}

cudaError_t end_capture(CUstream_st& stream, std::vector<Captured>& nodes) {
  if (!stream.capture) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> ended = stream.capture;
  if (ended->origin != &stream) return spoiled(*ended, cudaErrorStreamCaptureUnmatched);
  if (ended->mode != cudaStreamCaptureModeRelaxed && ended->thread != std::this_thread::get_id()) {
    return spoiled(*ended, cudaErrorStreamCaptureWrongThread);
  }
  const bool complete = joined(ended->nodes, stream.captured);
  release_streams(*ended);
  std::erase(all_captures(), ended);
  ended->ended = true;
  if (ended->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!complete) return cudaErrorStreamCaptureUnjoined;
  nodes = std::move(ended->nodes);
  return cudaSuccess;
}

cudaError_t capture(const NodeRef& node, std::span<CUstream_st* const> streams) {
  const auto captured = [](const CUstream_st* stream) { return stream->capture != nullptr; };
  const std::shared_ptr<Capture> into = (*std::find_if(streams.begin(), streams.end(), captured))->capture;
  if (into->invalid) return cudaErrorStreamCaptureInvalidated;
  std::set<size_t> before;
  for (const CUstream_st* stream : streams) {
    if (!stream->capture) return spoiled(*into, cudaErrorStreamCaptureIsolation);
    if (stream->capture != into) return spoiled(*into, cudaErrorStreamCaptureMerge);
    before.insert(stream->captured.begin(), stream->captured.end());
  }
  for (CUstream_st* stream : streams) stream->captured = {into->nodes.size()};
  into->nodes.push_back({node, std::move(before)});
  return cudaSuccess;
}

cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event) {
  if (!event.capture) return event.recorded ? spoiled(*stream.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
  if (event.capture->ended) return cudaErrorCapturedEvent;
  if (event.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream.index == 0) return spoiled(*event.capture, cudaErrorStreamCaptureImplicit);
  if (stream.capture && stream.capture != event.capture) return spoiled(*event.capture, cudaErrorStreamCaptureMerge);
  stream.capture = event.capture;
  stream.captured.insert(stream.captured.end(), event.captured.begin(), event.captured.end());
  return cudaSuccess;
}

cudaError_t refused_in_capture(CUstream_st& stream) {
  if (stream.capture) return spoiled(*stream.capture, cudaErrorStreamCaptureUnsupported);
  if (stream.index != 0) return cudaSuccess;
  Capture* const waited_for = blocking_capture(stream.rank);
  return waited_for == nullptr ? cudaSuccess : spoiled(*waited_for, cudaErrorStreamCaptureImplicit);
}

cudaError_t refused_in_any_capture() {
  for (const std::shared_ptr<Capture>& capture : all_captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool refuses =
        capture->mode == cudaStreamCaptureModeGlobal || (capture->mode == cudaStreamCaptureModeThreadLocal && own);
    if (refuses) return spoiled(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

bool legacy_during_capture(std::span<CUstream_st* const> streams) {
  for (const CUstream_st* stream : streams) {
    Capture* const waited_for = stream->index == 0 ? blocking_capture(stream->rank) : nullptr;
    if (waited_for == nullptr) continue;
    waited_for->invalid = true;
    return true;
  }
  return false;
}

void reset_captures() { all_captures().clear(); }

}  // namespace standin

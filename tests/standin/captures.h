#pragma once

#include <memory>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "tests/standin/machine.h"
#include "tests/standin/streams.h"

namespace standin {

/// What was captured: nodes that are issued again at each launch, and which of them each goes behind.
struct Captured {
  NodeRef node;
  std::set<size_t> before;
};

/// A capture in progress.
struct Capture {
  CUstream_st* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
  bool ended = false;
  std::vector<Captured> nodes;
};

/// Begins a capture on a stream.
cudaError_t begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode);

/// Ends it; what it captured.
cudaError_t end_capture(CUstream_st& stream, std::vector<Captured>& nodes);

/// Keeps the first error of a capture, which spoils it.
cudaError_t spoiled(Capture& capture, cudaError_t error);

/// Adds a node to the capture of its streams, of which at least one is captured.
cudaError_t capture(const NodeRef& node, std::span<CUstream_st* const> streams);

/// A wait for an event where it or the stream is in a capture: joins the stream to it.
cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event);

/// The error of a call that may not be made while this stream is captured, which also spoils the capture.
cudaError_t refused_in_capture(CUstream_st& stream);

/// The same for calls that no capture permits, unless it was begun by another thread or in another mode.
cudaError_t refused_in_any_capture();

/// Whether one of the streams is the legacy one, and a stream that it waits for is captured; that spoils the capture.
bool legacy_during_capture(std::span<CUstream_st* const> streams);

/// Forgets all captures.
void reset_captures();

}  // namespace standin

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/standin/machine.h"

namespace standin {
struct Capture;  // graphs.h
}  // namespace standin

/// A stream: what the next piece of work is issued behind.
struct CUstream_st {
  int rank = 0;
  int index = 0;         ///< on its device; 0 is the legacy stream
  bool blocking = true;  ///< it and the legacy stream wait for each other
  standin::Nodes tails;
  std::shared_ptr<standin::Capture> capture;  ///< where it is captured
  std::vector<size_t> captured;               ///< its tails in that
};

/// An event: what it was last recorded behind.
struct CUevent_st {
  bool timed = true;
  bool recorded = false;
  standin::Nodes nodes;
  std::shared_ptr<standin::Capture> capture;
  std::vector<size_t> captured;
};

namespace standin {

/// The stream behind a handle, for null the legacy one of the calling thread's device; null for no stream.
CUstream_st* stream_of(cudaStream_t handle);

/// What something that is issued on a stream now has to wait for.
Nodes tails_of(const CUstream_st& stream);

/// Issues a node behind what was issued on these streams, which all go on behind it, or adds it to their capture.
cudaError_t issue(const NodeRef& node, std::span<CUstream_st* const> streams);

/// The same for work of one stream.
cudaError_t issue_work(CUstream_st& stream, std::string what, std::function<void()> run);

/// Waits until all that was issued on a stream is done.
cudaError_t wait_for_stream(Lock& lock, const CUstream_st& stream);

/// The streams whose work goes to a capture.
std::vector<CUstream_st*> streams_of_capture(const Capture& capture);

/// An error that stays, of a device whose memory was accessed wrongly, or cudaSuccess.
cudaError_t& broken(int device);

/// Whether all of them are done.
bool all_done(const Nodes& nodes);

/// Forgets all streams and events.
void reset_streams();

}  // namespace standin

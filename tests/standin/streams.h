#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/standin/machine.h"

namespace standin {
struct Capture;  // captures.h
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
  int index = 0;  ///< of those that its rank made
  bool timed = true;
  bool recorded = false;
  standin::Nodes nodes;
  std::shared_ptr<standin::Capture> capture;
  std::vector<size_t> captured;
};

namespace standin {

/// The stream behind a handle, for null the legacy one of the calling thread's device; null for no stream.
CUstream_st* stream_of(cudaStream_t handle);

/// The event behind a handle, or null.
CUevent_st* event_of(cudaEvent_t handle);

/// Names for a witness: `s2`, `e7`, `none`.
std::string name_of_stream(const CUstream_st* stream);
std::string name_of_event(const CUevent_st* event);

/// Functions of the interface, and how they end.
cudaError_t make_stream(cudaStream_t* stream, unsigned flags);
cudaError_t make_event(cudaEvent_t* event, unsigned flags);
cudaError_t destroy_stream(cudaStream_t stream);
cudaError_t destroy_event(cudaEvent_t event);

/// All streams of a device but the legacy one.
std::vector<CUstream_st*> streams_on(int device);

/// What something that is issued on a stream now has to wait for.
Nodes tails_of(const CUstream_st& stream);

/// Adds those that are not done and not there yet.
void append(Nodes& to, const Nodes& from);

/// Waits until all are done.
cudaError_t wait_for(Lock& lock, const Nodes& nodes);

/// Whether all are done: cudaErrorNotReady where not, after at most a step.
cudaError_t ask_for(Lock& lock, const Nodes& nodes);

/// The streams whose work goes to a capture.
std::vector<CUstream_st*> streams_of_capture(const Capture& capture);

/// An error that stays, of a device whose memory was accessed wrongly, or cudaSuccess.
cudaError_t& broken(int device);

/// Whether all of them are done.
bool all_done(const Nodes& nodes);

/// Forgets all streams and events.
void reset_streams();

}  // namespace standin

#pragma once  // internal

#include <nccl.h>

#include <chrono>
#include <vector>

#include "exec/backend.h"
#include "exec/device/issuer.h"

namespace isoshard::exec {

/// When something has to be over.
using Deadline = std::chrono::steady_clock::time_point;
Deadline in_seconds(double seconds);

/// The communicators of a rank: one of all ranks, and by CommunicatorId those that are split from it.
///
/// They do not block: a call of NCCL that is in progress is polled until the deadline, so that a rank that never comes
/// is a failure and no hang (docs/spec/calls.md, "Failures").
class Communicators {
 public:
  Communicators() = default;
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators() { abort(); }

  /// Meets the other ranks and splits, in the order of the list, on all ranks alike.
  Outcome<> join(const calls::CallList& list, const Seat& seat, double seconds, Issuer& issuer);
  ncclComm_t at(uint32_t communicator) const { return split_[communicator]; }

  /// Waits until a call that returned `status` has been taken.
  Outcome<> settle(ncclResult_t status, ncclComm_t communicator, const char* call, Deadline deadline) const;
  /// An error that came from the network or another rank.
  Outcome<> check() const;
  /// Ends all, together with the other ranks.
  Outcome<> finish(double seconds);
  /// Ends all at once, whatever they are doing.
  void abort();

 private:
  ncclComm_t all_ = nullptr;
  std::vector<ncclComm_t> split_;  ///< null where the rank takes no part
};

}  // namespace isoshard::exec

#pragma once

#include <string>
#include <vector>

#include "tests/standin/node.h"

namespace standin {

/// What the scheduler asks of communication (nccl_matching.h).
class Communication {
 public:
  virtual ~Communication() = default;
  /// The rank has come to this group: what all members have come to may run.
  virtual void post(const NodeRef& node) = 0;
  /// Problems for collectives that not all members have come to, where those that have do not agree.
  virtual void check_unmatched() = 0;
  /// What waits can never come: its communicators get ncclInternalError.
  virtual void fail_waiting() = 0;
  /// Whether any collective or message did not match, since the last reset.
  virtual bool any_mismatch() const = 0;
  /// Which ranks wait in what for whom, a line for each.
  virtual std::vector<std::string> waiting() const = 0;
  /// Whether ranks that a communicator waits for have not begun yet.
  virtual bool ranks_to_come() const = 0;
  /// A rank is gone: the others get ncclRemoteError.
  virtual void leave(int rank) = 0;
  /// Whether others may wait for a rank: it has a communicator that it did not end.
  virtual bool is_member(int rank) const = 0;
};

}  // namespace standin

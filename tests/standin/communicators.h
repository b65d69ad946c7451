#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/standin/machine.h"
#include "tests/standin/ops.h"

namespace standin {

/// An op that its rank has come to.
struct Posted {
  NodeRef node;
  size_t part = 0;
  Op& op() const { return node->group->ops[part]; }
};

/// What all ranks of a communicator share.
struct Clique {
  std::string key;   ///< unique, the same in each run: how it was made
  std::string name;  ///< commName, or how it was made
  int size = 0;
  int joined = 0;
  int departed = 0;  ///< ranks that had ended when the first joined
  int finalized = 0;
  bool mismatched = false;
  std::vector<ncclComm*> members;
  std::map<int64_t, std::map<int, Posted>> collectives;  ///< by sequence and member, those not done
  /// By sender, receiver and sequence: its two sides.
  std::map<std::pair<std::pair<int, int>, int64_t>, std::pair<Posted, Posted>> messages;
  struct Split {
    int joined = 0;
    std::vector<int> colors, keys;
    std::vector<std::string> names;
    std::vector<ncclComm*> made;
  };
  std::map<int64_t, Split> splits;
};

}  // namespace standin

/// A communicator of one rank.
struct ncclComm {
  std::shared_ptr<standin::Clique> clique;  ///< null in a child whose split is not complete
  int rank = 0;                             ///< in it
  int device = 0;
  bool blocking = true;
  ncclResult_t error = ncclSuccess;
  std::string message;  ///< of the error
  int in_progress = 0;  ///< begun and not complete: init, splits, finalize
  bool finalized = false, destroyed = false;
  int64_t collectives = 0, splits = 0;
  std::map<int, int64_t> sent, received;        ///< by peer
  int64_t unfinished = 0;                       ///< ops issued
  std::vector<std::function<void()>> deferred;  ///< of a communicator that does not block: issued when it is polled
};

namespace standin {

/// A number for ncclGetUniqueId.
uint64_t next_id();

/// A new communicator of the calling thread's device, in progress.
ncclComm& make_comm(bool blocking);

/// A name for a witness: how it was split, by number and color, the calling rank in it, and its size: `/0.1:2/4`.
std::string name_of_comm(const ncclComm& comm);

/// What ncclCommGetAsyncError says of it, without waiting.
ncclResult_t state_of(const ncclComm& comm);

/// The communicator behind a handle, or null.
ncclComm* comm_of(ncclComm_t handle);

/// Gives each op of a group that is issued its place in the order of its communicator.
void number_ops(Group& group);

/// Sets the error of one member, with words, unless it has one.
void set_error(ncclComm& comm, ncclResult_t error, const std::string& message);

/// Issues what a communicator that does not block has put off.
void issue_deferred(ncclComm& comm);

/// All communicators.
const std::vector<std::unique_ptr<ncclComm>>& all_comms();

/// What they share, by key.
std::map<std::string, std::shared_ptr<Clique>>& all_cliques();

/// Forgets all communicators.
void reset_communicators();

}  // namespace standin

// The communicators that there are. They are kept until the next reset, so that a handle that ended is known as one.
#include "tests/standin/communicators.h"

#include <algorithm>

#include "tests/standin/calls.h"

namespace standin {
namespace {

struct Communicators {
  uint64_t ids = 0;
  std::map<std::string, std::shared_ptr<Clique>> cliques;
  std::vector<std::unique_ptr<ncclComm>> comms;
};

Communicators& all() {
  static auto* communicators = new Communicators;
  return *communicators;
}

void number(Op& op) {
  if (op.kind == Kind::send) {
    op.sequence = op.comm->sent[op.peer]++;
  } else if (op.kind == Kind::receive) {
    op.sequence = op.comm->received[op.peer]++;
  } else {
    op.sequence = op.comm->collectives++;
  }
  ++op.comm->unfinished;
}

}  // namespace

ncclComm& make_comm(bool blocking) {
  auto made = std::make_unique<ncclComm>();
  made->device = current_device();
  made->blocking = blocking;
  made->in_progress = 1;
  all().comms.push_back(std::move(made));
  return *all().comms.back();
}

uint64_t next_id() { return ++all().ids; }

ncclResult_t state_of(const ncclComm& comm) {
  if (comm.error != ncclSuccess) return comm.error;
  if (comm.in_progress > 0 || !comm.deferred.empty()) return ncclInProgress;
  const bool finalizing = comm.finalized && (comm.clique->finalized < comm.clique->size || comm.unfinished > 0);
  return finalizing ? ncclInProgress : ncclSuccess;
}

void number_ops(Group& group) {
  for (Op& op : group.ops) number(op);
}

void issue_deferred(ncclComm& comm) {
  const auto deferred = std::exchange(comm.deferred, {});
  for (const auto& issue_one : deferred) issue_one();
}

std::string name_of_comm(const ncclComm& comm) {
  if (!comm.clique) return "none";
  const std::string& key = comm.clique->key;
  const size_t path = key.find('/');
  return (path == std::string::npos ? "/" : key.substr(path)) + ":" + std::to_string(comm.rank) + "/" +
         std::to_string(comm.clique->size);
}

ncclComm* comm_of(ncclComm_t handle) {
  const auto is_it = [&](const auto& comm) { return comm.get() == handle && !comm->destroyed; };
  const auto found = std::find_if(all().comms.begin(), all().comms.end(), is_it);
  return found == all().comms.end() ? nullptr : found->get();
}

void set_error(ncclComm& comm, ncclResult_t error, const std::string& message) {
  if (comm.error != ncclSuccess) return;
  comm.error = error;
  comm.message = message;
}

const std::vector<std::unique_ptr<ncclComm>>& all_comms() { return all().comms; }
std::map<std::string, std::shared_ptr<Clique>>& all_cliques() { return all().cliques; }

void reset_communicators() { all() = Communicators(); }

}  // namespace standin

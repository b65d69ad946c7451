// Which collectives and messages may run: those that all their members have come to.
//
// Ops match by their communicator and place in its order of issue: the k-th collective of one member is the k-th of
// all, and the k-th message from one member to another is the k-th that this receives from that. A group is posted as a
// whole when all before it is done on all its streams, and is done when all its ops are, in any order: so sends and
// receives of a group go on together, and one alone waits for its peer, as NCCL's do when they are larger than its
// buffers. Members that disagree about what the k-th is would hang with NCCL, or compute nonsense; here it has names.
// An op is looked at once when it is posted and once when it runs.
#include "tests/standin/nccl_matching.h"

#include <algorithm>

#include "tests/standin/communicators.h"
#include "tests/standin/nccl_data.h"

namespace standin {
namespace {

bool mismatch_seen = false;

std::string rank_text(const Op& op) { return "rank " + std::to_string(op.comm->device); }

bool same_call(const Op& a, const Op& b) {
  return a.kind == b.kind && a.count == b.count && a.dtype == b.dtype && a.op == b.op &&
         (!has_root(a) || a.peer == b.peer);
}

void mismatch(Clique& clique, const std::string& text) {
  mismatch_seen = true;
  clique.mismatched = true;
  Machine::get().problem(text);
  if (Machine::get().options().hang_on_mismatch) return;
  for (ncclComm* member : clique.members) {
    if (member != nullptr) set_error(*member, ncclInvalidUsage, text);
  }
}

bool dead(const Clique& clique) {
  return clique.mismatched || std::any_of(clique.members.begin(), clique.members.end(), [](const ncclComm* member) {
           return member != nullptr && (Machine::get().is_gone(member->device) || member->error == ncclRemoteError);
         });
}

void complete(const Posted& posted) {
  Op& op = posted.op();
  op.done = true;
  --op.comm->unfinished;
  const std::vector<Op>& ops = posted.node->group->ops;
  if (std::all_of(ops.begin(), ops.end(), [](const Op& one) { return one.done; })) Machine::get().finish(*posted.node);
}

Key key_of(const Posted& posted) { return {posted.node->rank, posted.node->number, posted.part}; }

void check_collective(Clique& clique, int64_t sequence, const std::map<int, Posted>& posted) {
  if (clique.mismatched) return;
  const Op& first = posted.begin()->second.op();
  for (const auto& [member, other] : posted) {
    if (same_call(first, other.op())) continue;
    return mismatch(clique, "collective mismatch on communicator \"" + clique.name + "\" at sequence " +
                                std::to_string(sequence) + ": " + rank_text(other.op()) + " " + to_text(other.op()) +
                                ", " + rank_text(first) + " " + to_text(first));
  }
}

void run_collective(Clique& clique, int64_t sequence) {
  const std::map<int, Posted> posted = std::move(clique.collectives.at(sequence));
  clique.collectives.erase(sequence);
  std::vector<const Op*> ops;
  for (const auto& [member, one] : posted) ops.push_back(&one.op());
  move_collective(ops);
  for (const auto& [member, one] : posted) complete(one);
}

void post_collective(const Posted& posted) {
  Clique& clique = *posted.op().comm->clique;
  const int64_t sequence = posted.op().sequence;
  std::map<int, Posted>& all = clique.collectives[sequence];
  all[posted.op().comm->rank] = posted;
  if (std::ssize(all) < clique.size || dead(clique)) return;
  check_collective(clique, sequence, all);
  if (clique.mismatched) return;
  const Posted& first = all.begin()->second;
  Machine::get().make_runnable(
      key_of(first),
      {first.node->stream, to_text(first.op()) + " on \"" + clique.name + "\" sequence " + std::to_string(sequence),
       [&clique, sequence] { run_collective(clique, sequence); }});
}

using MessageKey = std::pair<std::pair<int, int>, int64_t>;

void run_message(Clique& clique, const MessageKey& key) {
  const auto [sender, receiver] = clique.messages.at(key);
  clique.messages.erase(key);
  move_message(sender.op(), receiver.op());
  complete(sender);
  complete(receiver);
}

void check_message(Clique& clique, const Op& sent, const Op& received) {
  if (sent.count == received.count && sent.dtype == received.dtype) return;
  mismatch(clique, "message mismatch on communicator \"" + clique.name + "\": " + rank_text(sent) + " " +
                       to_text(sent) + ", " + rank_text(received) + " " + to_text(received));
}

void post_message(const Posted& posted) {
  const Op& op = posted.op();
  Clique& clique = *op.comm->clique;
  const bool sends = op.kind == Kind::send;
  const std::pair<int, int> pair{sends ? op.comm->rank : op.peer, sends ? op.peer : op.comm->rank};
  const MessageKey key{pair, op.sequence};
  auto& [sender, receiver] = clique.messages[key];
  (sends ? sender : receiver) = posted;
  if (!sender.node || !receiver.node || dead(clique)) return;
  check_message(clique, sender.op(), receiver.op());
  if (clique.mismatched) return;
  Machine::get().make_runnable(key_of(sender),
                               {sender.node->stream, to_text(sender.op()) + " on \"" + clique.name + "\"",
                                [&clique, key] { run_message(clique, key); }});
}

std::string missing_members(const Clique& clique, const std::map<int, Posted>& posted) {
  std::string text;
  for (int member = 0; member < clique.size; ++member) {
    if (posted.count(member) == 0) text += " " + std::to_string(clique.members[static_cast<size_t>(member)]->device);
  }
  return text;
}

std::string waiting_text(const Posted& posted) {
  return "deadlock: " + place_of(posted.node->rank, posted.node->stream) + " waits in " + to_text(posted.op()) +
         " on communicator \"" + posted.op().comm->clique->name + "\"";
}

void remove_runnable(const Clique& clique) {
  for (const auto& [sequence, posted] : clique.collectives) Machine::get().remove(key_of(posted.begin()->second));
  for (const auto& [key, sides] : clique.messages) {
    if (sides.first.node) Machine::get().remove(key_of(sides.first));
  }
}

std::vector<std::string> waiting_members() {
  std::vector<std::string> lines;
  for (const std::unique_ptr<ncclComm>& comm : all_comms()) {
    if (comm->destroyed || state_of(*comm) != ncclInProgress || !comm->clique) continue;
    const char* const what = comm->clique->joined < comm->clique->size ? "the init"
                             : comm->finalized                         ? "the end"
                                                                       : "a split";
    lines.push_back("deadlock: rank " + std::to_string(comm->device) + " waits in " + what + " of communicator \"" +
                    comm->clique->name + "\" for its other members");
  }
  return lines;
}

class Matching : public Communication {
 public:
  void post(const NodeRef& node) override;
  void check_unmatched() override;
  void fail_waiting() override;
  bool any_mismatch() const override { return mismatch_seen; }
  std::vector<std::string> waiting() const override;
  bool ranks_to_come() const override;
  void leave(int rank) override;
  bool is_member(int rank) const override;
};

void Matching::post(const NodeRef& node) {
  for (size_t part = 0; part < node->group->ops.size(); ++part) {
    const Posted posted{node, part};
    if (posted.op().done) continue;
    if (posted.op().comm->destroyed) {
      complete(posted);
    } else if (is_message(posted.op())) {
      post_message(posted);
    } else {
      post_collective(posted);
    }
  }
}

void Matching::check_unmatched() {
  for (const auto& [name, clique] : all_cliques()) {
    for (const auto& [sequence, posted] : clique->collectives) check_collective(*clique, sequence, posted);
  }
}

// Also of those that ask CUDA alone: what they ask NCCL next may be answered when others have gone on.
void Matching::fail_waiting() {
  for (const std::unique_ptr<ncclComm>& comm : all_comms()) {
    if (!comm->destroyed && comm->unfinished > 0) set_error(*comm, ncclInternalError, "a deadlock");
  }
}

std::vector<std::string> Matching::waiting() const {
  std::vector<std::string> lines;
  for (const auto& [name, clique] : all_cliques()) {
    for (const auto& [sequence, posted] : clique->collectives) {
      for (const auto& [member, one] : posted) {
        lines.push_back(waiting_text(one) + " at sequence " + std::to_string(sequence) + " for ranks" +
                        missing_members(*clique, posted));
      }
    }
    for (const auto& [key, sides] : clique->messages) {
      if (sides.first.node) lines.push_back(waiting_text(sides.first));
      if (sides.second.node) lines.push_back(waiting_text(sides.second));
    }
  }
  for (std::string& line : waiting_members()) lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool Matching::ranks_to_come() const {
  if (Machine::get().any_gone()) return false;
  for (const auto& [key, clique] : all_cliques()) {
    const int ended = Machine::get().departed() - clique->departed;
    if (clique->joined < clique->size && Machine::get().present() + ended < clique->size) return true;
  }
  return false;
}

bool Matching::is_member(int rank) const {
  return std::any_of(all_comms().begin(), all_comms().end(),
                     [&](const std::unique_ptr<ncclComm>& comm) { return comm->device == rank && !comm->destroyed; });
}

void Matching::leave(int rank) {
  for (const std::unique_ptr<ncclComm>& comm : all_comms()) {
    if (comm->device != rank || comm->destroyed || !comm->clique) continue;
    remove_runnable(*comm->clique);
    for (ncclComm* member : comm->clique->members) {
      if (member != nullptr && member != comm.get()) {
        set_error(*member, ncclRemoteError, "rank " + std::to_string(rank) + " is gone");
      }
    }
  }
}

}  // namespace

Communication& matching() {
  static auto* made = new Matching;
  return *made;
}

void drop(ncclComm& comm) {
  Clique& clique = *comm.clique;
  remove_runnable(clique);
  std::vector<Posted> mine;
  for (auto& [sequence, posted] : clique.collectives) {
    if (const auto found = posted.find(comm.rank); found != posted.end()) {
      mine.push_back(found->second);
      posted.erase(found);
    }
  }
  std::erase_if(clique.collectives, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [key, sides] : clique.messages) {
    if (sides.first.node && key.first.first == comm.rank) mine.push_back(std::exchange(sides.first, {}));
    if (sides.second.node && key.first.second == comm.rank) mine.push_back(std::exchange(sides.second, {}));
  }
  for (const Posted& posted : mine) complete(posted);
}

void reset_matching() { mismatch_seen = false; }

}  // namespace standin

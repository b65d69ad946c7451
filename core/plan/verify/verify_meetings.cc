// What differs from rank to rank: blocks and peers are evaluated on every rank and, where they depend on loops, in
// every iteration; messages are listed per pair of ranks, collectives per rank group, in the order in which they are
// started, and compared. Each instruction is reported once. Cost: ranks times what communicates, iterations counted.
#include "core/plan/verify/verify_meetings.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/plan/order/issue_order.h"

namespace isoshard {
namespace {

std::string range(int64_t value, int64_t low, int64_t high) {
  return std::to_string(value) + "; expected " + std::to_string(low) + " to " + std::to_string(high - 1);
}

using Counts = std::function<bool(const Instruction&)>;
using Visit = std::function<void(InstructionId id, const std::vector<int64_t>& iterations)>;

/// Calls `visit` for the instructions that `counts` accepts, as a rank runs them; whether there are any.
bool for_each_run(const Plan& plan, const std::vector<Block>& blocks, const Counts& counts, const Visit& visit,
                  std::vector<int64_t>& loops) {
  bool any = false;
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      if (!counts(plan.instruction(id))) continue;
      any = true;
      visit(id, loops);
    }
    if (!block.repeat) continue;
    bool inside = true;
    for (int64_t i = 0; inside && i < block.repeat->count; ++i) {
      loops.push_back(i);
      inside = for_each_run(plan, block.repeat->body, counts, visit, loops);
      loops.pop_back();
      any = any || inside;
    }
  }
  return any;
}

class Meetings {
 public:
  Meetings(const Plan& plan, PlanFindings& findings) : plan_(plan), mesh_(*plan.mesh), findings_(findings) {}

  void run() {
    for (const RankGroup& group : plan_.groups) {
      for (int64_t r = 0; r < group.size(mesh_); ++r) of_rank_[static_cast<size_t>(group.position(r))] = &group;
      find_channels(group, group.blocks);
    }
    for (const RankGroup& group : plan_.groups) {
      for (int64_t r = 0; r < group.size(mesh_); ++r) check_rank(group, group.position(r));
    }
    if (!findings_.empty()) return;
    compare_messages();
    compare_collectives();
  }

 private:
  /// A message, by its type and the instruction that sends or receives it.
  using Messages = std::vector<std::pair<const TensorType*, InstructionId>>;
  using Channel = std::tuple<CommunicatorId, int64_t, int64_t>;  ///< on which, from, to

  /// Over which communicators the group sends or receives other than by permutes.
  void find_channels(const RankGroup& group, const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          const InstructionData& data = plan_.instruction(id).data();
          if (is_message(data) && !std::holds_alternative<Permute>(data)) {
            channels_.insert({&group, *communicator_of(data)});
          }
        }
      }
      if (block.repeat) find_channels(group, block.repeat->body);
    }
  }

  void check_rank(const RankGroup& group, int64_t position) {
    const auto counts = [](const Instruction& i) { return depends_on_rank(i.data()); };
    const auto visit = [&](InstructionId id, const std::vector<int64_t>& loops) { check(id, position, loops); };
    std::vector<int64_t> loops;
    for_each_run(plan_, group.blocks, counts, visit, loops);
  }

  static bool depends_on_rank(const InstructionData& data) {
    return !std::holds_alternative<LocalOp>(data) && !std::holds_alternative<ScalarIndex>(data) &&
           !std::holds_alternative<KeepOn>(data);
  }

  void check(InstructionId id, int64_t position, const std::vector<int64_t>& loops) {
    if (reported_.count(id) != 0) return;
    const auto at = [&](const Expr& expr) { return expr.evaluate(mesh_, position, loops); };
    const InstructionData& data = plan_.instruction(id).data();
    const CommunicatorId* communicator = communicator_of(data);
    if (communicator != nullptr && !over(*communicator).includes(position)) {
      return report(id, "L-peer",
                    "is run by rank " + std::to_string(position) + ", which is in none of the sets " +
                        over(*communicator).to_string(mesh_));
    }
    if (const auto* load = std::get_if<LoadBlock>(&data)) check_blocks(id, position, load->block, load->count, loops);
    if (const auto* store = std::get_if<StoreBlock>(&data)) {
      if (store->output >= plan_.outputs.size())
        return report(id, "L-block", "stores into an output that is not there");
      check_blocks(id, position, store->block, store->count, loops);
    }
    if (const auto* take = std::get_if<TakeBlock>(&data))
      check_blocks(id, position, {take->block}, {take->count}, loops);
    if (const auto* put = std::get_if<PutBlock>(&data)) check_blocks(id, position, {put->block}, {put->count}, loops);
    if (const auto* send = std::get_if<Send>(&data)) note_message(id, position, at(send->target), true);
    if (const auto* receive = std::get_if<Recv>(&data)) note_message(id, position, at(receive->source), false);
    if (const auto* permute = std::get_if<Permute>(&data)) check_permute(id, *permute, position, loops);
  }

  void check_blocks(InstructionId id, int64_t position, const std::vector<Expr>& blocks,
                    const std::vector<int64_t>& counts, const std::vector<int64_t>& loops) {
    for (size_t d = 0; d < blocks.size(); ++d) {
      const int64_t block = blocks[d].evaluate(mesh_, position, loops);
      const bool there = block >= 0 && block < counts[d];
      if (!there) return report(id, "L-block", "is of block " + range(block, 0, counts[d]) + on(position));
    }
  }

  void note_message(InstructionId id, int64_t position, int64_t peer, bool sends) {
    const CommunicatorId communicator = *communicator_of(plan_.instruction(id).data());
    const int64_t size = over(communicator).size(mesh_);
    if (peer < 0 || peer >= size) return report(id, "L-peer", "has peer " + range(peer, 0, size) + on(position));
    const int64_t other = over(communicator).member(mesh_, position, peer);
    const Instruction& instruction = plan_.instruction(id);
    const PlanValueId value = sends ? instruction.operands[0] : instruction.results[0];
    const Channel channel{communicator, sends ? position : other, sends ? other : position};
    (sends ? sent_ : received_)[channel].emplace_back(&plan_.value(value).type(), id);
  }

  void check_permute(InstructionId id, const Permute& permute, int64_t position, const std::vector<int64_t>& loops) {
    for (const bool sends : {true, false}) {
      const int64_t peer = (sends ? permute.target : permute.source).evaluate(mesh_, position, loops);
      const int64_t size = over(permute.communicator).size(mesh_);
      if (peer < -1 || peer >= size) return report(id, "L-peer", "has peer " + range(peer, -1, size) + on(position));
      if (peer < 0) continue;
      const int64_t other = over(permute.communicator).member(mesh_, position, peer);
      if (!runs_alike(permute.communicator, position, other)) {
        note_message(id, position, peer, sends);
        continue;
      }
      const Expr& back = sends ? permute.source : permute.target;
      if (back.evaluate(mesh_, other, loops) == over(permute.communicator).index_in(mesh_, position)) continue;
      return report(id, "L-peer",
                    "sends to a member that expects another one, or expects one that sends to another" + on(position));
    }
  }

  /// Whether two ranks are in one rank group that has permutes alone on the communicator: then the same permute of both
  /// has to say the same, and messages need no counting.
  bool runs_alike(CommunicatorId communicator, int64_t a, int64_t b) const {
    const RankGroup* group = of_rank_[static_cast<size_t>(a)];
    return group == of_rank_[static_cast<size_t>(b)] && !channels_.contains({group, communicator});
  }

  const Communicator& over(CommunicatorId id) const { return plan_.communicators[id.index()]; }

  void compare_messages() {
    std::set<Channel> channels;
    for (const auto* messages : {&sent_, &received_}) {
      for (const auto& [channel, list] : *messages) channels.insert(channel);
    }
    for (const Channel& channel : channels) {
      const Messages &sent = sent_[channel], &received = received_[channel];
      for (size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        if (i < sent.size() && i < received.size() && *sent[i].first == *received[i].first) continue;
        report_message(channel, sent, received, i);
        break;
      }
    }
  }

  void report_message(const Channel& channel, const Messages& sent, const Messages& received, size_t i) {
    const std::string way = "message " + std::to_string(i) + " from rank " + std::to_string(std::get<1>(channel)) +
                            " to rank " + std::to_string(std::get<2>(channel));
    if (i == received.size()) return report(sent[i].second, "L-match", "sends " + way + ", which nobody receives");
    if (i == sent.size()) return report(received[i].second, "L-match", "receives " + way + ", which nobody sends");
    report(received[i].second, "L-match",
           "receives " + way + " as " + to_string(*received[i].first) + "; it is " + to_string(*sent[i].first));
  }

  /// In one group of ranks an instruction stands for all members; groups start theirs in some order each.
  void compare_collectives() {
    std::map<const RankGroup*, std::map<CommunicatorId, std::vector<InstructionId>>> started;
    for (const RankGroup& group : plan_.groups) {
      const auto counts = [](const Instruction& i) { return std::holds_alternative<Collective>(i.data()); };
      std::vector<int64_t> loops;
      const auto visit = [&](InstructionId id, const std::vector<int64_t>&) {
        started[&group][*communicator_of(plan_.instruction(id).data())].push_back(id);
      };
      for_each_run(plan_, group.blocks, counts, visit, loops);
    }
    for (int64_t position = 0; position < mesh_.device_count(); ++position) {
      for (size_t c = 0; c < plan_.communicators.size(); ++c) {
        if (!over(CommunicatorId(c)).includes(position)) continue;
        const int64_t leader = over(CommunicatorId(c)).leader(mesh_, position);
        compare(started[of_rank_[static_cast<size_t>(leader)]][CommunicatorId(c)],
                started[of_rank_[static_cast<size_t>(position)]][CommunicatorId(c)], leader, position);
      }
    }
  }

  void compare(const std::vector<InstructionId>& first, const std::vector<InstructionId>& second, int64_t leader,
               int64_t position) {
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      const bool both = i < first.size() && i < second.size();
      if (both && is_same(first[i], second[i])) continue;
      const InstructionId id = i < first.size() ? first[i] : second[i];
      report(id, "L-match",
             "is collective " + std::to_string(i) + " of rank " + std::to_string(i < first.size() ? leader : position) +
                 "; rank " + std::to_string(i < first.size() ? position : leader) +
                 (both ? " starts another one" : " starts none"));
      return;
    }
  }

  bool is_same(InstructionId a, InstructionId b) const {
    if (a == b) return true;
    const Instruction &x = plan_.instruction(a), &y = plan_.instruction(b);
    if (x.data().index() != y.data().index() ||
        plan_.value(x.operands[0]).type() != plan_.value(y.operands[0]).type()) {
      return false;
    }
    const auto *left = std::get_if<Collective>(&x.data()), *right = std::get_if<Collective>(&y.data());
    return left == nullptr ||
           (left->kind == right->kind && left->dim == right->dim && left->concat_dim == right->concat_dim &&
            left->adds_natively() == right->adds_natively());
  }

  static std::string on(int64_t position) {
    std::string text(" (rank ");
    text += std::to_string(position);
    return text += ")";
  }

  void report(InstructionId id, const std::string& rule, const std::string& text) {
    if (reported_.insert(id).second) findings_.at(id, rule, text);
  }

  const Plan& plan_;
  const Mesh& mesh_;
  PlanFindings& findings_;
  std::set<InstructionId> reported_;
  std::vector<const RankGroup*> of_rank_ =
      std::vector<const RankGroup*>(static_cast<size_t>(mesh_.device_count()), nullptr);
  std::set<std::pair<const RankGroup*, CommunicatorId>> channels_;  ///< on which a group sends or receives
  std::map<Channel, Messages> sent_, received_;
};

}  // namespace

void verify_meetings(const Plan& plan, PlanFindings& findings) { Meetings(plan, findings).run(); }

}  // namespace isoshard

// Explains a deadlock: follows from each blocked queue what it waits for, a token of the same device's other queue, or
// the first member that has not come to a meeting, until a queue comes twice, which is a circle, or a device has
// finished, which is a chain. Deterministic: the state in which nothing can go on is the same for every interleaving,
// since there are no wildcards and queues are in order (docs/spec/plan.md, "Deadlock"), and walks begin at the lowest
// rank. Each queue waits for one thing, so all walks together visit each once. Cost: blocked queues.
#include "sim/engine/engine_deadlock.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/plan/order/wait_chain.h"
#include "core/support/check.h"

namespace isoshard::sim {
namespace {

/// A queue of a device that cannot go on.
struct Waiting {
  int64_t position = 0;
  size_t queue = 0;
  auto operator<=>(const Waiting&) const = default;
};

/// Follows "waits for" from one blocked queue to the next.
class WaitForGraph {
 public:
  WaitForGraph(const EngineContext& context, const std::vector<std::unique_ptr<Device>>& devices)
      : plan_(context.plan), index_(context.index), fabric_(context.fabric), devices_(devices) {}

  /// The first cycle, or else the first chain that ends at a finished rank.
  std::pair<std::vector<Waiting>, bool> find() const {
    std::vector<Waiting> chain;
    std::map<Waiting, int64_t> walked_by;
    for (const auto& device : devices_) {
      if (device->done()) continue;
      std::vector<Waiting> path;
      std::optional<Waiting> at = first_of(*device);
      while (at && !walked_by.contains(*at)) {
        walked_by[*at] = device->position();
        path.push_back(*at);
        at = next(*at);
      }
      if (at && walked_by[*at] == device->position()) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), *at));
        return {path, true};
      }
      if (chain.empty()) chain = path;
    }
    return {chain, false};
  }

  /// That cannot go on; in front of an iteration the one that has to be done with an earlier one.
  Instruction instruction(Waiting at) const { return plan_.instruction(device(at.position).head(behind(at).queue)); }

  /// `rank 0: all_reduce over `x` (group of rank 0, sequence number 3) waits for rank 1`.
  std::string describe(Waiting at) const {
    const Ticket* ticket = device(at.position).ticket(at.queue);
    if (!device(at.position).head(at.queue).valid()) {
      return rank_name(at.position) + ": the queue " + queue_name(at.queue) + " is done" + iteration(at) +
             " and waits for " + instruction(at).op() + iteration(behind(at)) + " on another queue of " +
             rank_name(at.position);
    }
    const std::string text = rank_name(at.position) + ": " + instruction(at).op() + iteration(at);
    if (ticket == nullptr) {
      const InstructionId wait = device(at.position).unmet_wait(at.queue);
      return text + " waits for " + plan_.instruction(wait).op() + " on another queue of " + rank_name(at.position);
    }
    const int64_t missing = missing_position(*ticket);
    return text + " over `" + plan_.communicators[ticket->key.communicator.index()].to_string(*plan_.mesh) + "` (" +
           meeting(ticket->key) + ", sequence number " + std::to_string(ticket->key.sequence) + ") waits for " +
           rank_name(missing) + (device(missing).done() ? ", which has finished without it" : "");
  }

 private:
  /// The queue that holds up one in front of an iteration; `at` itself where it is at an instruction.
  Waiting behind(Waiting at) const {
    while (!device(at.position).head(at.queue).valid()) at.queue = *device(at.position).lagging(at.queue);
    return at;
  }
  std::string queue_name(size_t queue) const {
    for (const Communicator& communicator : plan_.communicators) {
      if (communicator.queue.index() == queue) return "over `" + communicator.to_string(*plan_.mesh) + "`";
    }
    return "compute";
  }
  const Device& device(int64_t position) const { return *devices_[static_cast<size_t>(position)]; }
  static std::string meeting(const RendezvousKey& key) {
    if (key.receiver < 0) return "group of " + rank_name(key.leader);
    return rank_name(key.leader) + " to " + rank_name(key.receiver);
  }
  int64_t missing_position(const Ticket& ticket) const {
    const std::optional<int64_t> position = fabric_.first_missing(ticket);
    ISOSHARD_CHECK(position.has_value(), "a complete meeting blocks a device");
    return *position;
  }

  /// ` in iteration 3`, of nested loops ` in iteration 3, 0`; nothing outside of loops.
  std::string iteration(Waiting at) const {
    std::string text;
    for (const int64_t i : device(at.position).iterations(at.queue)) {
      text += (text.empty() ? " in iteration " : ", ") + std::to_string(i);
    }
    return text;
  }

  static Waiting first_of(const Device& device) {
    size_t queue = 0;
    while (!device.head(queue).valid()) ++queue;  // the queue that is behind all others is in front of no iteration
    return {device.position(), queue};
  }

  std::optional<Waiting> next(Waiting at) const {
    if (!device(at.position).head(at.queue).valid())
      return Waiting{at.position, *device(at.position).lagging(at.queue)};
    const Ticket* ticket = device(at.position).ticket(at.queue);
    if (ticket == nullptr) {
      return Waiting{at.position, index_.place(device(at.position).unmet_wait(at.queue)).queue};
    }
    const Device& missing = device(missing_position(*ticket));
    if (missing.done()) return std::nullopt;
    const size_t queue = plan_.communicators[ticket->key.communicator.index()].queue.index();
    if (queue < missing.queue_count() && missing.is_waiting(queue)) return Waiting{missing.position(), queue};
    return first_of(missing);
  }

  const Plan& plan_;
  const PlanIndex& index_;
  const Fabric& fabric_;
  const std::vector<std::unique_ptr<Device>>& devices_;
};

}  // namespace

Diagnostic explain_deadlock(const EngineContext& context, const std::vector<std::unique_ptr<Device>>& devices) {
  const WaitForGraph graph(context, devices);
  const auto [steps, cycle] = graph.find();
  const auto stuck = std::count_if(devices.begin(), devices.end(), [](const auto& device) { return !device->done(); });
  std::vector<WaitingRank> chain;
  for (const Waiting& step : steps) {
    chain.push_back({step.position, graph.instruction(step).location(), graph.describe(step)});
  }
  return deadlock_diagnostic(chain, cycle, stuck, static_cast<int64_t>(devices.size()));
}

}  // namespace isoshard::sim

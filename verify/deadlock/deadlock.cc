// Decides deadlocks by running what ranks do together, without values (docs/adr/0048-deadlock-without-values.md): first
// with all queues of a rank as one, in issue order. What comes to its end so does for any number of queues, whose order
// is part of that one, and is what NCCL asks for: launches in an order that all devices agree on. What stands still
// runs again with queues side by side, which tells what no order of launches can help from what one spoils; and with
// buffers for more and more messages. Cost: meetings, equal ranks once; if it stands still steps times queues, and a
// run per bit of the depth.
#include "verify/deadlock/deadlock.h"

#include <utility>

#include "verify/deadlock/explain_wait.h"

namespace isoshard::verify {
namespace {

constexpr double kMost = 1 << 26;  ///< steps of all ranks

/// A Plan with its queues in one way.
class Decision {
 public:
  Decision(const Plan& plan, const FoldedRanks& ranks, std::vector<GroupMeetings> groups)
      : plan_(plan), ranks_(ranks), groups_(std::move(groups)) {}

  bool completes(int64_t depth) const { return Rendezvous(plan_, ranks_, groups_, depth).run(); }

  Diagnostic explain() const {
    Rendezvous run(plan_, ranks_, groups_, 0);
    run.run();
    return explain_wait(plan_, ranks_, groups_, run);
  }

  /// The smallest depth of buffers at which it completes; there may be none.
  std::optional<int64_t> depth() const {
    if (!completes(kUnboundedDepth)) return std::nullopt;
    int64_t low = 0, high = 1;
    while (!completes(high)) low = std::exchange(high, high * 2);
    while (low + 1 < high) {
      const int64_t middle = low + (high - low) / 2;
      (completes(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  const Plan& plan_;
  const FoldedRanks& ranks_;
  std::vector<GroupMeetings> groups_;
};

DeadlockReport undecided() {
  DeadlockReport report{DeadlockVerdict::undecided, {}, {}, false};
  report.finding =
      Diagnostic{Severity::warning, "D-deadlock", Location(), "ranks take more than 2^26 steps together", {}};
  return report;
}

}  // namespace

DeadlockReport decide_deadlock(const Plan& plan) {
  const std::optional<FoldedRanks> ranks = FoldedRanks::of(plan, kMost);
  if (!ranks) return undecided();
  DeadlockReport report;
  for (const QueueOrdering ordering : {QueueOrdering::launch_order, QueueOrdering::side_by_side}) {
    std::optional<std::vector<GroupMeetings>> groups = list_meetings(plan, *ranks, ordering, kMost);
    if (!groups) return report.finding ? report : undecided();
    const Decision decision(plan, *ranks, std::move(*groups));
    if (decision.completes(0)) return report;
    const bool any = ordering == QueueOrdering::side_by_side;
    const std::optional<int64_t> depth = decision.depth();
    report = {any ? DeadlockVerdict::deadlock : DeadlockVerdict::launch_order, decision.explain(), depth,
              any && depth && report.depth != depth};
  }
  return report;
}

std::string_view name(DeadlockVerdict verdict) {
  constexpr std::string_view kNames[] = {"none", "launch order", "deadlock", "undecided"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string DeadlockReport::words() const {
  std::string text;
  switch (verdict) {
    case DeadlockVerdict::none:
      return "none";
    case DeadlockVerdict::undecided:
      return "not decided: more than 2^26 steps";
    case DeadlockVerdict::launch_order:
      text = "where a rank has one queue, in issue order; not with queues side by side";
      break;
    case DeadlockVerdict::deadlock:
      text = "in every order of launches";
      break;
  }
  if (!depth) return text += "; no buffers help";
  text += side_by_side ? "; with queues side by side none" : "; none";
  text += " with buffers for " + std::to_string(*depth);
  return text += *depth == 1 ? " message from each rank to another" : " messages from each rank to another";
}

}  // namespace isoshard::verify

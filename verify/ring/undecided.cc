// Finds where the ring lacked a decision, to point at a line of the file. The ring keeps only the first reason, without
// a place, since many threads meet it at once. So the last draw runs again in one thread, with a watch that looks at
// the ring's note after each value: the first value after which it is there is made by the op in question. Cost: one
// run of both programs, and only for a report that could not decide.
#include "verify/ring/undecided.h"

#include "core/support/result.h"
#include "sim/domains/exact_ring.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

/// Keeps the first value after which something was undecided.
class UndecidedWatch final : public sim::ValueObserver {
 public:
  UndecidedWatch(const sim::ExactRing& ring, PlanValueId& first, bool& met) : ring_(ring), first_(first), met_(met) {}

  void on_value(int64_t, PlanValueId id, const sim::Value&) override {
    if (met_ || ring_.undecided().empty()) return;
    met_ = true;
    first_ = id;
  }

 private:
  const sim::ExactRing& ring_;
  PlanValueId& first_;
  bool& met_;  ///< by either program
};

Location made_at(const Plan& plan, PlanValueId id) {
  const InstructionId maker = definitions(plan)[id.index()];
  return maker.valid() ? plan.instruction(maker).location() : Location();
}

}  // namespace

Location find_undecided(const Pair& pair, const RingOptions& options, const RingOutcome& outcome) {
  Draw draw = outcome.last_draw;
  draw.covered = options.covered;
  const std::unique_ptr<sim::Domain> domain = make_ring(options, outcome.terms.lanes, draw);
  const auto* ring = dynamic_cast<const sim::ExactRing*>(domain.get());
  if (ring == nullptr) return {};
  bool met = false;
  PlanValueId in_sharded, in_reference;
  UndecidedWatch sharded(*ring, in_sharded, met), reference(*ring, in_reference, met);
  PairRun run(pair, *domain, ring_draw(options, *domain, draw), 1);
  for (int64_t step = 0; step < pair.steps && !met; ++step) {
    if (!run.next({&sharded, &reference})) break;
  }
  if (in_sharded.valid()) return made_at(pair.sharded.plan, in_sharded);
  return in_reference.valid() ? made_at(pair.reference.plan, in_reference) : Location();
}

}  // namespace isoshard::verify

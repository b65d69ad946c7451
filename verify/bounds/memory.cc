// Whether this machine's memory holds a check. Both sides run one after the other, so the larger one counts, with the
// outputs of the first kept and, beside what was drawn, the globals that each side has updated. A ring with the most
// lanes has the largest elements: where it fits, all do. Only if it does not, the domain with error bounds is asked,
// and the ring with the lanes that the error needs, since degrees take time to count. Cost: one walk over both plans
// per domain.
#include "verify/bounds/memory.h"

#include "sim/domains/floats/bounded.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/memory_estimate.h"
#include "verify/bounds/count_degrees.h"

namespace isoshard::verify {
namespace {

/// Each side keeps the globals that it has updated, beside those that were drawn.
double updated_bytes(const Plan& plan, const sim::Domain& domain) {
  double bytes = 0;
  for (const Output& output : plan.outputs) {
    if (!output.updates.valid()) continue;
    const sim::Storage storage = sim::storage_of(output.type.dtype, domain);
    bytes += static_cast<double>(element_count(output.type.shape)) *
             static_cast<double>(storage.element_bytes * storage.planes);
  }
  return bytes;
}

struct SideEstimate {
  const Plan* plan;
  sim::MemoryEstimate estimate;
};

/// The side that needs more. They run one after the other; the first one's outputs stay.
SideEstimate larger_side(const Pair& pair, const sim::Domain& domain, int workers) {
  SideEstimate sharded{&pair.sharded.plan, sim::estimate_memory(pair.sharded.plan, domain, workers)};
  SideEstimate reference{&pair.reference.plan, sim::estimate_memory(pair.reference.plan, domain, workers)};
  reference.estimate.outputs += sharded.estimate.outputs;
  const double updated = updated_bytes(pair.sharded.plan, domain) + updated_bytes(pair.reference.plan, domain);
  sharded.estimate.globals += updated;
  reference.estimate.globals += updated;
  return sharded.estimate.total() >= reference.estimate.total() ? sharded : reference;
}

std::optional<Diagnostic> exceeds(const Pair& pair, const sim::Domain& domain, int workers) {
  const SideEstimate side = larger_side(pair, domain, workers);
  const int64_t devices = side.plan->mesh->device_count();
  const std::string what = "check: @" + side.plan->program + " on " + std::to_string(devices) +
                           (devices == 1 ? " device" : " virtual devices");
  return sim::exceeds_memory(what, side.estimate, sim::machine_memory());
}

}  // namespace

sim::MemoryEstimate estimate_memory(const Pair& pair, const sim::Domain& domain, int workers) {
  return larger_side(pair, domain, workers).estimate;
}

MemoryNeed memory_need(const Pair& pair, const LaneChoice& lanes, int workers) {
  MemoryNeed need{std::nullopt, estimate_memory(pair, sim::RingDomain(kMaxLanes, 0), workers).total()};
  if (need.most <= sim::machine_memory().bytes) return need;
  need.error = exceeds(pair, sim::bounded_domain(), workers);
  if (need.error) return need;
  const BoundTerms terms = bound_terms(count_degrees(pair.sharded.plan, pair.steps),
                                       count_degrees(pair.reference.plan, pair.steps), pair.reference_output);
  need.error = exceeds(pair, sim::RingDomain(choose_lanes(terms, lanes), 0), workers);
  return need;
}

}  // namespace isoshard::verify

#include "verify/memory.h"

#include "sim/domains/bounded.h"
#include "sim/domains/ring_a.h"
#include "sim/memory_estimate.h"
#include "verify/error_bound.h"

namespace isoshard::verify {
namespace {

/// The two sides run one after the other; the first one's outputs stay.
std::optional<Diagnostic> exceeds(const Pair& pair, const sim::Domain& domain, int workers) {
  const sim::MemoryLimit limit = sim::machine_memory();
  sim::MemoryEstimate sharded = sim::estimate_memory(pair.sharded.plan, domain, workers);
  sim::MemoryEstimate reference = sim::estimate_memory(pair.reference.plan, domain, workers);
  reference.outputs += sharded.outputs;
  const bool first = sharded.total() >= reference.total();
  const Plan& plan = first ? pair.sharded.plan : pair.reference.plan;
  const int64_t devices = plan.mesh->device_count();
  const std::string what =
      "check: @" + plan.program + " on " + std::to_string(devices) + (devices == 1 ? " device" : " virtual devices");
  return sim::exceeds_memory(what, first ? sharded : reference, limit);
}

}  // namespace

std::optional<Diagnostic> exceeds_memory(const Pair& pair, size_t least_lanes, int workers) {
  if (std::optional<Diagnostic> error = exceeds(pair, sim::bounded_domain(), workers)) return error;
  const sim::RingDomain most(kMaxLanes, 0);
  if (!exceeds(pair, most, workers)) return std::nullopt;
  const BoundTerms terms =
      bound_terms(count_degrees(pair.sharded.plan), count_degrees(pair.reference.plan), pair.reference_output);
  const sim::RingDomain needed(choose_lanes(terms, least_lanes), 0);
  return exceeds(pair, needed, workers);
}

}  // namespace isoshard::verify

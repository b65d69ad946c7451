#include "verify/steps.h"

#include <utility>

#include "core/support/check.h"
#include "sim/assemble.h"
#include "sim/conversion.h"
#include "sim/domains/ring_c.h"
#include "sim/steps.h"

namespace isoshard::verify {

PairRun::PairRun(const Pair& pair, const sim::Domain& domain, DrawGlobal draw, int workers)
    : pair_(pair), domain_(domain), draw_(std::move(draw)) {
  options_.workers = workers;
}

Result<void> PairRun::next(PairObservers observers, PairPerturbations perturbations) {
  if (step_ > 0) {
    sharded_ = next_globals(pair_.sharded.plan, std::move(sharded_), result_.sharded);
    reference_ = next_globals(pair_.reference.plan, std::move(reference_), result_.reference);
  }
  ++step_;
  draw_globals();
  options_.replace = replacements(pair_.reference);
  options_.observer = observers.reference;
  options_.perturbation = perturbations.reference;
  Result<sim::RunResult> reference = sim::run(pair_.reference.plan, domain_, reference_, options_);
  if (!reference) return tl::unexpected<Diagnostic>(reference.error());
  options_.replace = replacements(pair_.sharded);
  options_.observer = observers.sharded;
  options_.perturbation = perturbations.sharded;
  Result<sim::RunResult> sharded = sim::run(pair_.sharded.plan, domain_, sharded_, options_);
  if (!sharded) return tl::unexpected<Diagnostic>(sharded.error());
  result_ = PairResult{std::move(*sharded), std::move(*reference)};
  return {};
}

std::vector<sim::Value> PairRun::next_globals(const Plan& plan, std::vector<sim::Value> globals,
                                              const sim::RunResult& result) const {
  std::vector<sim::Value> next = sim::next_globals(plan, std::move(globals), result);
  const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain_);
  for (const Output& output : plan.outputs) {
    if (ring == nullptr || opaque_updates_.empty() || !output.updates.valid()) continue;
    const size_t global = output.updates.index();
    if (opaque_updates_[global]) next[global] = ring->opaque_identity(next[global]);
  }
  return next;
}

/// Rungs C and D only: in f64 an identity is one.
sim::ReplaceValue PairRun::replacements(const Side& side) const {
  const auto* ring = dynamic_cast<const sim::ExpRingDomain*>(&domain_);
  if (ring == nullptr || (side.opaque.empty() && side.gauges.empty())) return {};
  return [ring, &side](int64_t position, PlanValueId id, sim::Value value) {
    const Gauge gauge = side.gauges.empty() ? Gauge::none : side.gauges[id.index()];
    if (gauge == Gauge::zero) return sim::zeros(value.type, *ring);
    if (gauge == Gauge::random) return ring->opaque_identity(side.maxima[static_cast<size_t>(position)]);
    return side.is_opaque(id) ? ring->opaque_identity(value) : value;
  };
}

/// All globals for the first step, inputs for every step; then the mapped ones from their sources.
void PairRun::draw_globals() {
  const std::vector<Global>& globals = pair_.module->globals;
  sharded_.resize(globals.size());
  reference_.resize(globals.size());
  const auto is_due = [&](GlobalId id) { return step_ == 1 || globals[id.index()].role == Role::input; };
  for (size_t i = 0; i < globals.size(); ++i) {
    if (!pair_.used[i] || !is_due(GlobalId(i))) continue;
    sharded_[i] = draw_(globals[i], step_);
    reference_[i] = sharded_[i];
  }
  for (const MappedGlobal& map : pair_.maps) {
    if (!pair_.used[map.global.index()] || !is_due(map.global)) continue;
    sharded_[map.global.index()] = read_map(map, sharded_);
    reference_[map.global.index()] = sharded_[map.global.index()];
  }
}

sim::Value PairRun::read_map(const MappedGlobal& map, const std::vector<sim::Value>& globals) const {
  const Result<sim::RunResult> read = sim::run(map.read, domain_, globals);
  ISOSHARD_CHECK(read.has_value(), "one device that reads a view always ends");
  return sim::assemble(map.read.outputs[0].type, read->outputs[0]).value;
}

std::vector<bool> cone_over_steps(const Plan& plan, uint32_t output, int64_t steps) {
  std::vector<bool> cone = cone_of(plan, output);
  std::vector<bool> taken(plan.outputs.size(), false);
  for (bool grown = steps > 1; grown;) {
    grown = false;
    for (size_t o = 0; o < plan.outputs.size(); ++o) {
      const GlobalId updated = plan.outputs[o].updates;
      bool read = false;
      for (size_t i = 0; i < cone.size() && updated.valid() && !taken[o]; ++i) {
        const LoadBlock* load = std::get_if<LoadBlock>(&plan.instructions[i].data);
        read = read || (cone[i] && load != nullptr && load->global == updated);
      }
      if (!read) continue;
      taken[o] = grown = true;
      const std::vector<bool> earlier = cone_of(plan, static_cast<uint32_t>(o));
      for (size_t i = 0; i < cone.size(); ++i) cone[i] = cone[i] || earlier[i];
    }
  }
  return cone;
}

}  // namespace isoshard::verify

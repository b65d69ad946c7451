// Notes in which lanes some element of a denominator was 0 (docs/spec/error_bound.md, "Division"). A lane in which that
// happens by accident tells nothing and is drawn again, but only where the division is in the cone of an output that
// differs. A denominator that is 0 in all lanes is 0 as a formula. Marks are atomic, as devices run in parallel; the
// cone is formed only where something was seen. Cost: one look at each element of denominators.
#include "verify/watches/denominator_watch.h"

#include <algorithm>

#include "verify/facts/cones.h"

namespace isoshard::verify {

DenominatorWatch::DenominatorWatch(const Plan& plan, int64_t steps, const sim::Domain& domain)
    : plan_(plan),
      steps_(steps),
      ring_(dynamic_cast<const sim::ExactRing*>(&domain)),
      of_value_(plan.values.size(), nullptr) {
  const std::vector<InstructionId> divisions = denominators(plan);
  for (size_t v = 0; v < divisions.size(); ++v) {
    if (!divisions[v].valid()) continue;
    watched_.push_back(std::make_unique<Watched>());
    watched_.back()->division = divisions[v];
    of_value_[v] = watched_.back().get();
  }
}

void DenominatorWatch::on_value(int64_t, PlanValueId id, const sim::Value& value) {
  Watched* watched = of_value_[id.index()];
  if (watched == nullptr || !is_float(value.type.dtype)) return;
  const size_t lanes = ring_ != nullptr ? ring_->lanes() : value.storage.planes, n = static_cast<size_t>(value.size());
  const uint32_t all = static_cast<uint32_t>((uint64_t{1} << lanes) - 1);
  const uint32_t* residues =  // lane after lane
      value.storage.element_bytes == sizeof(uint32_t) ? value.plane<uint32_t>(0).data() : nullptr;
  uint32_t seen = 0;
  bool zero = false;
  for (size_t i = 0; i < n; ++i) {
    uint32_t here = residues == nullptr ? ring_->non_unit_lanes(value, static_cast<int64_t>(i)) : 0;
    for (size_t l = 0; residues != nullptr && l < value.storage.planes; ++l)
      here |= residues[l * n + i] == 0 ? 1U << l : 0;
    seen |= here;
    zero |= here == all;
  }
  if (seen != 0) watched->lanes.fetch_or(seen);
  if (zero) watched->zero.store(true);
}

uint32_t DenominatorWatch::lanes_in_cone(const std::vector<bool>& outputs) const {
  const auto seen = [](const std::unique_ptr<Watched>& watched) { return watched->lanes.load() != 0; };
  if (std::none_of(watched_.begin(), watched_.end(), seen)) return 0;  // nearly always: a cone takes its time
  const std::vector<bool> cone = cone_over_steps(plan_, outputs, steps_);
  uint32_t lanes = 0;
  for (const auto& watched : watched_) {
    if (cone[watched->division.index()]) lanes |= watched->lanes.load();
  }
  return lanes;
}

std::vector<InstructionId> DenominatorWatch::zeros() const {
  std::vector<InstructionId> result;
  for (const auto& watched : watched_) {
    if (watched->zero.load()) result.push_back(watched->division);
  }
  return result;
}

}  // namespace isoshard::verify

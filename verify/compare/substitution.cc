// The one mechanism that puts other values in place of what a program computes, as a hook of the engine
// (sim::Substitute; docs/spec/opaque.md). An opaque function f stands in both programs or in none; where the sharded
// value is r times the reference's, r f(x/r) keeps that they correspond. Maxima that cancel become 0 or an opaque
// function for the diagnosis of softmax. In f64 nothing is put anywhere. Cost: one look-up per value, and nothing where
// no value is named.
#include "verify/compare/substitution.h"

#include <algorithm>

#include "sim/domains/tower/tower_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/new_value.h"

namespace isoshard::verify {

sim::Value multiplied(const sim::Value& x, const Ratio& ratio, const sim::Domain& domain) {
  if (ratio.is_one()) return x;
  const sim::Value factor = sim::splat(x.type, Rational(ratio.numerator, ratio.denominator), domain);
  const sim::NewValue result(x.type, x.storage);
  domain.binary(sim::BinaryOp::multiply, x.type.dtype, x.size(), x.data.get(), factor.data.get(), result.data.get());
  return sim::NewValue(result).finish();
}

namespace {

/// r f(x/r) with an opaque function f.
sim::Value opaque_multiple(const sim::Value& x, const Ratio& r, const sim::ExactRing& ring) {
  return multiplied(ring.opaque_identity(multiplied(x, Ratio{r.denominator, r.numerator}, ring)), r, ring);
}

sim::Value marked(const Side& side, int64_t position, PlanValueId id, sim::Value value, const sim::ExactRing& ring) {
  const MaximumStandIn stand_in =
      side.maximum_stand_ins.empty() ? MaximumStandIn::none : side.maximum_stand_ins[id.index()];
  if (stand_in == MaximumStandIn::zero) return sim::zeros(value.type, ring);
  if (stand_in == MaximumStandIn::random) return ring.opaque_identity(side.maxima[static_cast<size_t>(position)]);
  return side.is_opaque(id) ? ring.opaque_identity(value) : value;
}

}  // namespace

bool substitutes_alike(const Side& side) {
  return std::none_of(side.maximum_stand_ins.begin(), side.maximum_stand_ins.end(),
                      [](MaximumStandIn s) { return s == MaximumStandIn::random; });
}

sim::Substitute substitution(const Pair& pair, const Side& side, const Generic& generic, const sim::Domain& domain) {
  const auto& layers = &side == &pair.sharded ? generic.layers.sharded : generic.layers.reference;
  const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain);
  const bool marks = dynamic_cast<const sim::TowerDomain*>(ring) != nullptr && layers.empty() &&
                     !(side.opaque.empty() && side.maximum_stand_ins.empty());
  if (ring == nullptr || (layers.empty() && !marks)) return {};
  return [&layers, &side, ring, marks](int64_t position, PlanValueId id, sim::Value value) {
    const auto layer = layers.find(id);
    if (layer != layers.end()) return opaque_multiple(value, layer->second, *ring);
    return marks ? marked(side, position, id, std::move(value), *ring) : value;
  };
}

}  // namespace isoshard::verify

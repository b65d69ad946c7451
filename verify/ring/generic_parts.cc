// Chooses where opaque functions stand on both sides so that degrees stay low (docs/spec/opaque.md, "Generic parts";
// docs/adr/0026-generic-parts.md). Sound whatever is chosen, since equal for every function means equal for the one
// that is meant; a bad choice costs laws, and the outputs are asked about again. So the choice goes by cost alone:
// reciprocals and updates where the plain degrees miss the error that is aimed at, ends of layers as well where these
// need fewer lanes. Whether ends of layers help is first counted with all of them, before a run looks for those that
// meet. Each cost is one count of degrees of both programs, up to five in all.
#include "verify/ring/generic_parts.h"

#include "verify/bounds/count_degrees.h"
#include "verify/ring/layer_ends.h"
#include "verify/ring/loop_results.h"
#include "verify/ring/ring_size.h"

namespace isoshard::verify {
namespace {

/// A number or a sum of inputs stays what it is: laws such as those of powers may need it.
bool is_more_than_inputs(const Degree& d) { return d.numerator > 1 || d.denominator > 0 || d.evaluations > 0; }

/// Updates of which programs, in the first step, make more than sums of inputs; nothing where there are none.
std::vector<bool> generic_updates(const Pair& pair) {
  std::vector<bool> updates(pair.used.size(), false);
  bool any = false;
  for (const Side* side : {&pair.sharded, &pair.reference}) {
    if (pair.steps == 1) break;
    const DegreeCounts counts = count_degrees(side->plan, 1, {}, side->opaque, Generic{true, {}});
    for (size_t o = 0; o < counts.outputs.size(); ++o) {
      const Output& output = side->plan.outputs[o];
      if (!output.updates.valid() || !is_float(output.type.dtype) || !is_more_than_inputs(counts.outputs[o])) continue;
      any = updates[output.updates.index()] = true;
    }
  }
  return any ? updates : std::vector<bool>{};
}

/// What `options` come to.
struct Cost {
  size_t lanes;
  double log2_error;

  Cost(const Pair& pair, const RingOptions& options) {
    const BoundTerms terms = bound_terms(pair, options);
    lanes = choose_lanes(terms, options.lanes);
    log2_error = verify::log2_error(terms, lanes);
  }
  bool reaches(double target) const { return log2_error <= target; }
};

/// Whether `now` errs less than `before`, or, where both reach the target, with fewer lanes.
bool improves(const Cost& now, const Cost& before, double target) {
  if (now.reaches(target) && before.reaches(target)) return now.lanes < before.lanes;
  return now.log2_error < before.log2_error;
}

}  // namespace

RingOptions with_generic_parts(const Pair& pair, const RingOptions& options) {
  const Cost plain(pair, options);
  if (options.domain || plain.reaches(options.lanes.target)) return options;
  RingOptions generic = options;
  generic.generic = Generic{true, generic_updates(pair)};
  return improves(Cost(pair, generic), plain, options.lanes.target) ? generic : options;
}

std::optional<RingOptions> with_generic_layers(const Pair& pair, const RingOptions& options) {
  if (!options.generic.any()) return std::nullopt;
  const Cost plain(pair, options);
  const auto improving = [&](const LayerEnds& layers) {
    RingOptions generic = options;
    generic.generic.layers = layers;
    const bool better = improves(Cost(pair, generic), plain, options.lanes.target);
    return better ? std::optional(generic) : std::nullopt;
  };
  LayerEnds all;
  for (const PlanValueId id : find_loop_results(pair.sharded.plan)) all.sharded.emplace(id, Ratio{});
  for (const PlanValueId id : find_loop_results(pair.reference.plan)) all.reference.emplace(id, Ratio{});
  if (all.sharded.empty() || all.reference.empty() || !improving(all)) return std::nullopt;
  const LayerEnds found = find_layer_ends(pair, options);
  return found.empty() ? std::nullopt : improving(found);
}

std::vector<std::string> generic_places(const Pair& pair, const Generic& generic) {
  std::vector<std::string> places;
  if (generic.reciprocals) places.emplace_back("all denominators");
  for (const auto& [id, ratio] : generic.layers.sharded) places.push_back(pair.sharded.name(id));
  for (size_t g = 0; g < generic.updates.size(); ++g) {
    if (generic.updates[g]) places.push_back("@" + pair.module->globals[g].name + " between the steps");
  }
  return places;
}

}  // namespace isoshard::verify

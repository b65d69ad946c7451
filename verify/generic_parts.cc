#include "verify/generic_parts.h"

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

double best_error(const Pair& pair, const RingOptions& options) {
  const BoundTerms terms = bound_terms(pair, options);
  return log2_error(terms, choose_lanes(terms, options.lanes));
}

}  // namespace

RingOptions with_generic_parts(const Pair& pair, const RingOptions& options) {
  const double plain = best_error(pair, options);
  if (options.domain || plain <= options.lanes.target) return options;
  RingOptions generic = options;
  generic.generic = Generic{true, generic_updates(pair)};
  return best_error(pair, generic) < plain ? generic : options;
}

std::vector<std::string> generic_places(const Pair& pair, const Generic& generic) {
  std::vector<std::string> places;
  if (generic.reciprocals) places.emplace_back("all denominators");
  for (size_t g = 0; g < generic.updates.size(); ++g) {
    if (generic.updates[g]) places.push_back("@" + pair.module->globals[g].name + " between the steps");
  }
  return places;
}

}  // namespace isoshard::verify

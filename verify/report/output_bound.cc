// The terms of the error bound of one output, as shown to people (docs/spec/error_bound.md, "Per output"). The rung
// that decided the output counts, or the last that spoke about it. Degrees are counted again on the part of both
// programs that the output needs, because the bound of a run is that of its worst output. Nothing of this takes part in
// a verdict. Cost: one restriction and one count of degrees per output, so it is asked for only by --explain and JSON.
#include "verify/report/output_bound.h"

#include <algorithm>
#include <cmath>

#include "verify/answers/rung_record.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/error_bound.h"
#include "verify/bounds/pair_degrees.h"
#include "verify/compare/restrict_outputs.h"
#include "verify/facts/exp_depth.h"

namespace isoshard::verify {
namespace {

/// The rung that decided `output`, or the last that spoke about it; null when none did.
const RungRecord* deciding(const std::vector<RungRecord>& rungs, size_t output) {
  const RungRecord* last = nullptr;
  for (const RungRecord& rung : rungs) {
    for (const RungAnswer& answer : rung.answers) {
      if (answer.output != output) continue;
      last = &rung;
      if (answer.says == RungSays::equal) return last;
    }
  }
  return last;
}

int deepest(const Pair& pair, size_t output, bool by_exponentials) {
  const size_t in_reference = pair.reference_output[output];
  return std::max(exp_depths(pair.sharded.plan, pair.steps, {}, by_exponentials)[output].depth,
                  exp_depths(pair.reference.plan, pair.steps, {}, by_exponentials)[in_reference].depth);
}

OutputBound bound_of(const Pair& whole, size_t output, const RungRecord& rung) {
  std::vector<bool> wanted(whole.sharded.plan.outputs.size(), false);
  wanted[output] = true;
  const Restricted part = restrict_to(whole, wanted);
  const size_t o = static_cast<size_t>(std::find(part.wanted.begin(), part.wanted.end(), true) - part.wanted.begin());
  const bool exponential = in_towers(rung.rung());
  std::optional<ExpDegrees> depth;
  if (exponential) depth = ExpDegrees{std::max(1.0, rung.terms.factors), rung.by_exponentials};
  const Pair& pair = part.pair;
  const auto [sharded, reference] = count_degrees(pair, depth, rung.generic);
  const Degree &left = sharded.outputs[o], &right = reference.outputs[pair.reference_output[o]];
  BoundTerms terms = bound_terms(sharded, reference, pair.reference_output);
  if (exponential) terms.log2_prime = rung.terms.log2_prime;
  OutputBound bound;
  bound.rung = rung.rung();
  bound.log2_numerator = std::log2(std::max(left.numerator, right.numerator));
  bound.log2_denominator = std::log2(std::max(left.denominator, right.denominator));
  bound.evaluations = terms.evaluations;
  bound.log2_opaque_degree = std::log2(terms.opaque_degree);
  if (exponential) bound.exp_depth = deepest(pair, o, rung.by_exponentials);
  bound.decisions = rung.terms.decisions;
  bound.lanes = rung.terms.lanes;
  bound.log2_error = log2_error(terms, rung.terms.lanes);
  if (rung.terms.decisions > 0) bound.log2_error = std::min(0.0, log2_sum(bound.log2_error, -rung.terms.decisions));
  return bound;
}

}  // namespace

std::optional<OutputBound> output_bound(const Pair& pair, const std::vector<RungRecord>& rungs, size_t output) {
  const RungRecord* rung = deciding(rungs, output);
  return rung == nullptr ? std::nullopt : std::optional(bound_of(pair, output, *rung));
}

}  // namespace isoshard::verify

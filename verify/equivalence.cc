#include "verify/equivalence.h"

#include <algorithm>

#include "verify/bounds_table.h"
#include "verify/climb.h"
#include "verify/diagnose.h"
#include "verify/float_stage.h"
#include "verify/missing_law.h"
#include "verify/padding.h"
#include "verify/sampled.h"
#include "verify/witness.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

/// Of the numbers in rung F where a ring found a difference: what shows for numbers of one sign only is missed once in
/// 2^16 times. An output that is equal needs one.
constexpr uint32_t kFloatDraws = 16;

/// Whether the rung vouches for its equal outputs; otherwise why not, in `report`.
bool ring_vouches(const RingOutcome& ring, double worst, CheckReport& report) {
  if (!ring.undecidable.empty()) {
    const bool further = !ring.open_reason.empty();
    report.reason = further ? ring.open_reason : ring.undecidable;
    report.reason_location = further ? ring.open_location : ring.undecidable_location;
  } else if (ring.zero_denominator) {
    report.reason = "the denominator %" + ring.zero_denominator->value + " is 0 in every draw, and x/0 has no value";
    report.reason_location = ring.zero_denominator->location;
  } else if (ring.log2_error > worst) {
    report.reason = "the formulas have so high a degree that rung " + ring.rung + " may err with probability up to " +
                    report.error_text().substr(std::string("error <= ").size()) + " in " + std::to_string(ring.lanes) +
                    (ring.lanes == 1 ? " lane; " : " lanes; ") + power_of_2(worst) + " is the most that is accepted";
  }
  return report.reason.empty();
}

Verdict verdict_of(const OutputReport& output, bool vouched) {
  const bool equal = output.ring_equal && vouched && output.sampled.empty();
  if (output.ring_equal && vouched && !equal) {
    return output.floats.counterexample ? Verdict::not_equal : Verdict::not_refuted;
  }
  if (output.floats.counterexample) return equal ? Verdict::float_differs : Verdict::not_equal;
  return equal ? Verdict::equal : Verdict::undecided;
}

Verdict worst(const std::vector<OutputReport>& outputs) {
  const auto any = [&](Verdict v) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const OutputReport& o) { return o.verdict == v; });
  };
  if (any(Verdict::not_equal)) return Verdict::not_equal;
  if (any(Verdict::undecided)) return Verdict::undecided;
  if (any(Verdict::float_differs)) return Verdict::float_differs;
  return any(Verdict::not_refuted) ? Verdict::not_refuted : Verdict::equal;
}

bool holds_narrow_floats(const Plan& plan) {
  return std::any_of(plan.values.begin(), plan.values.end(),
                     [](const PlanValue& v) { return v.type.dtype == DType::bf16 || v.type.dtype == DType::f16; });
}

/// Of the integers that are limited, where some output was covered.
void take_ranges(const Pair& pair, const RingOutcome& ring, CheckReport& report) {
  if (std::find(ring.covered.begin(), ring.covered.end(), true) == ring.covered.end()) return;
  const std::vector<IntegerValues> values = integer_values(pair.sharded.plan, pair.reference.plan);
  for (size_t g = 0; g < values.size(); ++g) {
    if (pair.used[g] && !values[g].words.empty()) {
      report.ranges.push_back("@" + pair.module->globals[g].name + " in " + values[g].words);
    }
  }
}

/// Why not all integers or orders were covered, where an output rests on those that were drawn.
std::string why_sampled(const RingOutcome& ring) {
  std::string why;
  for (const RungRecord& rung : ring.rungs) {
    if (rung.covered) why = rung.silent.empty() ? "a law is missing that would cover it" : rung.silent;
  }
  return why;
}

void take_ring(const Pair& pair, const RingOutcome& ring, CheckReport& report) {
  report.ring_ran = ring.undecidable.empty();
  report.lanes = ring.lanes;
  report.log2_error = ring.log2_error;
  report.draws = ring.draws;
  report.redrawn_lanes = ring.redrawn_lanes;
  const Mesh& mesh = *pair.sharded.plan.mesh;
  for (size_t o = 0; o < ring.outputs.size(); ++o) {
    const Output& output = pair.sharded.plan.outputs[o];
    const RingOutput& r = ring.outputs[o];
    OutputReport out;
    out.name = output.name;
    out.is_update = output.updates.valid();
    out.step = r.step;
    out.type = output.type;
    out.ring_equal = r.equal && report.ring_ran;
    if (out.ring_equal) out.sampled = sampled_in_words(pair, ring, o);
    out.ring_index = r.first_index;
    out.ratio = r.ratio;
    if (r.ratio) out.ratio_words = in_words(*r.ratio, mesh, {});
    out.disagreeing = r.disagreeing_positions;
    out.disagreeing_axes = axes_in_words(r.disagreeing_axes, mesh);
    report.outputs.push_back(std::move(out));
  }
  report.narrow_floats = holds_narrow_floats(pair.sharded.plan) || holds_narrow_floats(pair.reference.plan);
  report.rung = ring.rung;
  report.masks = ring.masks;
  if (std::any_of(ring.outputs.begin(), ring.outputs.end(), [](const RingOutput& r) { return r.equal; })) {
    report.opaque = ring.opaque;
  }
  report.one_sided = ring.one_sided;
  report.decisions = ring.decisions;
  take_ranges(pair, ring, report);
  if (!ring.discrete) return;
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const bool soft = ring.soft_predicates && global.type.dtype == DType::pred;
    if (pair.used[g] && !is_float(global.type.dtype) && !soft && !exact_value(global)) {
      report.discrete_inputs.push_back(global.name);
    }
  }
}

void take_floats(const FloatOutcome& floats, bool vouched, CheckReport& report) {
  for (size_t o = 0; o < report.outputs.size(); ++o) {
    OutputReport& out = report.outputs[o];
    out.floats = floats.outputs[o];
    out.verdict = verdict_of(out, vouched);
  }
  report.equivalence = worst(report.outputs);
  if (report.equivalence != Verdict::float_differs) return;
  const bool finite = std::any_of(report.outputs.begin(), report.outputs.end(), [](const OutputReport& o) {
    return o.floats.counterexample && o.floats.counterexample->masks == Masks::as_written;
  });
  report.reason = finite ? "f64 differs by more than rounding explains: constants that count as infinite are too small"
                         : "f64 differs by more than rounding explains: numerically unsafe, or a bug of isoshard";
}

/// `@pos = 37, @ids = [3, 5, 0]`
std::string integers_in_words(const Integers& integers, const Module& module) {
  constexpr size_t kMost = 8;
  std::string text;
  for (const auto& [name, numbers] : integers) {
    const bool scalar = module.global(*module.find_global(name)).type.shape.empty();
    text += (text.empty() ? "@" : ", @") + name + " = " + (scalar ? "" : "[");
    for (size_t i = 0; i < numbers.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    text += numbers.size() > kMost ? ", ...]" : scalar ? "" : "]";
  }
  return text;
}

/// Floats on integers for which the ring tells an output apart: a counterexample there is one. A difference of an
/// output that is equal on drawn integers makes it NOT EQUAL.
void try_witness(const Pair& pair, FloatOptions options, const RingOutcome& ring, size_t output, FloatOutcome& floats) {
  const auto told = ring.told_apart.find(output);
  if (told == ring.told_apart.end()) return;
  options.integers = find_witness(pair, *told->second, output);
  if (!options.integers) return;
  std::vector<bool> only(floats.outputs.size(), false);
  only[output] = true;
  FloatOutcome found = compare_in_floats(pair, options, only);
  if (found.failure || !found.outputs[output].counterexample) return;
  floats.outputs[output].counterexample = found.outputs[output].counterexample;
  floats.outputs[output].counterexample->integers = integers_in_words(*options.integers, *pair.module);
}

/// Per output: it is equal on a rung that read constants as infinite.
std::vector<bool> equal_by_masks(const RingOutcome& ring, const std::vector<bool>& differs) {
  std::vector<bool> result(differs.size(), false);
  for (const RungRecord& rung : ring.rungs) {
    for (const RungAnswer& answer : rung.answers) {
      const bool equal = answer.says == RungSays::equal && !differs[answer.output];
      if (equal) result[answer.output] = rung.masks;
    }
  }
  return result;
}

/// An undecided output that differs when what a rung read as infinite is so in F, too, such as a row that is masked
/// throughout: -1e30 rounds all away that it is added to. Only a reason, for the programs as they stand may be equal.
std::string masks_that_differ(const Pair& pair, FloatOptions options, const RingOutcome& ring,
                              const CheckReport& report) {
  const auto read_masks = [](const RungRecord& rung) { return rung.masks; };
  if (std::none_of(ring.rungs.begin(), ring.rungs.end(), read_masks)) return "";
  options.masked.assign(report.outputs.size(), true);
  std::vector<bool> open;
  for (const OutputReport& o : report.outputs) open.push_back(o.verdict == Verdict::undecided);
  const FloatOutcome floats = compare_in_floats(pair, options, open);
  for (size_t o = 0; o < open.size() && !floats.failure; ++o) {
    const std::optional<Counterexample>& c = floats.outputs[o].counterexample;
    if (!open[o] || !c || c->masks != Masks::infinite) continue;
    return report.outputs[o].label(report.steps) + " differs at " + index_in_words(c->index) + " (" +
           number(c->sharded) + ", expected " + number(c->reference) +
           ") if the masks are infinite and cancel; as written they are too large for f64 to show it, or no masks";
  }
  return "";
}

/// Formulas that are equal for any number as padding: no longer where padding is NaN and reaches a result.
void judge_padding(const Pair& pair, const EquivalenceOptions& options, uint32_t draws, CheckReport& report) {
  std::optional<NanOutput> found = find_nan_from_padding(pair, options.seed, draws, options.workers);
  if (!found) return;
  report.outputs[found->output].verdict = Verdict::not_equal;
  report.equivalence = Verdict::not_equal;
  report.diagnosis = std::move(found->diagnosis);
}

/// A program that fails in the ring. An assert_equal that fails there only may lack a law of real numbers: nothing is
/// decided unless numbers contradict it, too.
void decide_failure(const Pair& pair, const EquivalenceOptions& options, const RingOutcome& ring, CheckReport& report) {
  report.failure = ring.failure;
  report.equivalence = Verdict::not_equal;
  if (ring.failure->rule != "D-assert") return;
  const FloatOptions floats{options.seed, options.workers, kFloatDraws, {}, options.bounded};
  const FloatOutcome outcome = compare_in_floats(pair, floats, std::vector<bool>(ring.outputs.size(), true));
  report.failure = outcome.failure;
  if (outcome.failure) return;
  report.equivalence = Verdict::undecided;
  report.reason = rungs_in_words(report.tried()) + (report.tried().size() == 1 ? " does" : " do") +
                  " not find equal what assert_equal claims, numbers do: " + ring.failure->message;
  report.reason_location = ring.failure->location;
}

}  // namespace

void decide_equivalence(const Pair& pair, const EquivalenceOptions& options, CheckReport& report) {
  report.mesh = *pair.sharded.plan.mesh;
  report.steps = pair.steps;
  report.reference_is_left = pair.swapped;
  RingOptions ring_options;
  ring_options.seed = options.seed;
  ring_options.workers = options.workers;
  ring_options.lanes = options.lanes;
  ring_options.only = options.only_rung;
  ring_options.memory = options.memory;
  ring_options.domain = options.ring;
  ring_options.inputs = options.ring_inputs;
  RingOutcome ring = climb(pair, ring_options);
  report.rungs = ring.rungs;
  if (ring.failure) return decide_failure(pair, options, ring, report);
  take_ring(pair, ring, report);
  if (options.bounds) report.bounds = bounds_table(pair, ring.rungs);
  const bool vouched = ring_vouches(ring, options.lanes.worst, report);
  std::vector<bool> differs;
  for (const RingOutput& o : ring.outputs) differs.push_back(!o.equal || !vouched);
  FloatOptions float_options{options.seed, options.workers, kFloatDraws, {}, options.bounded};
  for (const RingOutput& o : ring.outputs) float_options.update_steps.push_back(o.step);
  float_options.masked = equal_by_masks(ring, differs);
  FloatOutcome floats = compare_in_floats(pair, float_options, differs);
  for (size_t o = 0; o < differs.size() && !floats.failure; ++o) {
    const bool drawn = report.outputs[o].ring_equal && !report.outputs[o].sampled.empty();
    if ((drawn || differs[o]) && !floats.outputs[o].counterexample) try_witness(pair, float_options, ring, o, floats);
  }
  if (floats.failure) {
    report.failure = floats.failure;
    report.equivalence = Verdict::not_equal;
    return;
  }
  take_floats(floats, vouched, report);
  if (report.equivalence == Verdict::not_refuted) report.reason = why_sampled(ring);
  if (report.equivalence == Verdict::equal || report.equivalence == Verdict::not_refuted)
    judge_padding(pair, options, ring.draws, report);
  if (ring.equal()) return;
  if (options.diagnosis) report.diagnosis = diagnose(pair, ring_options, ring);
  if (report.equivalence == Verdict::undecided && report.reason.empty()) {
    report.reason = ring.open_reason.empty() ? masks_that_differ(pair, float_options, ring, report) : ring.open_reason;
    if (report.reason.empty()) report.reason = missing_law(pair, ring);
    if (!ring.open_reason.empty()) report.reason_location = ring.open_location;
  }
}

}  // namespace isoshard::verify

// Decides one check: asks the rungs of the ladder (ask_ladder.cc), looks for a counterexample in f64, looks at padding,
// and puts verdicts together (docs/soundness.md; docs/spec/verdict.md). The order matters: a ring says EQUAL, only f64
// says NOT EQUAL, and where neither does, the reason is named. f64 runs also beside an EQUAL, because rings know
// formulas, and inputs on which a formula has no value are not among their laws. A second reading of constants may only
// explain a difference, never make one: a counterexample that it explains is taken back. Costs a few runs of both
// programs per rung, draw and input; diagnosis (diagnose.cc) comes last, and only for what differs.
#include "verify/equivalence.h"

#include <algorithm>
#include <map>

#include "verify/answers/words.h"
#include "verify/ask_ladder.h"
#include "verify/causes/padding.h"
#include "verify/causes/padding_reach.h"
#include "verify/diagnose/diagnose.h"
#include "verify/floats/differences.h"
#include "verify/floats/float_run.h"
#include "verify/floats/floats_ahead.h"
#include "verify/ladder/missing_law.h"
#include "verify/pair_facts/finite_constants.h"
#include "verify/pair_facts/float_facts.h"
#include "verify/ring/ring_run.h"
#include "verify/ring/sampled.h"
#include "verify/watches/unread_asserts.h"

namespace isoshard::verify {
namespace {

/// Whether the rung vouches for its equal outputs; otherwise why not, in `report`.
bool ring_vouches(const RingOutcome& ring, double worst, CheckReport& report) {
  if (!ring.silent.empty()) {
    report.reason = ring.open.empty() ? ring.silent : ring.open;
  } else if (ring.zero_denominator) {
    report.reason =
        Reason{"the denominator " + ring.zero_denominator->value + " is 0 in every draw, and x/0 has no value",
               ring.zero_denominator->location};
  } else if (ring.terms.log2_error > worst) {
    report.reason.text = "the formulas have so high a degree that rung " + enumerated(ring.terms.deciding) +
                         " may err with probability up to " +
                         ring.terms.error_text().substr(std::string("error <= ").size()) + " in " +
                         std::to_string(ring.terms.lanes) + (ring.terms.lanes == 1 ? " lane; " : " lanes; ") +
                         power_of_2(worst) + " is the most that is accepted";
  }
  return report.reason.empty();
}

Verdict verdict_of(const OutputReport& output, bool vouched) {
  const bool equal = output.ring.equal && vouched && output.sampled.empty() && output.ring.rests_on.empty();
  if (output.ring.equal && vouched && !equal) {
    return output.floats.counterexample ? Verdict::not_equal : Verdict::not_refuted;
  }
  if (const std::optional<Counterexample>& found = output.floats.counterexample) {
    return equal && !found->special ? Verdict::float_differs : Verdict::not_equal;
  }
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

/// `@ids in 0..32` per integer global that is limited where an output was covered; with the outputs behind it where
/// they differ.
std::vector<std::string> ranges_of(const Pair& pair, const RingOutcome& ring) {
  std::vector<std::string> ranges;
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const std::string& name = pair.module->globals[g].name;
    std::map<std::string, std::vector<std::string>> outputs;  // by the words for the range
    for (size_t o = 0; o < ring.outputs.size() && pair.used[g]; ++o) {
      const IntegerInputs* covered = ring.outputs[o].covered_by.get();
      const DType dtype = pair.module->globals[g].type.dtype;
      const std::string words = covered == nullptr ? "" : covered->at(name).words(dtype);
      if (!words.empty()) add_once("@" + pair.sharded.plan.outputs[o].name, outputs[words]);
    }
    for (const auto& [words, of] : outputs) {
      ranges.push_back("@" + name + " in " + words + (outputs.size() == 1 ? "" : " (" + enumerated(of) + ")"));
    }
  }
  return ranges;
}

/// An integer global that some output reads that rests on draws, and of which nothing says what it may be.
const Global* without_range(const Pair& pair, const CheckReport& report) {
  const std::vector<IntegerValues> values = integer_values(pair);
  for (size_t o = 0; o < report.outputs.size(); ++o) {
    if (report.outputs[o].verdict != Verdict::not_refuted) continue;
    for (const GlobalId id : discrete_globals(pair, o)) {
      const Global& global = pair.module->global(id);
      if (is_integer(global.type.dtype) && !global.range && values[id.index()].values.empty()) return &global;
    }
  }
  return nullptr;
}

/// Says why not all integers or orders were covered, where an output rests on those that were drawn.
void take_why_sampled(const Pair& pair, const RingOutcome& ring, CheckReport& report) {
  for (const RungRecord& rung : ring.rungs) {
    if (!rung.covered) continue;
    report.reason.text = rung.silent.empty() ? "a law is missing that would cover it" : rung.silent.text;
    for (const RungAnswer& a : rung.answers) {
      if (!a.why.empty()) report.reason.text = a.why.text;
    }
  }
  const Global* any = without_range(pair, report);
  if (any == nullptr) return;
  report.reason = Reason{"nothing says which integers @" + any->name + " may be: declare them, as in `global @" +
                             any->name + " : " + to_string(any->type) + " " + std::string(name(any->role)) +
                             " in 0..32`, or with --range " + any->name + "=0..32 beside a text of JAX",
                         any->location};
}

OutputReport output_report(const Pair& pair, const RingOutcome& ring, size_t index) {
  const Output& output = pair.sharded.plan.outputs[index];
  OutputReport out;
  out.name = output.name;
  out.is_update = output.updates.valid();
  out.type = output.type;
  out.ring = ring.outputs[index];
  out.ring.equal = out.ring.equal && ring.silent.empty();
  if (out.ring.equal) out.sampled = sampled_in_words(pair, ring, index);
  if (!out.ring.equal) out.ring.rests_on.clear();
  if (out.ring.ratio) out.ratio_words = in_words(*out.ring.ratio, *pair.sharded.plan.mesh, {});
  return out;
}

void take_ring(const Pair& pair, const RingOutcome& ring, CheckReport& report) {
  report.rungs = ring.rungs;
  report.ring_ran = ring.silent.empty();
  report.terms = ring.terms;
  for (size_t o = 0; o < ring.outputs.size(); ++o) report.outputs.push_back(output_report(pair, ring, o));
  report.assumes = ring.assumes;
  const auto equal = [](const RingOutput& r) { return r.equal; };
  if (std::none_of(ring.outputs.begin(), ring.outputs.end(), equal)) report.assumes.opaque.clear();
  if (!report.ring_ran || !ring.equal()) report.assumes.conditions.clear();
  report.assumes.narrow_floats = holds_narrow_floats(pair, 2);
  report.assumes.floats_of_8_bits = holds_narrow_floats(pair, 1);
  report.assumes.f64_to_f32 = converts_f64(pair.sharded.plan) || converts_f64(pair.reference.plan);
  report.assumes.floats_to_integers = makes_integers(pair.sharded.plan) || makes_integers(pair.reference.plan);
  report.assumes.ranges = ranges_of(pair, ring);
  if (ring.terms.discrete) report.assumes.drawn = discrete_inputs(pair, ring.terms.soft_predicates);
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
  report.reason.text =
      finite ? "f64 differs by more than rounding explains: constants that count as infinite are too small"
             : "f64 differs by more than rounding explains: numerically unsafe, or a bug of isoshard";
}

/// Marks the outputs that are equal on a rung that read constants as infinite, in some case where it was asked about
/// several.
void mark_masked(RingOutcome& ring, const std::vector<bool>& differs) {
  for (const RungRecord& rung : ring.rungs) {
    for (const RungAnswer& answer : rung.answers) {
      if (answer.says != RungSays::equal || differs[answer.output]) continue;
      bool& masked = ring.outputs[answer.output].masked;
      masked = rung.masks || (rung.one_case && masked);
    }
  }
}

/// An undecided output that differs when what a rung read as infinite is so in F, too, such as a row that is masked
/// throughout: -1e30 rounds all away that it is added to. Only a reason, for the programs as they stand may be equal.
std::string masks_that_differ(const Pair& pair, FloatOptions options, const RingOutcome& ring,
                              const CheckReport& report) {
  const auto read_masks = [](const RungRecord& rung) { return rung.masks; };
  if (std::none_of(ring.rungs.begin(), ring.rungs.end(), read_masks)) return "";
  for (RingOutput& known : options.known) known.masked = true;
  std::vector<bool> open;
  for (const OutputReport& o : report.outputs) open.push_back(o.verdict == Verdict::undecided);
  const FloatOutcome floats = compare_in_floats(pair, options, open);
  for (size_t o = 0; o < open.size() && !floats.failure; ++o) {
    const std::optional<Counterexample>& c = floats.outputs[o].counterexample;
    if (!open[o] || !c || c->masks != Masks::infinite) continue;
    return report.outputs[o].label(report.claim.steps) + " differs at " + index_in_words(c->index) + " (" +
           number(c->sharded) + ", expected " + number(c->reference) +
           ") if the masks are infinite and cancel; as written they are too large for f64 to show it, or no masks";
  }
  return "";
}

/// Formulas that are equal for any number as padding: no longer where padding is NaN and reaches a result.
void judge_padding(const Pair& pair, const EquivalenceOptions& options, uint32_t draws, CheckReport& report) {
  if (!has_padding(pair)) return;
  report.assumes.padding = padding_may_reach(pair, options.seed, options.workers);
  if (report.assumes.padding) draws = kPaddingDraws;
  std::optional<NanOutput> found = find_nan_from_padding(pair, options.seed, draws, options.workers);
  if (!found) return;
  report.assumes.padding = false;
  report.outputs[found->output].verdict = Verdict::not_equal;
  report.equivalence = Verdict::not_equal;
  report.diagnosis = std::move(found->diagnosis);
}

/// Of programs without a ring: which outputs differ in numbers; the others are undecided.
void take_differences(const Pair& pair, const FloatOutcome& floats, CheckReport& report) {
  RingOutcome none;
  none.outputs.resize(floats.outputs.size());
  for (size_t o = 0; o < floats.outputs.size(); ++o) {
    none.outputs[o].equal = false;
    OutputReport out = output_report(pair, none, o);
    out.floats = floats.outputs[o];
    out.verdict = out.floats.counterexample ? Verdict::not_equal : Verdict::undecided;
    report.outputs.push_back(std::move(out));
  }
  report.equivalence = worst(report.outputs);
}

/// A program that fails in the ring. An assert_equal that fails there only may lack a law of real numbers: nothing is
/// decided unless numbers contradict it, too.
void decide_failure(const Pair& pair, const EquivalenceOptions& options, const RingOutcome& ring, CheckReport& report) {
  report.rungs = ring.rungs;
  report.failure = ring.failure;
  report.equivalence = Verdict::not_equal;
  if (ring.failure->rule != "D-assert") return;
  const FloatOptions floats = float_options_of(options);
  const FloatOutcome outcome = compare_in_floats(pair, floats, std::vector<bool>(ring.outputs.size(), true));
  report.failure = outcome.failure;
  if (outcome.failure) return;
  take_differences(pair, outcome, report);
  if (report.equivalence == Verdict::not_equal) return;
  report.outputs.clear();
  report.reason = Reason{rungs_in_words(report.tried()) + (report.tried().size() == 1 ? " does" : " do") +
                             " not find equal what assert_equal claims, numbers do: " + ring.failure->message,
                         ring.failure->location};
}

/// Where the sharded program is no number the cause is not what differs as formulas.
bool is_undefined(const CheckReport& report) {
  return std::any_of(report.outputs.begin(), report.outputs.end(), [](const OutputReport& o) {
    return o.floats.counterexample && o.floats.counterexample->undefined();
  });
}

/// Why it is not EQUAL.
void find_reasons(const Pair& pair, const EquivalenceOptions& options, const RingOptions& ring_options,
                  const FloatOptions& float_options, const RingOutcome& ring, CheckReport& report) {
  if (options.diagnosis && !is_undefined(report)) {
    options.workers.begin_part("diagnosis");
    report.diagnosis = diagnose(pair, ring_options, ring);
  }
  if (report.equivalence != Verdict::undecided || !report.reason.empty()) return;
  report.reason = ring.open;
  if (report.reason.empty()) report.reason.text = masks_that_differ(pair, float_options, ring, report);
  if (report.reason.empty()) report.reason.text = missing_law(pair, ring);
}

}  // namespace

void decide_equivalence(const Pair& pair, const EquivalenceOptions& options, CheckReport& report) {
  report.claim.mesh = *pair.sharded.plan.mesh;
  report.claim.steps = pair.steps;
  report.claim.reference_is_left = pair.swapped;
  FloatOptions float_options = float_options_of(options);
  float_options.constants = finite_constants(pair);
  float_options.keep_inputs = options.keep_inputs;
  FloatsAhead ahead(pair, float_options);
  if (options.side_by_side) ahead.begin();
  auto [ring, ring_options, explained] = ask_ladders(pair, options);
  if (ring.failure) return decide_failure(pair, options, ring, report);
  take_ring(pair, ring, report);
  for (size_t o = 0; o < report.outputs.size() && options.bounds; ++o) {
    report.outputs[o].bound = output_bound(pair, ring.rungs, o);
  }
  const bool vouched = ring_vouches(ring, options.lanes.worst, report);
  std::vector<bool> differs;
  for (const RingOutput& o : ring.outputs) differs.push_back(!o.equal || !vouched);
  std::vector<bool> drawn;
  for (const OutputReport& o : report.outputs)
    drawn.push_back(o.ring.equal && !(o.sampled.empty() && o.ring.rests_on.empty()));
  float_options.constants = ring_options.constants;
  mark_masked(ring, differs);
  float_options.known = ring.outputs;
  FloatOutcome floats = look_for_differences(pair, float_options, ring, {differs, drawn}, ahead.take(ring, differs));
  if (floats.failure) {
    report.failure = floats.failure;
    report.equivalence = Verdict::not_equal;
    return;
  }
  for (size_t o = 0; o < differs.size(); ++o) {
    if (differs[o] && explained[o]) floats.outputs[o].counterexample.reset();
  }
  take_floats(floats, vouched, report);
  if (report.equivalence == Verdict::not_refuted) take_why_sampled(pair, ring, report);
  if (report.equivalence == Verdict::equal || report.equivalence == Verdict::not_refuted) {
    for (std::string& words : unread_asserts(pair)) report.assumes.conditions.push_back(std::move(words));
    judge_padding(pair, options, ring.terms.draws, report);
  }
  if (!ring.equal()) find_reasons(pair, options, ring_options, float_options, ring, report);
}

}  // namespace isoshard::verify

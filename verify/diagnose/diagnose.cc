// Says where two programs first differ (docs/spec/diagnosis.md). Both run once more, loops unrolled, and every value of
// the sharded program is looked for in the reference (match.cc). Suspects are the values without a counterpart that a
// wrong output depends on through values without counterparts: what reaches an output only through a value that is
// right does no harm, whatever it is. The first suspects whose operands all have counterparts are where the program
// went wrong, and explanations are tried on them from the most to the least telling: padding, zeros, layouts of
// operands, a factor, weights of terms, a few elements, one wrong element. An explanation never changes a verdict;
// where none fits, only the place is named. In pipelines whole blocks go first, because a stage's value is a part only.
// Costs one run with traces, and a search for folds per value.
#include "verify/diagnose/diagnose.h"

#include <algorithm>

#include "core/plan/exchanges.h"
#include "core/support/result.h"
#include "verify/answers/words.h"
#include "verify/causes/borne_out.h"
#include "verify/causes/cancelling_maxima.h"
#include "verify/causes/explain.h"
#include "verify/causes/explain_twin.h"
#include "verify/causes/numbers.h"
#include "verify/causes/padding.h"
#include "verify/causes/wrong_element.h"
#include "verify/compare/unrolled.h"
#include "verify/diagnose/exponential_view.h"
#include "verify/diagnose/returns.h"
#include "verify/evidence/examine.h"
#include "verify/evidence/stored_blocks.h"
#include "verify/facts/is_one_of.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify {
namespace {

/// Marks the unmatched values through which a wrong output depends on something: back from its stores through values
/// without counterpart. A value that only reaches outputs through matched values does no harm, whatever it is.
std::vector<char> suspects(const Evidence& e, const RingOutcome& outcome) {
  const Exchanges exchanges(e.plan());
  std::vector<char> result(e.plan().values.size(), 0);
  for (size_t i = e.plan().instructions.size(); i-- > 0;) {
    const Instruction& instruction = e.plan().instructions[i];
    const StoreBlock* store = std::get_if<StoreBlock>(&instruction.data());
    bool wrong = store != nullptr && outcome.outputs[store->output].differs_first;
    for (const PlanValueId id : instruction.results) wrong = wrong || result[id.index()] != 0;
    if (!wrong) continue;
    for (const PlanValueId id : instruction.operands) result[id.index()] = e.known(id) ? 0 : 1;
    for (const PlanValueId id : exchanges.brought_to(InstructionId(i))) result[id.index()] = e.known(id) ? 0 : 1;
  }
  return result;
}

/// Also of what other rank groups bring; with `only_floats` what chooses among them may be unknown.
bool operands_known(const Evidence& e, const Exchanges& exchanges, InstructionId id, bool only_floats) {
  const auto known = [&](PlanValueId value) {
    return e.known(value) || (only_floats && !is_float(e.plan().value(value).type().dtype));
  };
  const PlanValueIds& own = e.plan().instruction(id).operands;
  const std::vector<PlanValueId> brought = exchanges.brought_to(id);
  return std::all_of(own.begin(), own.end(), known) && std::all_of(brought.begin(), brought.end(), known);
}

/// Suspects whose operands are all known, in program order; with `only_floats` those whose float operands are.
std::vector<InstructionId> candidates(const Evidence& e, const std::vector<char>& suspect, bool only_floats = false) {
  const Exchanges exchanges(e.plan());
  std::vector<InstructionId> result;
  for (size_t i = 0; i < e.plan().instructions.size(); ++i) {
    const Instruction& instruction = e.plan().instructions[i];
    const bool is_suspect = std::any_of(instruction.results.begin(), instruction.results.end(),
                                        [&](PlanValueId id) { return suspect[id.index()] != 0; });
    if (is_suspect && operands_known(e, exchanges, InstructionId(i), only_floats)) result.push_back(InstructionId(i));
  }
  return result;
}

/// At what the explanation is about, or else at `i`.
Diagnosis explained_at(const Evidence& e, const Instruction& i, Explanation explanation) {
  const PlanValueId other = explanation.value;
  Diagnosis d = located(e.pair.sharded, other.valid() ? e.plan().instruction(e.definition[other.index()]) : i);
  d.role = std::move(explanation.role);
  d.cause = std::move(explanation.cause);
  d.explained = !d.cause.empty();
  if (!explanation.fact.empty()) d.facts.push_back(std::move(explanation.fact));
  return d;
}

std::optional<Diagnosis> diagnose_layouts(const Evidence& e, const std::vector<InstructionId>& found) {
  for (const InstructionId id : found) {
    const Instruction& i = e.plan().instruction(id);
    std::optional<Explanation> explanation = explain_by_layout(e, i);
    if (!explanation) explanation = explain_missing_max(e, i);
    if (explanation) return explained_at(e, i, std::move(*explanation));
  }
  return std::nullopt;
}

/// From the most to the least telling: a factor, weights, what the reference has in its place, where a wrong element
/// comes from, what it has behind that.
std::optional<Explanation> explain_values(const Evidence& e, const RingOutcome& outcome, const Trial& trial,
                                          const std::vector<char>& suspect, const std::vector<InstructionId>& found) {
  const PlanValueId first = e.plan().instruction(found[0]).results[0];
  const std::vector<InstructionId> places = candidates(e, suspect, true);
  std::optional<Explanation> value = explain_by_value(e, trial, first);
  if (value && takes_written_number(e, first)) {  // the number that is expected says more than how they differ
    const std::optional<Explanation> twin = explain_by_twin(e, outcome, trial, places);
    if (twin && !twin->vague) return twin;
  }
  if (value) return value;
  if (std::optional<Explanation> weights = explain_by_weights(e)) return weights;
  if (std::optional<Explanation> later = explain_output_factor(e, trial, suspect)) return later;
  if (e.plan().groups.size() > 1) return std::nullopt;  // elements are not followed from rank to rank
  std::optional<Explanation> twin = explain_by_twin(e, outcome, trial, places);
  if (twin && !twin->vague) return twin;
  if (std::optional<Explanation> element = borne_out(e, trial, trace_wrong_element(e, outcome))) return element;
  if (twin) return twin;
  if (!discrete_inputs(e.pair, false).empty()) return std::nullopt;  // which integers tell the programs apart says more
  return explain_behind(e, outcome, trial, places);
}

/// The first that calculates: what is only laid out otherwise, as in blocks, may have no counterpart and be right.
InstructionId most_telling(const Evidence& e, const std::vector<InstructionId>& found) {
  const auto calculates = [&](InstructionId id) {
    return !is_one_of<Reshape, Transpose, BroadcastInDim, Slice>(local_op(e.plan().instruction(id)));
  };
  const auto it = std::find_if(found.begin(), found.end(), calculates);
  return it == found.end() ? found.front() : *it;
}

/// Only the place, and what the reference has there.
Diagnosis located_with_counterpart(const Evidence& e, const Instruction& i) {
  Diagnosis d = located(e.pair.sharded, i);
  if (const std::optional<std::string> other = counterpart(e, i)) d.facts.push_back(*other);
  return d;
}

/// How operands are laid out, or else what values say, or else only the place.
Diagnosis diagnose_values(const Evidence& e, const RingOutcome& outcome, const Trial& trial) {
  const std::vector<char> suspect = suspects(e, outcome);
  const std::vector<InstructionId> found = candidates(e, suspect);
  if (std::optional<Diagnosis> layout = diagnose_layouts(e, found)) return std::move(*layout);
  if (found.empty()) return {};
  const Instruction& first = e.plan().instruction(found[0]);
  std::optional<Explanation> values = explain_values(e, outcome, trial, suspect, found);
  const bool elsewhere = values && values->value.valid();
  if (!values) return located_with_counterpart(e, e.plan().instruction(most_telling(e, found)));
  Diagnosis d = explained_at(e, first, std::move(*values));
  const std::optional<std::string> other = elsewhere ? std::nullopt : counterpart(e, first);
  if (other) d.facts.push_back(*other);
  return d;
}

/// What all outputs that differ are of the reference's, where that is one number.
std::optional<Ratio> common_ratio(const RingOutcome& outcome) {
  std::optional<Ratio> common;
  for (const RingOutput& output : outcome.outputs) {
    if (!output.differs_first) continue;
    if (!output.ratio || (common && !(*common == *output.ratio))) return std::nullopt;
    common = output.ratio;
  }
  return common;
}

/// The outputs that differ and are one multiple of the reference's.
std::vector<std::pair<size_t, Ratio>> output_ratios(const RingOutcome& outcome) {
  std::vector<std::pair<size_t, Ratio>> result;
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    const RingOutput& output = outcome.outputs[o];
    if (output.differs_first && output.ratio && !output.ratio->is_one()) result.emplace_back(o, *output.ratio);
  }
  return result;
}

/// Factors of whole blocks of an output that differs.
std::optional<Diagnosis> diagnose_blocks(const Evidence& e, const RingOutcome& outcome) {
  for (const auto& [i, store] : wrong_stores(e.plan(), outcome)) {
    if (std::optional<Explanation> blocks = explain_by_blocks(e, store->output)) return explained_at(e, i, *blocks);
  }
  return std::nullopt;
}

/// In a pipeline factors of whole blocks go first, then causes inside its stages, then weights behind them.
Diagnosis diagnose_evidence(const Evidence& e, const RingOutcome& outcome, const Trial& trial) {
  const bool stages = e.plan().groups.size() > 1;
  std::optional<Diagnosis> found;
  if (stages) found = diagnose_blocks(e, outcome);
  if (!found) found = diagnose_values(e, outcome, trial);
  if (found->empty()) found = diagnose_returns(e, outcome).value_or(*found);
  if (!found->empty() || !stages) return std::move(*found);
  std::optional<Explanation> weights = explain_by_weights(e);
  if (!weights) return std::move(*found);
  return explained_at(e, e.plan().instruction(e.definition[weights->value.index()]), std::move(*weights));
}

/// Both programs with all their values, in the first step that differs.
class Traced {
 public:
  /// On `outcome`'s draw in the ring of `options`.
  Traced(const Pair& pair, const RingOptions& options, const RingOutcome& outcome)
      : domain_(make_ring(options, outcome.terms.lanes, outcome.last_draw)),
        fingerprinter_(*domain_, outcome.terms.lanes, options.seed, {&pair.sharded.plan, &pair.reference.plan}),
        sharded_(pair.sharded.plan, fingerprinter_, kTraceKeepBytes),
        reference_(pair.reference.plan, fingerprinter_, kTraceKeepBytes),
        run_(pair, *domain_, ring_draw(options, *domain_, outcome.last_draw), options.workers) {
    for (uint32_t step = 1; step < outcome.first_step && ran_; ++step) ran_ = run_.next().has_value();
    // Up to here both programs have the same globals.
    if (ran_) ran_ = run_.next({&sharded_, &reference_}).has_value();
    if (ran_) matcher_.emplace(pair, fingerprinter_, sharded_, reference_, run_.globals());
  }

  /// Whether both came to the end of the step.
  bool ran() const { return ran_; }
  const sim::Domain& domain() const { return *domain_; }
  const std::vector<sim::Value>& globals() const { return run_.globals(); }
  const sim::RunResult& expected() const { return run_.result().reference; }
  Evidence evidence(const Pair& pair) const {
    return examine(pair, sharded_, reference_, *matcher_, run_.globals(), *domain_);
  }

 private:
  std::unique_ptr<sim::Domain> domain_;
  Fingerprinter fingerprinter_;
  Trace sharded_, reference_;
  PairRun run_;
  bool ran_ = true;
  std::optional<Matcher> matcher_;
};

/// The first step that differs. Plans without loops.
Diagnosis diagnose_in(const Pair& pair, const RingOptions& options, const RingOutcome& outcome) {
  const Traced traced(pair, options, outcome);
  if (!traced.ran()) return {};
  std::optional<Diagnosis> padding =
      diagnose_padding(pair, traced.domain(), traced.globals(), outcome, options.workers);
  Diagnosis result;
  if (padding) {
    result = std::move(*padding);
  } else if (std::optional<Diagnosis> zeros = diagnose_zeros(pair, outcome)) {
    result = std::move(*zeros);
  } else {
    Evidence evidence = traced.evidence(pair);
    evidence.ratio = common_ratio(outcome);
    evidence.ratios = output_ratios(outcome);
    const Trial trial(pair, traced.domain(), traced.globals(), traced.expected(), options.workers);
    result = diagnose_evidence(evidence, outcome, trial);
  }
  result.step = outcome.first_step;
  return result;
}

size_t place(const Side& side, const Diagnosis& d) {
  const size_t count = side.plan.values.size();
  for (size_t v = 0; v < count; ++v) {
    if (side.name(PlanValueId(v)) == d.value) return v;
  }
  return count;
}

/// A hard order decides: what hangs on a maximum or a clip that takes another operand is not seen. Without an order all
/// is, so a cause that is found there first goes first.
Diagnosis diagnose_ordered(const Pair& pair, const RingOptions& options, const RingOutcome& outcome) {
  Diagnosis found = diagnose_in(pair, options, outcome);
  if (options.rung != Rung::b) return found;
  RingOptions soft = options;
  soft.rung = Rung::a;
  const RingOutcome differs = compare_in_ring(pair, soft);
  if (!differs.speaks() || differs.equal() || differs.first_step != outcome.first_step) return found;
  Diagnosis all = diagnose_in(pair, soft, differs);
  return all.explained && place(pair.sharded, all) < place(pair.sharded, found) ? all : found;
}

/// Rungs of exponentials know no multiples: those that another rung knows.
RingOutcome with_ratios(RingOutcome outcome, const RingOutcome& known) {
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    std::optional<Ratio>& ratio = outcome.outputs[o].ratio;
    if (!ratio && !outcome.outputs[o].equal) ratio = known.outputs[o].ratio;
  }
  return outcome;
}

/// A maximum that cancels in a right softmax needs no counterpart.
bool names_cancelling_maximum(const Side& side, const std::string& value) {
  const std::vector<bool> cancelling = find_cancelling_maxima(side.plan);
  for (size_t v = 0; v < cancelling.size(); ++v) {
    if (cancelling[v] && side.name(PlanValueId(v)) == value) return true;
  }
  return false;
}

}  // namespace

Diagnosis diagnose(const Pair& looped, const RingOptions& options, const RingOutcome& outcome) {
  const std::optional<Pair> pair = without_loops(looped);
  if (!pair) {
    Diagnosis unknown;
    unknown.facts.push_back(
        "the loops run more than " + std::to_string(kMostUnrolled) +
        " instructions, too many to compare one by one; fewer iterations may show where they differ");
    return unknown;
  }
  Diagnosis found;
  if (const std::optional<ExponentialView> view = view_exponentials(*pair, options)) {
    if (view->diagnosis) return *view->diagnosis;
    found = diagnose_in(view->pair, view->options, with_ratios(view->outcome, outcome));
    if (!found.empty()) found.facts.insert(found.facts.end(), view->facts.begin(), view->facts.end());
  }
  if (found.explained || options.exponential()) return found;
  Diagnosis plain = diagnose_ordered(*pair, options, outcome);
  const bool cancels = !found.empty() && names_cancelling_maximum(pair->sharded, plain.value);
  return (plain.explained && !cancels) || found.empty() ? std::move(plain) : std::move(found);
}

}  // namespace isoshard::verify

#include "verify/diagnose.h"

#include <algorithm>

#include "verify/explain.h"
#include "verify/exponential_view.h"
#include "verify/gauge.h"
#include "verify/near_miss.h"
#include "verify/padding.h"
#include "verify/unrolled.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

constexpr size_t kKeepBytes = size_t{64} << 20;

/// Marks the unmatched values through which a wrong output depends on something: back from its stores through values
/// without counterpart. A value that only reaches outputs through matched values does no harm, whatever it is.
std::vector<char> suspects(const Examined& e, const RingOutcome& outcome) {
  std::vector<char> result(e.plan().values.size(), 0);
  for (size_t i = e.plan().instructions.size(); i-- > 0;) {
    const Instruction& instruction = e.plan().instructions[i];
    const StoreBlock* store = std::get_if<StoreBlock>(&instruction.data);
    bool wrong = store != nullptr && outcome.outputs[store->output].differs_first;
    for (const PlanValueId id : instruction.results) wrong = wrong || result[id.index()] != 0;
    if (!wrong) continue;
    for (const PlanValueId id : instruction.operands) result[id.index()] = e.known(id) ? 0 : 1;
  }
  return result;
}

bool operands_known(const Examined& e, const Instruction& i) {
  return std::all_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return e.known(id); });
}

/// Suspects whose operands are all known, in program order.
std::vector<InstructionId> candidates(const Examined& e, const std::vector<char>& suspect) {
  std::vector<InstructionId> result;
  for (size_t i = 0; i < e.plan().instructions.size(); ++i) {
    const Instruction& instruction = e.plan().instructions[i];
    const bool is_suspect = std::any_of(instruction.results.begin(), instruction.results.end(),
                                        [&](PlanValueId id) { return suspect[id.index()] != 0; });
    if (is_suspect && operands_known(e, instruction)) result.push_back(InstructionId(i));
  }
  return result;
}

Diagnosis located(const Examined& e, const Instruction& i) {
  Diagnosis d;
  d.value = i.results.empty() ? "" : e.name(i.results[0]);
  d.op = i.op;
  d.location = i.location;
  return d;
}

/// The value of the reference that its output `output` stores, or invalid.
PlanValueId stored_value(const Plan& plan, size_t output) {
  for (const Instruction& i : plan.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data);
    if (store != nullptr && store->output == output) return i.operands[0];
  }
  return {};
}

/// The first device whose block of a returned value is stored elsewhere than where it belongs.
std::string misplaced(const Examined& e, const Instruction& i, const StoreBlock& store, const Match& match) {
  const Shape& local = e.plan().value(i.operands[0]).type.shape;
  if (local.size() != store.block.size()) return "";  // stacked: blocks without a dimension of their own
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    const std::vector<int64_t> start = e.matcher.start(match, local, p);
    for (size_t d = 0; d < start.size(); ++d) {
      const int64_t block = store.block[d].evaluate(e.mesh(), p, {});
      if (local[d] == 0 || start[d] == block * local[d]) continue;
      return "device " + device_name(e.mesh(), p) + " holds block " + std::to_string(start[d] / local[d]) +
             " along dim " + std::to_string(d) + " and " + i.op + "s it as block " + std::to_string(block);
    }
  }
  return "";
}

/// A returned value that has a counterpart, in an output that is wrong.
Diagnosis explain_return(const Examined& e, const Instruction& i, const StoreBlock& store) {
  const Match& match = *e.match(i.operands[0]);
  Diagnosis d = located(e, i);
  d.value = "@" + e.plan().outputs[store.output].name;
  const bool is_update = e.plan().outputs[store.output].updates.valid();
  const std::string name = e.name(i.operands[0]);
  d.facts.push_back(name + " is " + e.name(*match.reference) + ", " + describe(e, match));
  const std::vector<AxisId> sums = e.axes_of_kind(i.operands[0], FoldKind::sum);
  const PlanValueId expected = stored_value(e.pair.reference.plan, e.pair.reference_output[store.output]);
  if (!sums.empty()) {
    d.cause = "missing all_reduce of " + name + " over " + axes_in_words(sums, e.mesh()) + " before " + i.op;
    return d;
  }
  const std::string where = misplaced(e, i, store, match);
  const bool other = !match.reference->value.valid() || match.reference->value != expected;
  if (!where.empty()) {
    d.facts.push_back(where);
    d.cause = "transposed shard order: " + d.value + (is_update ? " is updated" : " is returned") +
              " in another layout than " + name + " has";
  } else if (other) {
    const std::string right = "%" + e.pair.reference.plan.value(expected).name;
    d.cause = d.value + " is " + e.name(*match.reference) + ", not " + right;
  }
  return d;
}

std::optional<Diagnosis> diagnose_returns(const Examined& e, const RingOutcome& outcome) {
  for (const Instruction& i : e.plan().instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data);
    if (store == nullptr || !outcome.outputs[store->output].differs_first || e.match(i.operands[0]) == nullptr)
      continue;
    return explain_return(e, i, *store);
  }
  return std::nullopt;
}

void take(Diagnosis& d, Explanation explanation) {
  d.cause = std::move(explanation.cause);
  d.explained = true;
  d.facts.push_back(std::move(explanation.fact));
}

std::optional<Diagnosis> diagnose_layouts(const Examined& e, const std::vector<InstructionId>& found) {
  for (const InstructionId id : found) {
    const Instruction& i = e.plan().instruction(id);
    std::optional<Explanation> explanation = explain_by_layout(e, i);
    if (!explanation) explanation = explain_missing_max(e, i);
    if (!explanation) continue;
    Diagnosis d = located(e, i);
    take(d, std::move(*explanation));
    return d;
  }
  return std::nullopt;
}

/// From the most to the least telling: how operands are laid out, a factor, a few wrong elements, only the place.
Diagnosis diagnose_values(const Examined& e, const std::vector<char>& suspect) {
  const std::vector<InstructionId> found = candidates(e, suspect);
  if (std::optional<Diagnosis> layout = diagnose_layouts(e, found)) return std::move(*layout);
  if (found.empty()) return {};
  const Instruction& first = e.plan().instruction(found[0]);
  Diagnosis d = located(e, first);
  if (std::optional<Explanation> value = explain_by_value(e, first.results[0])) {
    take(d, std::move(*value));
  } else if (const std::optional<NearMiss> miss = find_near_miss(e, suspect)) {
    d = located(e, e.plan().instruction(miss->culprit));
    d.cause = miss->cause;
    d.facts = miss->facts;
    return d;
  }
  if (std::optional<std::string> other = counterpart(e, first)) d.facts.push_back(std::move(*other));
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

/// A result that is 0 everywhere, and should not be: nothing reaches it.
std::optional<Diagnosis> diagnose_zeros(const Pair& pair, const RingOutcome& outcome) {
  for (const Instruction& i : pair.sharded.plan.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data);
    if (store == nullptr) continue;
    const RingOutput& output = outcome.outputs[store->output];
    if (!output.differs_first || !output.ratio || output.ratio->numerator != 0) continue;
    Diagnosis d;
    d.value = "@" + pair.sharded.plan.outputs[store->output].name;
    d.op = i.op;
    d.location = i.location;
    d.cause = d.value + " is 0 everywhere";
    d.facts.push_back("%" + pair.sharded.plan.value(i.operands[0]).name + " is 0, and the reference is not");
    d.explained = true;
    return d;
  }
  return std::nullopt;
}

/// The first step that differs, on `outcome`'s draw in the ring of `options`. Plans without loops.
Diagnosis diagnose_in(const Pair& pair, const RingOptions& options, const RingOutcome& outcome) {
  const std::unique_ptr<sim::Domain> domain = make_ring(options, outcome.lanes, outcome.last_draw);
  const Fingerprinter fingerprinter(*domain, outcome.lanes, options.seed, {&pair.sharded.plan, &pair.reference.plan});
  Trace sharded(pair.sharded.plan, fingerprinter, kKeepBytes);
  Trace reference(pair.reference.plan, fingerprinter, kKeepBytes);
  PairRun run(pair, *domain, ring_draw(options, *domain, outcome.last_draw), options.workers);
  for (uint32_t step = 1; step < outcome.first_step; ++step) {
    if (!run.next()) return {};
  }
  // Up to here both programs have the same globals.
  if (!run.next({&sharded, &reference})) return {};
  if (std::optional<Diagnosis> padding = diagnose_padding(pair, *domain, run.globals(), outcome, options.workers)) {
    padding->step = outcome.first_step;
    return std::move(*padding);
  }
  const Matcher matcher(pair, fingerprinter, sharded, reference, run.globals());
  if (std::optional<Diagnosis> zeros = diagnose_zeros(pair, outcome)) {
    zeros->step = outcome.first_step;
    return std::move(*zeros);
  }
  Examined examined = examine(pair, sharded, reference, matcher, run.globals());
  examined.ratio = common_ratio(outcome);
  Diagnosis result = diagnose_values(examined, suspects(examined, outcome));
  if (result.empty()) {
    if (std::optional<Diagnosis> at_return = diagnose_returns(examined, outcome)) result = std::move(*at_return);
  }
  result.step = outcome.first_step;
  return result;
}

size_t place(const Plan& plan, const Diagnosis& d) {
  for (size_t v = 0; v < plan.values.size(); ++v) {
    if ("%" + plan.values[v].name == d.value) return v;
  }
  return plan.values.size();
}

/// A hard order decides: what hangs on a maximum or a clip that takes another operand is not seen. Without an order all
/// is, so a cause that is found there first goes first.
Diagnosis diagnose_ordered(const Pair& pair, const RingOptions& options, const RingOutcome& outcome) {
  Diagnosis found = diagnose_in(pair, options, outcome);
  if (!options.hard_order || options.exponential) return found;
  RingOptions soft = options;
  soft.hard_order = false;
  const RingOutcome differs = compare_in_ring(pair, soft);
  if (!differs.speaks() || differs.equal() || differs.first_step != outcome.first_step) return found;
  Diagnosis all = diagnose_in(pair, soft, differs);
  const Plan& plan = pair.sharded.plan;
  return all.explained && place(plan, all) < place(plan, found) ? all : found;
}

/// A maximum that cancels in a right softmax needs no counterpart.
bool names_gauge(const Plan& plan, const std::string& value) {
  const std::vector<bool> gauges = find_gauges(plan);
  for (size_t v = 0; v < gauges.size(); ++v) {
    if (gauges[v] && "%" + plan.values[v].name == value) return true;
  }
  return false;
}

/// The values of a stage are those of a few ranks, which nothing here compares with values of the other program yet.
Diagnosis of_pipeline(const Side& side) {
  Diagnosis unknown;
  unknown.facts.push_back("the ranks of @" + side.program->name() +
                          " run different stages: which of their steps differs first is not looked for");
  return unknown;
}

}  // namespace

Diagnosis diagnose(const Pair& looped, const RingOptions& options, const RingOutcome& outcome) {
  for (const Side* side : {&looped.sharded, &looped.reference}) {
    if (side->plan.groups.size() > 1) return of_pipeline(*side);
  }
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
    found = diagnose_in(view->pair, view->options, view->outcome);
    if (!found.empty()) found.facts.insert(found.facts.end(), view->facts.begin(), view->facts.end());
  }
  if (found.explained || options.exponential) return found;
  Diagnosis plain = diagnose_ordered(*pair, options, outcome);
  const bool gauge = !found.empty() && names_gauge(pair->sharded.plan, plain.value);
  return (plain.explained && !gauge) || found.empty() ? plain : found;
}

}  // namespace isoshard::verify

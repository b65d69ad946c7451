// Causes at the returns of a program: a right value in the wrong output or place, a sum that is not taken, a value that
// only the ranks of some stage have, and outputs that are 0. Nothing behind the value is asked. Cost: one look at each
// store.
#include "verify/diagnose/returns.h"

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/evidence/stored_blocks.h"

namespace isoshard::verify {

Diagnosis located(const Side& side, const Instruction& i) {
  Diagnosis d;
  const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
  if (store != nullptr) d.value = "@" + side.plan.outputs[store->output].name;
  if (!i.results.empty()) {
    d.value = side.name(i.results[0]);
    d.in_words = side.in_words(i.results[0]);
  }
  d.op = i.op();
  d.location = i.location();
  return d;
}

std::vector<WrongStore> wrong_stores(const Plan& plan, const RingOutcome& outcome) {
  std::vector<WrongStore> result;
  for (const Instruction& i : plan.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    if (store != nullptr && outcome.outputs[store->output].differs_first) result.push_back({i, store});
  }
  return result;
}

namespace {

/// The first device whose block of a returned value is stored elsewhere than where it belongs.
std::string misplaced(const Evidence& e, const Instruction& i, const StoreBlock& store, const Match& match) {
  const Shape& local = e.plan().value(i.operands[0]).type().shape;
  if (local.size() != store.block.size()) return "";  // stacked: blocks without a dimension of their own
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    if (e.sharded.groups().home(i.operands[0], p) != p) continue;
    const std::vector<int64_t> start = e.matcher.start(match, local, p);
    for (size_t d = 0; d < start.size(); ++d) {
      const int64_t block = store.block[d].evaluate(e.mesh(), p, {});
      if (local[d] == 0 || start[d] == block * local[d]) continue;
      return "device " + device_name(e.mesh(), p) + " holds block " + std::to_string(start[d] / local[d]) +
             " along dim " + std::to_string(d) + " and " + i.op() + "s it as block " + std::to_string(block);
    }
  }
  return "";
}

/// The ranks that have `id`, in a plan of several rank groups.
std::vector<int64_t> holders(const Evidence& e, PlanValueId id) {
  std::vector<int64_t> result;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    if (e.sharded.groups().home(id, p) == p) result.push_back(p);
  }
  return result;
}

/// A value that ranks of some stages have, stored by all as if all had it.
bool is_held_by_few(const Evidence& e, const Instruction& i, const RingOutput& output) {
  const std::vector<int64_t> ranks = holders(e, i.operands[0]);
  return !output.disagreeing_axes.empty() && static_cast<int64_t>(ranks.size()) < e.mesh().device_count();
}

/// A returned value that has a counterpart, in an output that is wrong.
Diagnosis explain_return(const Evidence& e, const Instruction& i, const StoreBlock& store, const RingOutput& output) {
  const Match& match = *e.match(i.operands[0]);
  Diagnosis d = located(e.pair.sharded, i);
  const bool is_update = e.plan().outputs[store.output].updates.valid();
  const std::string name = e.name(i.operands[0]);
  if (is_held_by_few(e, i, output)) {
    d.facts.push_back(name + " is " + e.name(*match.reference) + " on " +
                      places_in_words(holders(e, i.operands[0]), e.mesh()) + "; the other ranks have no such value");
    d.cause = "missing all_reduce of " + name + " over " + axes_in_words(output.disagreeing_axes, e.mesh()) +
              " before " + i.op();
    return d;
  }
  d.facts.push_back(name + " is " + e.name(*match.reference) + ", " + describe(e, match));
  const std::vector<AxisId> sums = e.axes_of_kind(i.operands[0], FoldKind::sum);
  const PlanValueId expected = stored_value(e.pair.reference.plan, e.pair.reference_output[store.output]);
  if (!sums.empty()) {
    d.cause = "missing all_reduce of " + name + " over " + axes_in_words(sums, e.mesh()) + " before " + i.op();
    return d;
  }
  const std::string where = misplaced(e, i, store, match);
  const bool other = !match.reference->value.valid() || match.reference->value != expected;
  if (!where.empty()) {
    d.facts.push_back(where);
    d.cause = "transposed shard order: " + d.value + (is_update ? " is updated" : " is returned") +
              " in another layout than " + name + " has";
  } else if (other) {
    const std::string right = e.pair.reference.in_words(expected);
    d.cause = d.value + " is " + e.name(*match.reference) + ", not " + right;
  }
  return d;
}

}  // namespace

std::optional<Diagnosis> diagnose_returns(const Evidence& e, const RingOutcome& outcome) {
  for (const auto& [i, store] : wrong_stores(e.plan(), outcome)) {
    const PlanValueId id = i.operands[0];
    if (e.match(id) == nullptr) continue;
    const bool stage =
        e.plan().groups.size() > 1 && e.match(id)->reference->type.shape != e.plan().outputs[store->output].type.shape;
    if (stage && e.axes_of_kind(id, FoldKind::sum).empty()) continue;  // the part of a stage, which is right
    return explain_return(e, i, *store, outcome.outputs[store->output]);
  }
  return std::nullopt;
}

std::optional<Diagnosis> diagnose_zeros(const Pair& pair, const RingOutcome& outcome) {
  for (const auto& [i, store] : wrong_stores(pair.sharded.plan, outcome)) {
    const std::optional<Ratio>& ratio = outcome.outputs[store->output].ratio;
    if (!ratio || ratio->numerator != 0) continue;
    Diagnosis d = located(pair.sharded, i);
    d.cause = (d.in_words.empty() ? d.value : d.in_words) + " is 0 everywhere";
    d.facts.push_back(pair.sharded.in_words(i.operands[0]) + " is 0, and the reference is not");
    d.explained = true;
    return d;
  }
  return std::nullopt;
}

}  // namespace isoshard::verify

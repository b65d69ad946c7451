// Explains a value by what multiple, or sum, of reference values it is. Quotients of fingerprints are read as small
// rationals, and a ratio is put into words by sizes of axes and numbers of micro-batches, since that is where factors
// come from: 4x too large (= size(model)). Of several candidates the one wins whose reference value is made by the same
// op on the same operand (its twin), whose ratio is that of the outputs, and which has words. Otherwise the value may
// be another one plus a multiple of a third, or the twin takes another second operand. By likeness, not by law. Costs
// folds times reference values, squared for sums of two.
#include <algorithm>
#include <cstdlib>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/causes/numbers.h"
#include "verify/causes/verified.h"
#include "verify/evidence/stored_blocks.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

/// ` of all micro-batches`, ` summed over `model`` for folds that join blocks or add terms up.
std::string folded_in_words(const Evidence& e, const Folded& folded) {
  std::string text;
  if (folded.micro) {
    text = folded.micro->kind == FoldKind::sum ? " summed over micro-batches" : " of all micro-batches";
    if (folded.micro->mean) text += ", divided by their number,";
  }
  std::vector<AxisId> sums;
  for (const FoldStep& step : folded.steps) {
    if (step.kind == FoldKind::sum) sums.push_back(step.axis);
  }
  return sums.empty() ? text : text + " summed over " + axes_in_words(sums, e.mesh());
}

/// The axes a factor probably comes from: those that the op names, otherwise those that are summed over.
AxisSet hint_of(const Evidence& e, PlanValueId id, const Folded& folded) {
  AxisSet hint;
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  if (const Collective* c = std::get_if<Collective>(&i.data())) {
    return e.plan().communicators[c->communicator.index()].group.set();
  }
  for (const FoldStep& step : folded.steps) {
    if (step.kind != FoldKind::equal) hint.insert(step.axis);
  }
  return hint;
}

/// What the ratio is in sizes of axes; in a pipeline also the number of micro-batches, rather than that of devices
/// along several axes. A number that the source writes out has nothing to do with sizes.
std::string ratio_in_words(const Evidence& e, PlanValueId id, const Ratio& ratio, const AxisSet& hint) {
  if (takes_written_number(e, id)) return "";
  const std::string sizes = in_words(ratio, e.mesh(), hint);
  const int64_t count = e.sharded.groups().micro_batch_count();
  const bool times = ratio == Ratio{count, 1};
  if (count < 2 || (!times && !(ratio == Ratio{1, count}))) return sizes;
  const std::string micro = times ? "microbatches" : "1/microbatches";
  return sizes.empty() || sizes.find('*') != std::string::npos ? micro : sizes + " or " + micro;
}

std::string equals_sizes(const std::string& words) { return words.empty() ? "" : " (= " + words + ")"; }

std::string too_large(const Ratio& ratio) {
  if (ratio.numerator == -1 && ratio.denominator == 1) return "the wrong sign";
  const int64_t n = std::abs(ratio.numerator);
  if (n == 1 && ratio.denominator > 1) return std::to_string(ratio.denominator) + "x too small";
  return to_string(ratio) + "x" + (n > ratio.denominator ? " too large" : " the right value");
}

/// Contractions differ in more than their op; what else ops say is mostly shapes.
bool same_op(const Instruction& a, const Instruction& b) {
  if (a.op() != b.op()) return false;
  const LocalOp *x = std::get_if<LocalOp>(&a.data()), *y = std::get_if<LocalOp>(&b.data());
  const bool dots = x != nullptr && y != nullptr && std::holds_alternative<DotGeneral>(x->op) &&
                    std::holds_alternative<DotGeneral>(y->op);
  if (!dots) return true;
  const DotGeneral &p = std::get<DotGeneral>(x->op), &q = std::get<DotGeneral>(y->op);
  return p.contract == q.contract && p.batch == q.batch;
}

/// Per value of the reference: whether it is equal to `value`.
std::vector<char> equal_values(const Evidence& e, const ReferenceValue& value) {
  std::vector<char> result(e.pair.reference.plan.values.size(), 0);
  for (const ReferenceValue& r : e.matcher.references()) {
    if (r.value.valid() && r.fingerprint == value.fingerprint) result[r.value.index()] = 1;
  }
  return result;
}

/// The reference's instruction with the same op on the counterpart of the first operand, if any.
std::optional<Instruction> twin(const Evidence& e, const Instruction& instruction) {
  const Match* m = instruction.operands.empty() ? nullptr : e.match(instruction.operands[0]);
  if (m == nullptr) return std::nullopt;
  const std::vector<char> same = equal_values(e, *m->reference);
  for (const Instruction& i : e.pair.reference.plan.instructions) {
    if (i.operands.empty() || i.results.empty() || same[i.operands[0].index()] == 0) continue;
    if (same_op(i, instruction)) return i;
  }
  return std::nullopt;
}

/// How much a reference value is likely to be what was meant: the twin's result before others.
int likeness(const Evidence& e, PlanValueId id, const ReferenceValue& reference) {
  const std::optional<Instruction> other = twin(e, e.plan().instruction(e.definition[id.index()]));
  if (other && other->results[0] == reference.value) return 4;
  return reference.global.valid() ? 0 : 1;
}

Explanation explain_multiple(const Evidence& e, PlanValueId id, const Matcher::Multiple& m) {
  const std::string words = equals_sizes(ratio_in_words(e, id, m.ratio, hint_of(e, id, m.folded)));
  return Explanation{e.name(id) + " is " + too_large(m.ratio) + words,
                     e.name(id) + folded_in_words(e, m.folded) + " is " + to_string(m.ratio) + "x" + words + " " +
                         e.name(*m.reference),
                     m.ratio};
}

/// Both add a number, and not the same: one is always a multiple of the other, which says nothing.
std::optional<Explanation> explain_number(const Evidence& e, PlanValueId id, const Matcher::Surplus& s) {
  if (!s.extra->value.valid()) return std::nullopt;  // a global
  const Plan& reference = e.pair.reference.plan;
  const std::optional<std::string> expected = number_in(reference, definitions(reference), s.extra->value);
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  for (const PlanValueId operand : i.operands) {
    const std::optional<std::string> own = number_in(e.plan(), e.definition, operand);
    if (!expected || !own || own == expected) continue;
    const std::string words = i.op() + " takes " + *own + " instead of " + *expected;
    return Explanation{words + " in " + e.name(id), words + ", as @" + reference.program + " does"};
  }
  return std::nullopt;
}

Explanation explain_surplus(const Evidence& e, PlanValueId id, const Matcher::Surplus& s) {
  if (std::optional<Explanation> number = explain_number(e, id, s)) return *number;
  const Ratio count{std::abs(s.count), 1};
  const std::string words = equals_sizes(in_words(count, e.mesh(), hint_of(e, id, s.folded), s.count > 0));
  const std::string what = std::to_string(count.numerator) + "x" + words + " " + e.name(*s.extra);
  return Explanation{e.name(*s.extra) + " is counted " + std::to_string(count.numerator) + "x" + words +
                         (s.count > 0 ? " too often" : " too little"),
                     e.name(id) + folded_in_words(e, s.folded) + " is " + e.name(*s.base) +
                         (s.count > 0 ? " plus " : " minus ") + what};
}

/// The value is base +- extra because that is what its op says: no news.
bool restates_op(const Evidence& e, PlanValueId id, const Matcher::Surplus& s) {
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  if (std::abs(s.count) != 1 || i.operands.size() != 2) return false;
  const Match *a = e.match(i.operands[0]), *b = e.match(i.operands[1]);
  if (a == nullptr || b == nullptr) return false;
  const auto are = [&](const ReferenceValue& x, const ReferenceValue& y) {
    return a->reference->fingerprint == x.fingerprint && b->reference->fingerprint == y.fingerprint;
  };
  return are(*s.base, *s.extra) || (s.count == 1 && are(*s.extra, *s.base));
}

/// What the reference last adds to `used` on the way to `expected`, a chain of sums; or invalid.
PlanValueId missing_term(const Evidence& e, const ReferenceValue& used, PlanValueId expected) {
  const std::vector<char> same = equal_values(e, used);
  const InstructionList& all = e.pair.reference.plan.instructions;
  PlanValueId last;
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].op() != Add::kName || all[i].results[0] != expected) continue;
    const PlanValueId a = all[i].operands[0], b = all[i].operands[1];
    if (same[b.index()] != 0) return last.valid() ? last : a;
    if (!last.valid()) last = b;
    if (same[a.index()] != 0) return last;
    expected = a;
  }
  return {};
}

/// What only moves numbers adds nothing to them: a sum that it is by chance is no mistake of it.
bool only_moves(const Instruction& i) {
  return is_one_of<Reshape, Transpose, BroadcastInDim, Reverse, Slice, StopGradient, Convert>(local_op(i));
}

/// The reference does the same with another second operand.
std::optional<Explanation> explain_operand(const Evidence& e, PlanValueId id) {
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  const std::optional<Instruction> other = twin(e, i);
  if (!other || i.operands.size() != 2 || other->operands.size() != 2) return std::nullopt;
  const Match* used = e.match(i.operands[1]);
  if (used == nullptr || equal_values(e, *used->reference)[other->operands[1].index()] != 0) return std::nullopt;
  const std::string expected = e.pair.reference.in_words(other->operands[1]);
  const PlanValueId term = missing_term(e, *used->reference, other->operands[1]);
  if (term.valid()) {
    return Explanation{e.name(i.operands[1]) + " lacks a term",
                       e.name(i.operands[1]) + " is " + e.name(*used->reference) + ", to which the reference adds " +
                           e.pair.reference.in_words(term) + " before " + i.op()};
  }
  if (e.plan().groups.size() < 2) return std::nullopt;  // explain_twin.cc tries it
  return Explanation{i.op() + " takes " + e.name(*used->reference) + " instead of " + expected,
                     e.name(i.operands[1]) + " is " + e.name(*used->reference) + ", " + describe(e, *used)};
}

}  // namespace

std::optional<Explanation> explain_by_value(const Evidence& e, const Trial& trial, PlanValueId id) {
  const std::vector<Matcher::Multiple> multiples = e.matcher.multiples(id);
  const Matcher::Multiple* best = nullptr;
  int best_score = -1;
  for (const Matcher::Multiple& m : multiples) {
    const bool in_sizes = !ratio_in_words(e, id, m.ratio, hint_of(e, id, m.folded)).empty();
    const int score = likeness(e, id, *m.reference) + (in_sizes ? 2 : 0) + (e.ratio == m.ratio ? 5 : 0);
    if (score > best_score) best = &m, best_score = score;
  }
  if (best != nullptr && factor_is_all(e, trial, id, best->ratio)) return explain_multiple(e, id, *best);
  if (only_moves(e.plan().instruction(e.definition[id.index()]))) return std::nullopt;
  const std::vector<Matcher::Surplus> surpluses = e.matcher.surpluses(id);
  const Matcher::Surplus* most = nullptr;
  for (const Matcher::Surplus& s : surpluses) {
    if (restates_op(e, id, s)) continue;
    if (most == nullptr || likeness(e, id, *s.base) > likeness(e, id, *most->base)) most = &s;
  }
  if (most != nullptr && stands_for(e, trial, id, *most->base, most->folded)) return explain_surplus(e, id, *most);
  return explain_operand(e, id);
}

namespace {

/// A sum over devices, or a product or quotient with a number.
bool scales(const Evidence& e, const Instruction& i) {
  if (const Collective* c = std::get_if<Collective>(&i.data())) {
    return c->kind == CollectiveKind::all_reduce || c->kind == CollectiveKind::reduce_scatter;
  }
  const bool product = is_one_of<Multiply, Divide>(local_op(i));
  return product && (e.constant[i.operands[0].index()] != 0 || e.constant[i.operands[1].index()] != 0);
}

}  // namespace

std::optional<Explanation> explain_output_factor(const Evidence& e, const Trial& trial,
                                                 const std::vector<char>& suspect) {
  for (const Instruction& i : e.plan().instructions) {
    if (i.results.empty() || suspect[i.results[0].index()] == 0 || !scales(e, i)) continue;
    for (const Matcher::Multiple& m : e.matcher.multiples(i.results[0])) {
      const bool of_output = std::any_of(e.ratios.begin(), e.ratios.end(), [&](const auto& output) {
        const PlanValueId right = stored_value(e.pair.reference.plan, e.pair.reference_output[output.first]);
        return output.second == m.ratio && m.reference->value == right;
      });
      if (!of_output || !(e.ratio || factor_is_all(e, trial, i.results[0], m.ratio))) continue;  // one for all is tried
      Explanation origin = explain_multiple(e, i.results[0], m);
      origin.value = i.results[0];
      origin.role = "where the factor of the results comes in";
      return origin;
    }
  }
  return std::nullopt;
}

std::optional<std::string> counterpart(const Evidence& e, const Instruction& instruction) {
  const std::optional<Instruction> i = twin(e, instruction);
  if (!i) return std::nullopt;
  const std::string source = source_of(i->location());
  return "@" + e.pair.reference.plan.program + " has " +
         (source.empty() ? made_in_words(e.pair.reference.plan.value(i->results[0]).in_words(), i->op()) : source) +
         " (" + i->location().to_string() + ")";
}

}  // namespace isoshard::verify

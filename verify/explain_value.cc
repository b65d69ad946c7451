#include <algorithm>
#include <cstdlib>

#include "verify/explain.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

/// ` summed over `model`` for folds that add terms up.
std::string folded_in_words(const Examined& e, const Folded& folded) {
  std::vector<AxisId> sums;
  for (const FoldStep& step : folded.steps) {
    if (step.kind == FoldKind::sum) sums.push_back(step.axis);
  }
  return sums.empty() ? "" : " summed over " + axes_in_words(sums, e.mesh());
}

/// The axes a factor probably comes from: those that the op names, otherwise those that are summed over.
AxisSet hint_of(const Examined& e, PlanValueId id, const Folded& folded) {
  AxisSet hint;
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  if (const Collective* c = std::get_if<Collective>(&i.data)) {
    return e.plan().communicators[c->communicator.index()].group.set();
  }
  for (const FoldStep& step : folded.steps) {
    if (step.kind != FoldKind::equal) hint.insert(step.axis);
  }
  return hint;
}

std::string equals_sizes(const std::string& words) { return words.empty() ? "" : " (= " + words + ")"; }

std::string too_large(const Ratio& ratio) {
  if (ratio.numerator == -1 && ratio.denominator == 1) return "the wrong sign";
  const int64_t n = std::abs(ratio.numerator);
  if (n == 1 && ratio.denominator > 1) return std::to_string(ratio.denominator) + "x too small";
  return to_string(ratio) + "x" + (n > ratio.denominator ? " too large" : " the right value");
}

std::string source_of(const Location& location) {
  std::string_view line = location.source_line();
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  const size_t comment = line.find("//");
  if (comment != std::string_view::npos) line = line.substr(0, comment);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return std::string(line);
}

}  // namespace

std::optional<Explanation> explain_by_value(const Examined& e, PlanValueId id) {
  if (const std::optional<Matcher::Multiple> m = e.matcher.multiple(id)) {
    const std::string words = equals_sizes(in_words(m->ratio, e.mesh(), hint_of(e, id, m->folded)));
    return Explanation{e.name(id) + " is " + too_large(m->ratio) + words, e.name(id) + folded_in_words(e, m->folded) +
                                                                              " is " + to_string(m->ratio) + "x" +
                                                                              words + " " + e.name(*m->reference)};
  }
  if (const std::optional<Matcher::Surplus> s = e.matcher.surplus(id)) {
    const Ratio count{std::abs(s->count), 1};
    const std::string words = equals_sizes(in_words(count, e.mesh(), hint_of(e, id, s->folded), s->count > 0));
    const std::string what = std::to_string(count.numerator) + "x" + words + " " + e.name(*s->extra);
    return Explanation{e.name(*s->extra) + " is counted " + std::to_string(count.numerator) + "x" + words +
                           (s->count > 0 ? " too often" : " too little"),
                       e.name(id) + folded_in_words(e, s->folded) + " is " + e.name(*s->base) +
                           (s->count > 0 ? " plus " : " minus ") + what};
  }
  return std::nullopt;
}

std::optional<std::string> counterpart(const Examined& e, const Instruction& instruction) {
  const Match* m = instruction.operands.empty() ? nullptr : e.match(instruction.operands[0]);
  if (m == nullptr || !m->reference->value.valid()) return std::nullopt;
  for (const Instruction& i : e.pair.reference.plan.instructions) {
    if (i.op != instruction.op || i.operands.empty() || i.operands[0] != m->reference->value || i.results.empty()) {
      continue;
    }
    const std::string source = source_of(i.location);
    return "@" + e.pair.reference.program->name() + " has " +
           (source.empty() ? "%" + e.pair.reference.plan.value(i.results[0]).name + " = " + i.op : source) + " (" +
           i.location.to_string() + ")";
  }
  return std::nullopt;
}

}  // namespace isoshard::verify

// Some programs take no integer that stands for all its values at once: where a position says which scores are -inf,
// a choice between a number and an infinity has no formula in it. Few numbers are asked about one by one, each as a
// number, on rung A and then on E; what is equal for each of them is equal for all (docs/adr/0116-few-integers.md). As
// many elements of integers as make up to 256 cases are fixed; the others stay as they are. Over several steps an input
// has other numbers in each, of which these cases would be some only. Costs two comparisons per case.
#include <algorithm>
#include <utility>

#include "verify/abstraction/decided_guards.h"
#include "verify/abstraction/plan_insertions.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/padded_dim.h"
#include "verify/ladder/cover.h"
#include "verify/ladder/judge_exponentials.h"
#include "verify/ladder/note_rung.h"
#include "verify/pair_facts/contents.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify {

/// An element of an integer that each case fixes, and its numbers.
struct FixedElement {
  std::string global;
  int64_t index;
  std::vector<int64_t> values;
};

namespace {

constexpr size_t kMostCases = 256;
constexpr size_t kMostFixed = 8;  ///< elements of one global

size_t case_count(const std::vector<FixedElement>& elements) {
  size_t cases = 1;
  for (const FixedElement& element : elements) cases *= element.values.size();
  return cases;
}

/// The numbers of case n: digit by digit, the first element's first.
IntegerInputs numbers_of_case(IntegerInputs integers, const std::vector<FixedElement>& elements, size_t n) {
  for (const FixedElement& element : elements) {
    integers.at(element.global).at[element.index] = {element.values[n % element.values.size()]};
    n /= element.values.size();
  }
  return integers;
}

/// The numbers of a global in a case, where each of its elements is fixed; empty for others.
std::vector<int64_t> fixed_numbers_of(const Global& global, const IntegerInputs& integers) {
  const auto found = integers.find(global.name);
  const bool fits = global.type.dtype == DType::pred || is_integer(global.type.dtype);
  const int64_t count = element_count(global.type.shape);
  if (found == integers.end() || !fits || count > static_cast<int64_t>(kMostFixed)) return {};
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<int64_t>& values = found->second.of(i);
    if (values.size() != 1 || values[0] < 0) return {};
    numbers.push_back(values[0]);
  }
  return numbers;
}

/// The numbers that an instruction reads, row by row, if these are known; empty for others. Of several it has to read
/// all; in padding may stand any number.
std::vector<int64_t> numbers_read(const Instruction& i, const Module& module, const IntegerInputs& integers) {
  const auto* load = std::get_if<LoadBlock>(&i.data());
  if (load == nullptr || padded_dim(*load, module.global(load->global).type.shape) >= 0) return {};
  const std::vector<int64_t> numbers = fixed_numbers_of(module.global(load->global), integers);
  const bool whole = load->start.empty() &&
                     std::all_of(load->count.begin(), load->count.end(), [](int64_t blocks) { return blocks == 1; });
  return numbers.size() == 1 || whole ? numbers : std::vector<int64_t>();
}

/// Puts such numbers in the place of where they are read: what is known of a Plan is known of constants.
void write_in(Plan& plan, const Module& module, const IntegerInputs& integers) {
  const auto is_read = [&](const Instruction& i) { return !numbers_read(i, module, integers).empty(); };
  if (std::none_of(plan.instructions.begin(), plan.instructions.end(), is_read)) return;
  PlanInsertions made(plan);
  for (size_t n = 0; n < plan.instructions.size(); ++n) {
    const Instruction& i = plan.instructions[n];
    const std::vector<int64_t> numbers = numbers_read(i, module, integers);
    if (numbers.empty()) continue;
    const TensorType type = plan.value(i.results[0]).type();
    made.begin(InstructionId(n));
    made.rename_result(InstructionId(n), 0);
    std::vector<PlanValueId> parts;
    for (const int64_t x : numbers) {
      const TensorType one{type.dtype, {1}};
      parts.push_back(made.add(Constant{Rational(x), one.dtype, one.shape}, {}, one, "number"));
    }
    const TensorType row{type.dtype, {static_cast<int64_t>(numbers.size())}};
    const PlanValueId joined = made.add(Concatenate{0}, parts, row, "numbers");
    made.add_for(LocalOp{Reshape{type.shape}}, {joined}, {i.results[0]});
  }
  plan = std::move(made).finish();
}

/// The elements of all globals that leave few cases, those of few numbers first.
std::vector<FixedElement> few_elements(const Pair& pair, const IntegerInputs& integers) {
  std::vector<std::vector<FixedElement>> globals;
  for (const Global& global : pair.module->globals) {
    const auto found = integers.find(global.name);
    const int64_t count = element_count(global.type.shape);
    if (found == integers.end() || found->second.values.size() < 2 || count > static_cast<int64_t>(kMostCases))
      continue;
    std::vector<FixedElement>& elements = globals.emplace_back();
    for (int64_t i = 0; i < count; ++i) elements.push_back({global.name, i, found->second.of(i)});
  }
  const auto many = [](const FixedElement& e) { return e.values.size() > kMostCases; };
  std::erase_if(globals,
                [&](const auto& all) { return all.size() > kMostFixed || std::any_of(all.begin(), all.end(), many); });
  std::stable_sort(globals.begin(), globals.end(),
                   [](const auto& a, const auto& b) { return case_count(a) < case_count(b); });
  std::vector<FixedElement> result;
  for (const std::vector<FixedElement>& all : globals) {
    if (case_count(result) * case_count(all) > kMostCases) break;
    result.insert(result.end(), all.begin(), all.end());
  }
  return result;
}

}  // namespace

/// What all cases have said so far.
struct Cover::Cases {
  Restricted part;
  std::vector<FixedElement> elements;
  std::vector<bool> open{};           ///< of the outputs of `part`: equal in all cases so far
  std::vector<RingOutput> outputs{};  ///< as the last case said
  std::vector<RingOutcome> said{};    ///< what some case rests on
};

void Cover::ask_case(const RingOptions& asked, std::vector<bool>& missing, Cases& cases) {
  Restricted part = cases.part;
  write_in(part.pair.sharded.plan, *pair_.module, *asked.covered);
  write_in(part.pair.reference.plan, *pair_.module, *asked.covered);
  if (std::optional<Pair> decided = decide_guards(part.pair, options_.seed)) part.pair = std::move(*decided);
  const RungClock::time_point begin = RungClock::now();
  RingOutcome now = asked.exponential()
                        ? judge_exponentials(part.pair, asked, std::vector<bool>(part.outputs.size(), true))
                        : compare_in_ring(part.pair, asked);
  records_.push_back(note_rung(part, asked, now, begin));
  records_.back().one_case = true;
  if (!now.speaks() || now.zero_denominator || now.terms.log2_error > options_.lanes.worst) return;
  bool any = false;
  for (size_t i = 0; i < missing.size(); ++i) {
    const RingOutput& output = now.outputs[i];
    if (!missing[i] || !output.equal || !output.rests_on.empty() || !output.doubt.empty()) continue;
    missing[i] = false;
    any = true;
    cases.outputs[i] = output;
  }
  if (any) cases.said.push_back(std::move(now));
}

void Cover::ask_case(size_t n, Cases& cases) {
  const Contents contents = contents_of(cases.part.pair);
  std::vector<bool> missing = cases.open;
  RingOptions asked = options_;
  asked.covered = std::make_shared<IntegerInputs>(numbers_of_case(*options_.covered, cases.elements, n));
  asked.max_of_sets = true;
  ask_case(asked, missing, cases);
  asked.rung = Rung::e;
  if (any_output(missing) && (contents.exponential || contents.minus_infinity)) ask_case(asked, missing, cases);
  for (size_t i = 0; i < missing.size(); ++i) cases.open[i] = cases.open[i] && !missing[i];
}

std::optional<RingOutcome> Cover::ask_cases(const std::vector<bool>& equal) {
  std::vector<bool> asked_about = wanted();
  for (size_t o = 0; o < asked_about.size(); ++o) asked_about[o] = asked_about[o] && equal[o];
  if (pair_.steps > 1 || !any_output(asked_about)) return std::nullopt;
  Cases cases{restrict_to(pair_, asked_about), few_elements(pair_, *options_.covered)};
  const size_t count = case_count(cases.elements);
  if (count < 2 || elements_computed(cases.part.pair) * count > kMostTabledElements) return std::nullopt;
  cases.open = cases.part.wanted;
  cases.outputs.resize(cases.part.outputs.size());
  for (size_t n = 0; n < count && any_output(cases.open); ++n) ask_case(n, cases);
  return any_output(cases.open) ? take_cases(cases) : std::nullopt;
}

std::optional<RingOutcome> Cover::take_cases(const Cases& cases) {
  for (size_t i = 0; i < cases.open.size(); ++i) {
    if (!cases.open[i]) continue;
    std::optional<RingOutput>& covered = covered_[cases.part.outputs[i]];
    covered = cases.outputs[i];
    covered->covered_by = options_.covered;
  }
  for (const RingOutcome& said : cases.said) add_terms(said);
  return all_covered(cases.said.back());
}

}  // namespace isoshard::verify

#include "tests/mutation/families.h"

#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include "core/text/text.h"
#include "tests/mutation/family_inputs.h"
#include "tests/mutation/operators/operators.h"
#include "tests/mutation/operators/rewrite.h"
#include "tests/mutation/operators/templates.h"
#include "tests/property/generator/dice.h"

namespace isoshard::mutation {
namespace {

using verify::Verdict;

constexpr size_t kPerPair = 4;          ///< written mistakes made in one right pair
constexpr size_t kRewritesPerPair = 2;  ///< and ops rewritten by operators, at most
constexpr uint32_t kMostRounds = 200;

/// A module with one check, and what was done.
struct Changed {
  Module module;
  std::string text, did;
};

Module module_of(const Template& from, const Pair& pair) {
  DiagnosticSink sink;
  const auto file = std::make_shared<SourceFile>(SourceFile{from.name + ".shard", pair.text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  if (module && module->checks.size() == 1) return *std::move(module);
  const std::string why = sink.diagnostics().empty() ? "one check is expected" : render(sink.diagnostics()[0]);
  throw std::runtime_error(from.name + ": " + pair.did + "\n" + why);
}

class FamilyRun {
 public:
  FamilyRun(const FamilyOptions& options, const Checker& checker) : options_(options), checker_(checker) {}
  ~FamilyRun() { reference::Rounded::constants = 0; }

  FamilyOutcome all() {
    const std::vector<Template> templates = all_templates();
    for (const Template& t : templates) outcome_.table[t.family];
    for (uint32_t round = 0; round < kMostRounds; ++round) {
      for (size_t t = 0; t < templates.size(); ++t) {
        if (outcome_.findings.size() >= options_.max_findings) return std::move(outcome_);
        if (count(templates[t]).made() >= options_.per_family) continue;
        one(templates[t], (options_.seed * 1000003 + round) * 1009 + t);
      }
    }
    for (const auto& [name, line] : outcome_.table) {
      if (line.made() >= options_.per_family) continue;
      outcome_.findings.push_back(name + ": " + std::to_string(line.made()) + " mistakes, expected " +
                                  std::to_string(options_.per_family));
    }
    return std::move(outcome_);
  }

 private:
  FamilyCount& count(const Template& t) { return outcome_.table[t.family]; }

  void one(const Template& from, uint64_t seed) {
    reference::Rounded::constants = from.rounded_decimals ? 0x1p-24 : 0;
    Pairs pairs = draw_pairs(from, seed);
    const Module right = module_of(from, pairs.right);
    const FamilyInputs inputs = family_inputs(right, seed);
    const Judge judge(right, right.checks[0].right, inputs.draws);
    if (!judge.usable()) throw std::runtime_error(from.name + ": the interpreter cannot judge\n" + pairs.right.text);
    if (made_.insert(pairs.right.text).second) right_pair(from, pairs.right, right, judge, seed);
    testing::Dice dice(seed);
    dice.shuffle(pairs.mistakes);
    const auto change = [&](Changed changed) {
      if (count(from).made() >= options_.per_family || !made_.insert(changed.text).second) return false;
      mistake(from, changed, judge, inputs, seed);
      return true;
    };
    size_t made = 0;
    for (const Pair& pair : pairs.mistakes) {
      if (made < kPerPair && change({module_of(from, pair), pair.text, pair.did})) ++made;
    }
    for (size_t i = 0; i < kRewritesPerPair; ++i) {
      if (std::optional<Changed> rewritten = rewritten_op(right, dice)) change(*std::move(rewritten));
    }
  }

  /// Any operator where it applies, right or wrong: nobody has thought of that mistake in that program.
  std::optional<Changed> rewritten_op(const Module& right, testing::Dice& dice) const {
    const Operator& op = dice.pick(operators_);
    const Check& check = right.checks[0];
    std::vector<OpId> sites = live_ops(right.program(check.left));
    dice.shuffle(sites);
    if (op.reach != Reach::one_op) return std::nullopt;
    for (const OpId site : sites) {
      Module module = right;
      const std::optional<Rewritten> what = rewrite(module, check.left, "mutant", site, dice.below(1000), op.apply);
      if (!what) continue;
      module.checks = {Check{what->program, check.right, Location::here()}};
      std::string text = text::print(module);
      return Changed{std::move(module), std::move(text), std::string(op.name) + ": " + what->where + ": " + what->did};
    }
    return std::nullopt;
  }

  void right_pair(const Template& from, const Pair& pair, const Module& module, const Judge& judge, uint64_t seed) {
    const Check& check = module.checks[0];
    const Truth truth = judge.judge(module, check.left);
    const Answer answer = checker_(module, check);
    ++count(from).right.counts[static_cast<size_t>(answer.verdict)];
    const std::string what = from.name + ", the right pair, seed " + std::to_string(seed);
    if (truth != Truth::same || answer.verdict == Verdict::not_equal) finding(what, truth, pair.text, answer);
    if (truth == Truth::same && answer.verdict != Verdict::equal) undecided(from, truth, answer);
  }

  void mistake(const Template& from, const Changed& changed, const Judge& judge, const FamilyInputs& inputs,
               uint64_t seed) {
    const Module& module = changed.module;
    const Check& check = module.checks[0];
    Truth truth = judge.judge(module, check.left);
    if (truth == Truth::unknown) {
      ++count(from).unknown;
      return;
    }
    const Answer answer = checker_(module, check);
    if (truth == Truth::same && answer.verdict == Verdict::not_equal) truth = on_more(module, seed);
    const bool wrong = truth != Truth::same;
    FamilyCount& line = count(from);
    ++(wrong ? line.wrong : line.same).counts[static_cast<size_t>(answer.verdict)];
    line.all += inputs.all_integers ? 1 : 0;
    const std::string what = from.name + ", " + changed.did + ", seed " + std::to_string(seed);
    if (answer.verdict == (wrong ? Verdict::equal : Verdict::not_equal)) {
      finding(what, truth, changed.text, answer);
    } else if (answer.verdict != Verdict::equal && answer.verdict != Verdict::not_equal) {
      undecided(from, truth, answer);
    }
  }

  /// The checker has found a difference that may need an input of its own: floats in one order of many.
  static Truth on_more(const Module& module, uint64_t seed) {
    for (uint64_t more = 1; more <= 16; ++more) {
      const Judge judge(module, module.checks[0].right, family_inputs(module, seed + (more << 40)).draws);
      const Truth truth = judge.judge(module, module.checks[0].left);
      if (truth == Truth::wrong || truth == Truth::does_not_run) return truth;
    }
    return Truth::same;
  }

  void finding(const std::string& what, Truth truth, const std::string& text, const Answer& answer) {
    outcome_.findings.push_back(what + "; it is " + std::string(mutation::name(truth)) + ", the checker says " +
                                std::string(verify::name(answer.verdict)) + " " + answer.reason + "\n" + text);
  }
  void undecided(const Template& from, Truth truth, const Answer& answer) {
    ++outcome_.undecided[from.name + ", " + std::string(mutation::name(truth)) + ": " +
                         std::string(verify::name(answer.verdict)) + ": " + answer.reason];
  }

  const FamilyOptions options_;
  const Checker& checker_;
  const std::vector<Operator> operators_ = all_operators();
  std::set<std::string> made_;  ///< texts of pairs
  FamilyOutcome outcome_;
};

std::string cells(const Verdicts& v, const std::vector<Verdict>& verdicts) {
  std::string text = " | " + std::to_string(v.sum());
  for (const Verdict verdict : verdicts) text += " | " + std::to_string(v.of(verdict));
  return text;
}

uint32_t open(const Verdicts& v) { return v.of(Verdict::undecided) + v.of(Verdict::float_differs); }

std::string family_row(const std::string& name, const FamilyCount& c) {
  const std::string same_open = " | " + std::to_string(open(c.same)),
                    right_open = " | " + std::to_string(open(c.right));
  return "| " + name + cells(c.right, {Verdict::equal, Verdict::not_refuted}) + right_open + " | " +
         std::to_string(c.made()) + " | " + std::to_string(c.all) +
         cells(c.wrong, {Verdict::not_equal, Verdict::not_refuted}) + " | " + std::to_string(open(c.wrong)) +
         cells(c.same, {Verdict::equal, Verdict::not_refuted}) + same_open + " |\n";
}

void add_to(Verdicts& sum, const Verdicts& more) {
  for (size_t v = 0; v < sum.counts.size(); ++v) sum.counts[v] += more.counts[v];
}

}  // namespace

uint32_t Verdicts::sum() const { return std::accumulate(counts.begin(), counts.end(), uint32_t{0}); }

FamilyOutcome run_families(const FamilyOptions& options, const Checker& checker) {
  return FamilyRun(options, checker).all();
}

std::string to_table(const FamilyOutcome& outcome, const FamilyOptions& options) {
  std::string text = "Families (seed " + std::to_string(options.seed) + "): right pairs, then mistakes in them.\n\n";
  text +=
      "| family | right | EQUAL | NOT REFUTED | undecided | mistakes | on all values | WRONG | NOT EQUAL | NOT REFUTED "
      "| "
      "undecided | SAME | EQUAL | NOT REFUTED | undecided |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  FamilyCount total;
  for (const auto& [name, count] : outcome.table) {
    text += family_row(name, count);
    add_to(total.right, count.right);
    add_to(total.wrong, count.wrong);
    add_to(total.same, count.same);
    total.all += count.all;
    total.unknown += count.unknown;
  }
  text += family_row("**all**", total);
  return text + "\n" + std::to_string(outcome.findings.size()) + " false verdicts; " + std::to_string(total.unknown) +
         " mistakes not judged (ties, or no number for want of range)\n";
}

}  // namespace isoshard::mutation

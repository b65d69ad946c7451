#include "tests/mutation/gradients.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/text/text.h"
#include "core/transform/autodiff/gradient_check.h"
#include "tests/mutation/truth.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::mutation {
namespace {

uint64_t seed_of(uint64_t seed, uint32_t number) { return seed * 1000003 + number; }

testing::RandomProgramOptions forward_options(uint64_t seed, uint32_t number) {
  Dice dice(seed_of(seed, number));
  testing::RandomProgramOptions options;
  options.seed = seed_of(seed, number);
  options.typed = number % 2 == 0;
  options.ops = static_cast<size_t>(dice.in(6, 20));
  options.max_elements = 64;
  options.max_axis_size = dice.chance(50) ? 3 : 5;
  options.integers = dice.chance(30);
  options.exponentials = dice.chance(30);
  return options;
}

/// What can be differentiated: read by the program, and by no function, where that is refused.
std::vector<autodiff::Wanted> wanted(const Module& module, ProgramId program) {
  std::vector<autodiff::Wanted> result;
  for (size_t g = 0; g < module.globals.size(); ++g) {
    const auto viewed_inside = [&](const Program& p) {
      return p.kind() == ProgramKind::function && autodiff::reads(p, GlobalId(g));
    };
    if (!module.globals[g].has_gradient() || !autodiff::reads(module.program(program), GlobalId(g))) continue;
    if (std::any_of(module.programs.begin(), module.programs.end(), viewed_inside)) continue;
    result.push_back({GlobalId(g), module.globals[g].name});
  }
  return result;
}

class Run {
 public:
  Run(const GradientOptions& options, const Checker& checker) : options_(options), checker_(checker) {
    outcome_.table = reduction_counts();
  }

  GradientOutcome all() {
    for (uint32_t n = 0; n < options_.programs && !complete(); ++n) {
      if (const std::optional<Module> module = random_gradients(options_.seed, n)) one(*module, n);
    }
    return std::move(outcome_);
  }

 private:
  bool complete() const { return outcome_.findings.size() >= options_.max_findings; }

  void one(const Module& module, uint32_t number) {
    const std::vector<ReductionSite> sites = reduction_sites(module);
    const Check& check = module.checks[0];
    const uint64_t seed = seed_of(options_.seed, number);
    const std::string name = "gradients " + std::to_string(number) + " of seed " + std::to_string(options_.seed);
    if (sites.empty()) return;
    const Judge judge(module, check.right, seed);
    if (!judge.usable()) return;
    const Answer answer = checker_(module, check);
    if (answer.verdict == verify::Verdict::not_equal && !judge.lets_padding_through())
      return finding(name + " itself", module, seed, answer);
    if (answer.verdict != verify::Verdict::equal) {
      ++outcome_.undecided_bases;
      return;
    }
    ++(module.program(check.left).typed() ? outcome_.typed : outcome_.untyped);
    for (const ReductionSite& site : sites) {
      if (!complete()) mistake(module, site, judge, name, seed);
    }
  }

  void mistake(const Module& module, const ReductionSite& site, const Judge& judge, const std::string& name,
               uint64_t seed) {
    std::optional<WrongProgram> wrong = with_mistake(module, site);
    if (!wrong) return;  // the shapes or the region do not allow it
    const std::optional<JudgedMistake> mistake =
        judged(std::move(*wrong), judge, checker_, line_of(outcome_.table, site.mistake));
    if (!mistake) return;
    outcome_.backward += mistake->wrong.what.find(".back.") != std::string::npos ? 1U : 0U;
    const std::string what = name + ": " + mistake->wrong.what;
    if (mistake->contradiction()) {
      finding(what + "; it is " + std::string(mutation::name(mistake->truth)), mistake->wrong.module, seed,
              mistake->answer);
    } else if (mistake->truth == Truth::same && mistake->answer.verdict != verify::Verdict::equal) {
      outcome_.undecided.push_back(what + ": " + mistake->answer.reason);
    }
  }

  void finding(const std::string& what, const Module& module, uint64_t seed, const Answer& answer) {
    const bool shrink = options_.shrink && outcome_.findings.size() < 5;
    const std::string text = shrink ? smallest_contradiction(module, seed, checker_) : text::print(module);
    outcome_.findings.push_back(what + ", the checker says " + std::string(verify::name(answer.verdict)) + " " +
                                answer.reason + "\n" + text);
  }

  const GradientOptions options_;
  const Checker& checker_;
  GradientOutcome outcome_;
};

}  // namespace

std::optional<Module> random_gradients(uint64_t seed, uint32_t number) {
  testing::RandomProgram random = testing::random_program(forward_options(seed, number));
  const bool typed = random.module.program(random.program).typed();
  const std::vector<autodiff::Wanted> wrt = wanted(random.module, random.program);
  if (wrt.empty()) return std::nullopt;
  const autodiff::GradientSide side{random.program, {}, true, wrt, !typed, Location::here()};
  std::map<std::string, ProgramId> made;
  DiagnosticSink sink;
  const std::optional<ProgramId> gradients = autodiff::gradient_program(random.module, side, made, sink);
  if (!gradients) return std::nullopt;
  random.module.checks = {Check{*gradients, *gradients, Location::here()}};
  return std::move(random.module);
}

GradientOutcome run_gradients(const GradientOptions& options, const Checker& checker) {
  return Run(options, checker).all();
}

std::string to_table(const GradientOutcome& outcome, const GradientOptions& options) {
  char line[256];
  std::snprintf(line, sizeof line,
                "%u typed and %u untyped gradient programs (seed %llu); %u mistakes in what differentiation wrote:\n\n",
                outcome.typed, outcome.untyped, static_cast<unsigned long long>(options.seed), outcome.backward);
  return line + reductions_table(outcome.table);
}

}  // namespace isoshard::mutation

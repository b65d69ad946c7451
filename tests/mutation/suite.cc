#include "tests/mutation/suite.h"

#include <algorithm>
#include <stdexcept>

#include "core/text/text.h"
#include "tests/mutation/bases.h"
#include "tests/property/generator/shrink.h"
#include "verify/check.h"

namespace isoshard::mutation {
namespace {

constexpr uint32_t kPerBase = 2;   ///< programs of one operator from one base
constexpr size_t kMostHomes = 40;  ///< that are remembered per operator

struct Made {
  Module module;  ///< with the mutant, and the check of it
  ProgramId program;
  Rewritten what;
};

class Suite {
 public:
  Suite(const SuiteOptions& options, const Checker& checker) : options_(options), checker_(checker) {
    for (const Operator& op : operators_) outcome_.table.push_back(Count{std::string(op.name), op.right});
  }

  Outcome run() {
    for (uint64_t n = 0; n < options_.max_bases && !complete(); ++n) {
      if (outcome_.findings.size() >= options_.max_findings) break;
      const uint64_t seed = options_.seed * 1000003 + n;
      one_base(next_kind(seed), seed);
    }
    require_numbers();
    return std::move(outcome_);
  }

 private:
  bool complete() const {
    return std::all_of(outcome_.table.begin(), outcome_.table.end(),
                       [&](const Count& count) { return count.made >= options_.per_operator; });
  }

  /// Any kind, or one in which the operator that lacks most has been at home before.
  size_t next_kind(uint64_t seed) {
    Dice dice(seed);
    size_t neediest = 0;
    for (size_t o = 0; o < operators_.size(); ++o) {
      if (outcome_.table[o].made < outcome_.table[neediest].made) neediest = o;
    }
    const std::vector<size_t>& known = homes_[neediest];
    return dice.chance(30) || known.empty() ? dice.below(base_kinds()) : dice.pick(known);
  }

  void one_base(size_t kind, uint64_t seed) {
    const Base base = make_base(kind, seed);
    const Judge judge(base.module, base.reference, seed);
    if (!judge.usable() || !base_holds(base, judge, seed)) return;
    ++outcome_.bases;
    for (size_t o = 0; o < operators_.size(); ++o) {
      const uint32_t before = outcome_.table[o].made;
      if (before < options_.per_operator) apply(o, base, judge, seed);
      if (outcome_.table[o].made > before && homes_[o].size() < kMostHomes) homes_[o].push_back(kind);
    }
  }

  /// Only a program that equals its reference can be made wrong. A checker that says otherwise has its finding.
  bool base_holds(const Base& base, const Judge& judge, uint64_t seed) {
    const Truth truth = judge.judge(base.module, base.subject);
    if (truth == Truth::unknown) return false;
    const Answer answer = checker_(base.module, base.module.checks[0]);
    if (truth == Truth::same && answer.verdict == verify::Verdict::equal) return true;
    const std::string what = "the base program " + base.name + " itself is " + std::string(name(truth));
    if (truth != Truth::same || contradicts(truth, answer.verdict)) finding(what, base.module, seed, answer);
    return false;
  }

  void apply(size_t o, const Base& base, const Judge& judge, uint64_t seed) {
    const Operator& op = operators_[o];
    Dice dice(seed * 131 + o);
    if (op.reach == Reach::rings) {
      if (base.rings) judged(o, base, judge, made(base, [&](Module& m) { return all(m, base, op, seed); }), seed);
      return;
    }
    std::vector<OpId> sites = live_ops(base.module.program(base.subject));
    dice.shuffle(sites);
    uint32_t done = 0;
    for (size_t s = 0; s < sites.size() && done < kPerBase; ++s) {
      const uint64_t choice = seed * 977 + s;
      const auto write = [&](Module& m) { return rewrite(m, base.subject, "mutant", sites[s], choice, op.apply); };
      if (judged(o, base, judge, made(base, write), seed)) ++done;
    }
  }

  static std::optional<Rewritten> all(Module& module, const Base& base, const Operator& op, uint64_t seed) {
    return rewrite_all(module, base.subject, "mutant", seed, op.apply);
  }

  template <class Write>
  static std::optional<Made> made(const Base& base, const Write& write) {
    Module module = base.module;
    std::optional<Rewritten> what = write(module);
    if (!what) return std::nullopt;
    module.checks = {Check{what->program, base.reference, Location::here()}};
    return Made{std::move(module), what->program, *what};
  }

  bool judged(size_t o, const Base& base, const Judge& judge, const std::optional<Made>& mutant, uint64_t seed) {
    if (!mutant) return false;
    Count& count = outcome_.table[o];
    Truth truth = judge.judge(mutant->module, mutant->program);
    if (truth == Truth::unknown) {
      ++count.unknown;
      return false;
    }
    const Answer answer = checker_(mutant->module, mutant->module.checks[0]);
    if (truth == Truth::same && answer.verdict == verify::Verdict::not_equal) {
      truth = judge.judge_on_more(mutant->module, mutant->program);
    }
    ++count.made;
    add(count, truth, answer);
    const std::string what = count.name + " in " + base.name + ": " + mutant->what.where + ": " + mutant->what.did;
    if (contradicts(truth, answer.verdict) || (count.right && truth != Truth::same)) {
      finding(what + "; it is " + std::string(name(truth)), mutant->module, seed, answer);
    } else if (answer.verdict != verify::Verdict::equal && truth == Truth::same) {
      undecided(what, base, answer, seed);
    }
    return true;
  }

  void undecided(const std::string& what, const Base& base, const Answer& answer, uint64_t seed) {
    const std::string line = what + " (seed " + std::to_string(seed) +
                             "): " + std::string(verify::name(answer.verdict)) + ": " + answer.reason;
    outcome_.undecided.push_back(line);
    if (base.ring_ops) outcome_.unmet.push_back("undecided with ring operations only: " + line);
  }

  /// Both programs, made smaller while the checker and the interpreter still contradict each other.
  void finding(const std::string& what, const Module& module, uint64_t seed, const Answer& answer) {
    const bool shrink = options_.shrink && outcome_.findings.size() < 5;
    const std::string text = shrink ? smallest_contradiction(module, seed, checker_) : text::print(module);
    outcome_.findings.push_back(what + ", the checker says " + std::string(verify::name(answer.verdict)) + " (seed " +
                                std::to_string(seed) + ")\n" + text);
  }

  void require(bool holds, const std::string& text) {
    if (!holds) outcome_.unmet.push_back(text);
  }

  void require_numbers() {
    for (const Count& count : outcome_.table) {
      require(count.made >= options_.per_operator, count.name + ": " + std::to_string(count.made) +
                                                       " programs, expected " + std::to_string(options_.per_operator));
    }
    const Count mutants = outcome_.total(false), rewrites = outcome_.total(true);
    require(10 * mutants.wrong >= 6 * mutants.made, "fewer than 60 % of the mutants are WRONG");
    const uint32_t allowed = std::max<uint32_t>(2, (mutants.same + rewrites.same) / 50);  // small runs: two
    require(mutants.undecided + rewrites.undecided <= allowed, "more than 2 % of the SAME programs are undecided");
  }

  const SuiteOptions options_;
  const Checker& checker_;
  const std::vector<Operator> operators_ = all_operators();
  std::vector<std::vector<size_t>> homes_ =
      std::vector<std::vector<size_t>>(operators_.size());  ///< per operator: kinds of bases where it applied
  Outcome outcome_;
};

}  // namespace

Count Outcome::total(bool right) const {
  Count sum{right ? "right rewrites" : "mutants", right};
  for (const Count& count : table) {
    if (count.right == right) add(sum, count);
  }
  return sum;
}

bool contradicts(Truth truth, verify::Verdict verdict) {
  const bool bad = truth == Truth::wrong || truth == Truth::does_not_run;
  if (bad) return verdict != verify::Verdict::not_equal;
  return truth == Truth::same && verdict == verify::Verdict::not_equal;
}

void add(Count& sum, const Count& more) {
  for (const auto member : {&Count::made, &Count::wrong, &Count::same, &Count::unknown, &Count::caught, &Count::missed,
                            &Count::false_alarms, &Count::undecided, &Count::by_states, &Count::by_running}) {
    sum.*member += more.*member;
  }
}

std::string smallest_contradiction(const Module& module, uint64_t seed, const Checker& checker) {
  return testing::shrink(module, [&](const Module& smaller) {
    if (smaller.checks.size() != 1) return false;
    const Judge judge(smaller, smaller.checks[0].right, seed);
    const Truth truth = judge.usable() ? judge.judge(smaller, smaller.checks[0].left) : Truth::unknown;
    return contradicts(truth, checker(smaller, smaller.checks[0]).verdict);
  });
}

void add(Count& count, Truth truth, const Answer& answer) {
  const bool bad = truth != Truth::same, alarm = answer.verdict == verify::Verdict::not_equal;
  ++(bad ? count.wrong : count.same);
  if (bad) {
    ++(alarm ? count.caught : count.missed);
    count.by_states += answer.state_errors ? 1 : 0;
    count.by_running += truth == Truth::does_not_run || answer.failed ? 1 : 0;
  } else {
    count.false_alarms += alarm ? 1 : 0;
    count.undecided += !alarm && answer.verdict != verify::Verdict::equal ? 1 : 0;
  }
}

Checker isoshard_checker(uint64_t seed, bool diagnosis) {
  return [seed, diagnosis](const Module& module, const Check& check) {
    verify::CheckOptions options;
    options.seed = seed;
    options.workers = 1;
    options.diagnosis = diagnosis;
    const verify::CheckReport report = verify::check(module, check, options);
    if (!report.bad_input.empty()) throw std::runtime_error(report.bad_input[0].message);
    Answer answer{report.equivalence, !report.state_errors.empty(), report.failure.has_value(), report.reason.text};
    if (answer.failed) answer.verdict = verify::Verdict::not_equal;
    return answer;
  };
}

Outcome run_suite(const SuiteOptions& options, const Checker& checker) { return Suite(options, checker).run(); }

}  // namespace isoshard::mutation

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/mutation/operators/operators.h"
#include "tests/mutation/truth.h"
#include "verify/report/report.h"

namespace isoshard::mutation {

/// What a checker says about the only check of a module.
struct Answer {
  verify::Verdict verdict = verify::Verdict::undecided;
  bool state_errors = false;  ///< it also rejects the states
  bool failed = false;        ///< a program did not run to its end
  std::string reason{};       ///< of `undecided`
};

using Checker = std::function<Answer(const Module&, const Check&)>;

/// isoshard's checker, on one worker, with or without looking for causes.
Checker isoshard_checker(uint64_t seed, bool diagnosis = true);

/// Whether that must not be: a WRONG program that is not NOT EQUAL, or a SAME one that is.
bool contradicts(Truth truth, verify::Verdict verdict);

/// The text of a module with one check, made smaller while the checker and the interpreter still contradict each other
/// about it.
std::string smallest_contradiction(const Module& module, uint64_t seed, const Checker& checker);

/// One line of the table.
struct Count {
  std::string name;
  bool right = false;
  uint32_t made = 0, wrong = 0, same = 0, unknown = 0;
  uint32_t caught = 0;        ///< WRONG and NOT EQUAL
  uint32_t missed = 0;        ///< WRONG and anything else
  uint32_t false_alarms = 0;  ///< SAME and NOT EQUAL
  uint32_t undecided = 0;     ///< SAME and neither EQUAL nor NOT EQUAL
  uint32_t by_states = 0;     ///< WRONG, and the states are rejected, too
  uint32_t by_running = 0;    ///< WRONG, and does not run to its end
};

/// Counts what the checker says of a program that is not unknown; not that it was made.
void add(Count& count, Truth truth, const Answer& answer);
/// Adds the numbers of `more`.
void add(Count& sum, const Count& more);

struct SuiteOptions {
  uint64_t seed = 1;
  uint32_t per_operator = 120;  ///< programs to make with each operator
  uint32_t max_bases = 6000;    ///< base programs at most
  uint32_t max_findings = 20;   ///< the suite stops there
  bool shrink = true;           ///< make the programs of findings smaller
};

/// What the suite found.
struct Outcome {
  std::vector<Count> table;            ///< per operator
  std::vector<std::string> findings;   ///< missed mutants and false alarms, with both programs: each fails the suite
  std::vector<std::string> undecided;  ///< SAME programs that were not decided, with the reason: the missing law
  std::vector<std::string> unmet;      ///< requirements on the numbers that do not hold: each fails the suite
  uint32_t bases = 0;

  bool ok() const { return findings.empty() && unmet.empty(); }
  Count total(bool right) const;
};

/// Makes mutants and right rewrites of base programs, asks the interpreter of the tests what they are and `checker`
/// what it says.
///
/// Required: every WRONG program is NOT EQUAL; no SAME one is; right rewrites are SAME; at most 2 % of the SAME ones
/// are undecided, none where both programs hold ring operations only; at least 60 % of the mutants are WRONG, and each
/// operator has its number of programs.
Outcome run_suite(const SuiteOptions& options, const Checker& checker);

/// The table as Markdown: one row per operator, the totals, and what the numbers say about unseen programs.
std::string to_table(const Outcome& outcome, const SuiteOptions& options);

}  // namespace isoshard::mutation

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/mutation/suite.h"

/// Programs with integers, masks, routing, caches and the like, and the mistakes that people make in them.
namespace isoshard::mutation {

struct FamilyOptions {
  uint64_t seed = 1;
  uint32_t per_family = 150;   ///< mistakes to make in each family
  uint32_t max_findings = 20;  ///< the run stops there
};

/// How often the checker gave each verdict.
struct Verdicts {
  std::array<uint32_t, 5> counts{};  ///< by verify::Verdict

  uint32_t of(verify::Verdict verdict) const { return counts[static_cast<size_t>(verdict)]; }
  uint32_t sum() const;
};

/// One line of the table.
struct FamilyCount {
  Verdicts right;        ///< of right pairs, which are SAME
  Verdicts wrong, same;  ///< of pairs with a mistake, by what the interpreter says of them
  uint32_t all = 0;      ///< of these, judged on all values of their integers
  uint32_t unknown = 0;  ///< not judged, and not among the others
  uint32_t made() const { return wrong.sum() + same.sum(); }
};

struct FamilyOutcome {
  std::map<std::string, FamilyCount> table;   ///< by family
  std::vector<std::string> findings;          ///< what must not be, with both programs: each fails the suite
  std::map<std::string, uint32_t> undecided;  ///< how often, by template, truth, verdict and reason
};

/// Draws pairs of tests/mutation/families in turn, asks the interpreter of the tests what they are, on all values of
/// their integers where these are few, and `checker` what it says, until each family has its number of mistakes.
///
/// Required: no WRONG pair is EQUAL, no SAME one NOT EQUAL; right pairs are SAME; each family has its number of
/// mistakes.
FamilyOutcome run_families(const FamilyOptions& options, const Checker& checker);

/// The numbers as Markdown.
std::string to_table(const FamilyOutcome& outcome, const FamilyOptions& options);

}  // namespace isoshard::mutation

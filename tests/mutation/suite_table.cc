#include <cstdio>

#include "tests/mutation/suite.h"

namespace isoshard::mutation {
namespace {

std::string row(const Count& c, const std::string& name) {
  char line[256];
  std::snprintf(line, sizeof line, "| %-22s | %5u | %5u | %5u | %6u | %6u | %12u | %9u | %9u | %10u |\n", name.c_str(),
                c.made, c.wrong, c.same, c.caught, c.missed, c.false_alarms, c.undecided, c.by_states, c.by_running);
  return line;
}

/// With 0 of n seen, the true rate is below 3/n at 95 %.
std::string seen(const char* what, uint32_t count, uint32_t of) {
  char line[160];
  if (count == 0 && of > 0) {
    std::snprintf(line, sizeof line, "%s: 0 of %u, < %.2g %% at 95 %%\n", what, of, 300.0 / of);
  } else {
    std::snprintf(line, sizeof line, "%s: %u of %u\n", what, count, of);
  }
  return line;
}

}  // namespace

std::string to_table(const Outcome& outcome, const SuiteOptions& options) {
  std::string text =
      "| operator               |  made | WRONG |  SAME | caught | missed | false alarms | undecided | by states | by "
      "running |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const bool right : {true, false}) {
    for (const Count& count : outcome.table) {
      if (count.right == right) text += row(count, count.name);
    }
    const Count total = outcome.total(right);
    text += row(total, "**" + total.name + "**");
  }
  const Count rewrites = outcome.total(true), mutants = outcome.total(false);
  const uint32_t same = rewrites.same + mutants.same;
  text += "\n* " + seen("missed", mutants.missed + rewrites.missed, mutants.wrong + rewrites.wrong);
  text += "* " + seen("false alarms", mutants.false_alarms + rewrites.false_alarms, same);
  text += "* " + seen("undecided", mutants.undecided + rewrites.undecided, same);
  text += "* " + std::to_string(outcome.bases) + " base programs, seed " + std::to_string(options.seed) + ", " +
          std::to_string(mutants.unknown + rewrites.unknown) + " programs not judged (ties on every input)\n";
  return text;
}

}  // namespace isoshard::mutation

#include "verify/race/decide_races.h"

#include <utility>

#include "core/plan/memory/plan_memory.h"
#include "verify/race/race_verdict.h"

namespace isoshard::verify {

RaceReport decide_races(Plan plan) {
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::tokens);
  if (!memory) return {RaceOutcome::undecided, memory.error()};
  const Result<RaceVerdict> verdict = race_verdict(plan, *memory);
  if (!verdict) return {RaceOutcome::undecided, verdict.error()};
  if (!verdict->race) return {};
  return {RaceOutcome::race, to_diagnostic(plan, *verdict->race)};
}

std::string RaceReport::words() const {
  constexpr const char* kWords[] = {"none", "found", "not decided"};
  return kWords[static_cast<size_t>(outcome)];
}

}  // namespace isoshard::verify

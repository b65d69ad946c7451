// A race in words: who uses which bytes for which value, in which iterations, and what is missing.
#include "verify/race/race.h"

namespace isoshard::verify {
namespace {

std::string value_text(const Plan& plan, PlanValueId id) {
  std::string text("%");
  return text += plan.value(id).name();
}

/// `#7 add (iteration 2)`.
std::string run_text(const Plan& plan, const RaceAccess& use) {
  if (!use.instruction.valid()) return "the end";
  std::string text("#");
  text += std::to_string(use.instruction.index());
  text += " ";
  text += plan.instruction(use.instruction).op();
  if (use.iterations.empty()) return text;
  text += " (iteration ";
  for (size_t i = 0; i < use.iterations.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(use.iterations[i]);
  return text += ")";
}

std::string use_text(const Plan& plan, const RaceAccess& use) {
  return run_text(plan, use) + (use.writes ? " writes " : " reads ") + value_text(plan, use.value);
}

std::string where_text(const Plan& plan, const Race& race) {
  std::string text = "bytes " + std::to_string(race.begin) + " to " + std::to_string(race.end - 1);
  if (plan.groups.size() > 1) text += " of group " + plan.groups[race.group].name;
  return text;
}

std::string why_text(const Plan& plan, const Race& race) {
  const std::string second = use_text(plan, race.second), first = use_text(plan, race.first);
  if (race.kind == Race::Kind::overwritten) {
    return second + " from " + where_text(plan, race) + ", where " + value_text(plan, race.first.value) +
           " is, which " + run_text(plan, race.first) + " wrote; give the two values bytes of their own";
  }
  std::string text = second + " while " + first + ", in " + where_text(plan, race);
  if (!race.missing) return text += "; give the two values bytes of their own";
  text += "; #" + std::to_string(race.second.instruction.index()) + " has to wait for #" +
          std::to_string(race.missing->instruction.index());
  return text += race.missing->previous ? " of the iteration before" : "";
}

}  // namespace

Diagnostic to_diagnostic(const Plan& plan, const Race& race) {
  const auto location = [&](const RaceAccess& use) {
    return use.instruction.valid() ? plan.instruction(use.instruction).location() : Location();
  };
  Diagnostic diagnostic{Severity::error, "L-race", location(race.second), why_text(plan, race), {}};
  diagnostic.note(location(race.first), use_text(plan, race.first));
  return diagnostic;
}

}  // namespace isoshard::verify

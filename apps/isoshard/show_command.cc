#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "core/plan/lower.h"
#include "core/plan/plan_text.h"
#include "core/text/text.h"

namespace isoshard::app {
namespace {

std::string plans(const Module& module, const Settings& settings) {
  std::string out;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const Program& program = module.programs[i];
    if (program.kind() != ProgramKind::program) continue;
    if (!settings.program.empty() && settings.program != program.name() && settings.program != "@" + program.name()) {
      continue;
    }
    if (!out.empty()) out += "\n";
    out += print(lower(module, ProgramId(i)));
  }
  return out;
}

}  // namespace

int run_show(const Settings& settings) {
  const std::optional<Module> module = load(settings.inputs[0], settings);
  if (!module) return kBadInput;
  if (!settings.program.empty() && !choose_program(*module, settings.inputs[0], settings)) return kBadInput;
  const std::string out =
      settings.plan ? plans(*module, settings) : text::print(*module, text::PrintOptions{settings.types});
  if (settings.types) {
    for (size_t i = 0; i < module->programs.size(); ++i) {
      print_diagnostics(module->programs[i].state_errors(), settings.color);
    }
  }
  return write_out(out) ? kHolds : kBadInput;
}

}  // namespace isoshard::app

#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "core/plan/lower.h"
#include "core/plan/plan_text.h"
#include "core/text/text.h"

namespace isoshard::app {
namespace {

/// The plan of `only`, or of every program.
std::string plans(const Module& module, std::optional<ProgramId> only) {
  std::string out;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const bool wanted = only ? *only == ProgramId(i) : module.programs[i].kind() == ProgramKind::program;
    if (!wanted) continue;
    if (!out.empty()) out += "\n";
    out += print(lower(module, ProgramId(i)));
  }
  return out;
}

}  // namespace

int run_show(const Settings& settings) {
  const std::optional<Module> module = load(settings.inputs[0], settings);
  if (!module) return kBadInput;
  std::optional<ProgramId> only;
  if (!settings.program.empty()) {
    only = choose_program(*module, settings.inputs[0], settings);
    if (!only) return kBadInput;
  }
  const text::PrintOptions options{settings.types};
  const std::string out = settings.plan ? plans(*module, only)
                          : only        ? text::print(*module, *only, options)
                                        : text::print(*module, options);
  if (settings.types && only) print_diagnostics(module->state_errors(*only), settings.color);
  for (size_t i = 0; settings.types && !only && i < module->programs.size(); ++i) {
    print_diagnostics(module->programs[i].state_errors(), settings.color);
  }
  return write_out(out) ? kHolds : kBadInput;
}

}  // namespace isoshard::app

#include <nlohmann/json.hpp>

#include "command_line/commands/show_pictures.h"
#include "command_line/json_output.h"
#include "command_line/load_plan.h"
#include "command_line/terminal.h"
#include "core/plan/passes/lower.h"
#include "core/text/plan/plan_text.h"
#include "core/text/print/json_fields.h"
#include "core/text/print/json_write.h"
#include "core/text/print/plan_json.h"
#include "core/text/text.h"
#include "library/load/load.h"

namespace isoshard::command_line {
namespace {

/// The plan of `only`, or of every program.
std::vector<Plan> plans(const Module& module, std::optional<ProgramId> only) {
  std::vector<Plan> result;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const bool wanted = only ? *only == ProgramId(i) : module.programs[i].kind() == ProgramKind::program;
    if (wanted) result.push_back(lower(module, ProgramId(i)));
  }
  return result;
}

std::string plans_text(const std::vector<Plan>& plans, bool functions) {
  std::string out;
  for (const Plan& plan : plans) out += (out.empty() ? "" : "\n") + print(plan, PlanPrintOptions{functions});
  return out;
}

std::string plans_json(const std::vector<Plan>& plans) {
  Json json = json_envelope(kHolds);
  json["plans"] = Json::array();
  for (const Plan& plan : plans) json["plans"].push_back(plan_to_json(plan));
  return text::json_to_text(json);
}

/// A Plan file: as it is, as its text or JSON.
int show_plan(const Settings& settings) {
  DiagnosticSink sink;
  if (settings.types) sink.error("", {}, "--types: a Plan has no states, and all types of values; leave --types out");
  std::optional<text::PlanFile> file;
  if (!settings.types) file = load_plan(settings.inputs[0], settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  Json json = json_envelope(file ? kHolds : kBadInput);
  if (file) {
    json["plans"] = Json::array({plan_to_json(file->plan)});
  } else {
    json["diagnostics"] = to_json(sink.diagnostics());
  }
  const std::string out = settings.json ? text::json_to_text(json) : file ? print(*file, {!settings.inline_calls}) : "";
  return write_to(file ? settings.output : "", out) && file ? kHolds : kBadInput;
}

std::string show_answer(const Module& module, std::optional<ProgramId> only, const Settings& settings) {
  if (settings.plan && settings.json) return plans_json(plans(module, only));
  if (settings.plan) return plans_text(plans(module, only), !settings.inline_calls);
  if (settings.json) return only ? text::print_json(module, *only) : text::print_json(module);
  const text::PrintOptions options{settings.types};
  return only ? text::print(module, *only, options) : text::print(module, options);
}

}  // namespace

int run_show(const Settings& settings) {
  if (settings.html || settings.svg || settings.grid) return show_pictures(settings);
  if (library::is_plan(settings.inputs[0])) return show_plan(settings);
  DiagnosticSink sink;
  const std::optional<Module> module = library::load(settings.inputs[0], settings, sink);
  std::optional<ProgramId> only;
  if (module && !settings.program.empty()) only = library::choose_program(*module, settings.inputs[0], settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  if (sink.has_errors()) {
    Json json = json_envelope(kBadInput);
    json["diagnostics"] = to_json(sink.diagnostics());
    if (settings.json) write_out(text::json_to_text(json));
    return kBadInput;
  }
  if (settings.types && only) print_diagnostics(module->state_errors(*only), settings.color);
  for (size_t i = 0; settings.types && !only && i < module->programs.size(); ++i) {
    print_diagnostics(module->programs[i].state_errors(), settings.color);
  }
  return write_to(settings.output, show_answer(*module, only, settings)) ? kHolds : kBadInput;
}

}  // namespace isoshard::command_line

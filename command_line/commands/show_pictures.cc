#include "command_line/commands/show_pictures.h"

#include <unistd.h>

#include "command_line/load_plan.h"
#include "command_line/terminal.h"
#include "core/plan/passes/lower.h"
#include "library/load/load.h"
#include "pictures/page/page.h"
#include "pictures/svg/plan_svg.h"
#include "pictures/terminal/grid_text.h"

namespace isoshard::command_line {
namespace {

constexpr size_t kMostPrograms = 16;

/// What is shown: a Plan of a file, or programs of a module.
struct Shown {
  std::optional<text::PlanFile> file;
  std::optional<Module> module;
  std::vector<ProgramId> programs;
};

/// The programs of a module, or the one that --program names.
std::vector<ProgramId> programs_of(const Module& module, const Settings& settings, DiagnosticSink& sink) {
  if (!settings.program.empty()) {
    const auto only = library::choose_program(module, settings.inputs[0], settings, sink);
    return only ? std::vector{*only} : std::vector<ProgramId>();
  }
  std::vector<ProgramId> programs;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    if (module.programs[i].kind() == ProgramKind::program) programs.push_back(ProgramId(i));
  }
  return programs;
}

Shown load_shown(const Settings& settings, DiagnosticSink& sink) {
  Shown shown;
  if (library::is_plan(settings.inputs[0])) {
    shown.file = load_plan(settings.inputs[0], settings, sink);
    return shown;
  }
  shown.module = library::load(settings.inputs[0], settings, sink);
  if (shown.module) shown.programs = programs_of(*shown.module, settings, sink);
  return shown;
}

std::string page_of(const Shown& shown, const Settings& settings) {
  pictures::Page page(settings.inputs[0]);
  if (shown.file) page.add(shown.file->plan);
  for (size_t i = 0; i < shown.programs.size() && i < kMostPrograms; ++i) page.add(*shown.module, shown.programs[i]);
  if (shown.programs.size() > kMostPrograms) {
    page.add_cut("Cut: the first " + std::to_string(kMostPrograms) + " of " + std::to_string(shown.programs.size()) +
                 " programs are shown; --program @NAME shows another one");
  }
  return page.html();
}

/// The one Plan of a picture: that of --program, or of the program that is checked.
std::optional<Plan> plan_of(const Shown& shown, const Settings& settings, DiagnosticSink& sink) {
  if (shown.file) return shown.file->plan;
  const auto program = library::choose_program(*shown.module, settings.inputs[0], settings, sink);
  return program ? std::optional(lower(*shown.module, *program)) : std::nullopt;
}

/// The grids of a Plan, as text or a picture; nothing, and an error, where it has none.
std::optional<std::string> grids_of(const Plan& plan, const Settings& settings, DiagnosticSink& sink) {
  const bool to_file = !settings.output.empty();
  const bool colour = to_file ? settings.color == "always" : use_colour(settings.color, STDOUT_FILENO);
  std::string text;
  std::vector<pictures::Picture> drawn;
  for (const pictures::PipelineGrid& grid : pictures::pipeline_grids(plan)) {
    text += (text.empty() ? "" : "\n") + pictures::grid_text(grid, colour, to_file ? 0 : terminal_width());
    if (settings.svg) drawn.push_back(pictures::draw(grid));
  }
  if (!text.empty()) return settings.svg ? pictures::pictures_svg("Pipelines of @" + plan.program, drawn) : text;
  sink.error("", {},
             "--grid: @" + plan.program +
                 " has no `pipeline`, whose schedule would be shown; `show --svg` and `show --html` draw queues of any "
                 "program");
  return std::nullopt;
}

std::optional<std::string> picture_of(const Shown& shown, const Settings& settings, DiagnosticSink& sink) {
  if (settings.html) return page_of(shown, settings);
  const std::optional<Plan> plan = plan_of(shown, settings, sink);
  if (!plan) return std::nullopt;
  return settings.grid ? grids_of(*plan, settings, sink) : pictures::plan_svg(*plan);
}

}  // namespace

int show_pictures(const Settings& settings) {
  DiagnosticSink sink;
  const Shown shown = load_shown(settings, sink);
  std::optional<std::string> picture;
  if (!sink.has_errors()) picture = picture_of(shown, settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  return picture && write_to(settings.output, *picture) ? kHolds : kBadInput;
}

}  // namespace isoshard::command_line

// A Plan is for one mesh and one program: options that choose these are errors, not ignored.
#include "command_line/load_plan.h"

#include <utility>

#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::command_line {

std::optional<text::PlanFile> load_plan(const std::string& path, const Settings& settings, DiagnosticSink& sink) {
  const std::pair<const char*, bool> refused[] = {
      {"--mesh", !settings.mesh.empty()}, {"--devices", settings.devices.has_value()},
      {"--set", !settings.set.empty()},   {"--program", !settings.program.empty()},
      {"--init", settings.init},          {"--key", settings.key.has_value()}};
  for (const auto& [option, given] : refused) {
    if (!given) continue;
    sink.error("", {},
               std::string(option) + ": " + path + " is a Plan, which is for one mesh and one program; leave " +
                   option + " out");
    return std::nullopt;
  }
  const Result<std::shared_ptr<const SourceFile>> source = text::read_source(path);
  if (source) return text::read_plan(*source, sink);
  sink.add(source.error());
  return std::nullopt;
}

}  // namespace isoshard::command_line

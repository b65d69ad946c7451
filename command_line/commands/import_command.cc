#include "command_line/settings.h"
#include "command_line/terminal.h"
#include "core/text/text.h"
#include "library/load/load.h"

namespace isoshard::command_line {
namespace {

std::optional<Module> load_texts(const Settings& settings, DiagnosticSink& sink) {
  for (const std::string& input : settings.inputs) {
    if (library::is_stablehlo(input, settings)) continue;
    sink.error("M-text", {},
               input + " is no StableHLO text; expected what `jax.jit(f).lower(...).as_text(debug_info=True)` gives");
    return std::nullopt;
  }
  const std::vector<std::string>& inputs = settings.inputs;
  return inputs.size() == 1 ? library::load(inputs[0], settings, sink)
                            : library::load_pair(inputs[0], inputs[1], settings, sink);
}

}  // namespace

int run_import(const Settings& settings) {
  DiagnosticSink sink;
  const std::optional<Module> module = load_texts(settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  if (!module || sink.has_errors()) return kBadInput;
  return write_to(settings.output, text::print(*module, {.names = true})) ? kHolds : kBadInput;
}

}  // namespace isoshard::command_line

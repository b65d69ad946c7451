#include <algorithm>

#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "core/parallel/catalogue.h"
#include "core/text/text.h"

namespace isoshard::app {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string describe(const ModelInfo& model) {
  std::string out = model.name + ": " + model.doc + "\n\naxes (--mesh NAME=SIZE)\n";
  for (const AxisInfo& axis : model.axes) {
    out += "  " + padded(axis.name, 12) + padded(std::to_string(axis.size), 14) + axis.doc + "\n";
  }
  out += "\nsettings (--set NAME=VALUE)\n";
  for (const SettingInfo& setting : model.settings) {
    out += "  " + padded(setting.name, 12) + padded(setting.default_text(), 14) + setting.doc + "\n";
  }
  return out;
}

}  // namespace

int run_models(const Settings& settings) {
  std::string out;
  size_t width = 0;
  for (const ModelInfo& model : catalogue()) width = std::max(width, model.name.size() + 2);
  for (const ModelInfo& model : catalogue()) {
    if (settings.inputs.empty()) {
      out += padded(model.name, width) + model.doc + "\n";
    } else if (model.name == settings.inputs[0]) {
      out = describe(model);
    }
  }
  if (out.empty()) {
    std::vector<std::string> names;
    for (const ModelInfo& model : catalogue()) names.push_back(model.name);
    const std::string close = closest_name(settings.inputs[0], names);
    print_error("no model is called " + settings.inputs[0] +
                (close.empty() ? "; `isoshard models` lists them" : "; did you mean " + close + "?"));
    return kBadInput;
  }
  return write_out(out) ? kHolds : kBadInput;
}

int run_make(const Settings& settings) {
  DiagnosticSink sink;
  const std::optional<Module> module = load(settings.inputs[0], settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  if (!module) return kBadInput;
  return write_out(text::print(*module)) ? kHolds : kBadInput;
}

}  // namespace isoshard::app

#include <algorithm>

#include "catalogue/catalogue.h"
#include "command_line/help_format.h"
#include "command_line/settings.h"
#include "command_line/terminal.h"
#include "core/text/text.h"
#include "library/load/load.h"
#include "parallel/training/init_program.h"

namespace isoshard::command_line {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

/// The widest of the names, and two blanks.
template <class Item>
size_t column(const std::vector<Item>& items) {
  size_t width = 0;
  for (const Item& item : items) width = std::max(width, item.name.size() + 2);
  return width;
}

std::string describe_model(const ModelInfo& model) {
  const size_t width = std::max(column(model.axes), column(model.settings));
  std::string out = model.name + ": " + model.doc + "\n\naxes (--mesh NAME=SIZE)\n";
  for (const AxisInfo& axis : model.axes) {
    out += "  " + padded(axis.name, width) + padded(std::to_string(axis.size), 14) + "  " + axis.doc + "\n";
  }
  out += "\nsettings (--set NAME=VALUE)\n";
  for (const SettingInfo& setting : model.settings) {
    out += "  " + padded(setting.name, width) + padded(setting.default_text(), 14) + "  " + setting.doc + "\n";
  }
  return out;
}

/// The layouts in which the program reads a global, in order and each once: `[stack model, -, -]`.
std::string layouts_of(const Program& program, GlobalId global) {
  std::vector<std::string> seen;
  for (const OpId id : program.body().ops) {
    const auto* view = std::get_if<View>(&program.op(id).data);
    if (view == nullptr || view->global != global) continue;
    std::string layout = to_string(view->layout, program.mesh());
    if (std::find(seen.begin(), seen.end(), layout) == seen.end()) seen.push_back(std::move(layout));
  }
  std::string text;
  for (const std::string& layout : seen) text += (text.empty() ? "" : " and ") + layout;
  return text;
}

std::string array_line(const std::string& name, const TensorType& type, const std::string& role,
                       const std::string& layout) {
  return "  " + padded(name, 38) + " " + padded(to_string(type), 16) + " " + padded(role, 6) + " " + layout + "\n";
}

/// The arrays that `sim` reads and writes, by the names they have in its archives.
std::string describe_arrays(const Module& module) {
  const Program& program = module.program(module.checks.front().left);
  std::string axes;
  for (const MeshAxis& axis : program.mesh().axes()) axes += " " + axis.name + "=" + std::to_string(axis.size);
  std::string out = "\narrays of @" + program.name() + " with" + axes + ": read (sim --inputs)\n";
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const Global& global = module.globals[i];
    const std::string layouts = layouts_of(program, GlobalId(i));
    if (!layouts.empty()) out += array_line(global.name, global.type, std::string(name(global.role)), layouts);
  }
  out += "written (sim --outputs)\n";
  for (const Output& output : program.outputs()) {
    std::string layouts;
    for (const ReturnPart& part : output.parts) {
      layouts += (layouts.empty() ? "" : " and ") + to_string(part.layout, program.mesh());
    }
    out += array_line(output.name, output.type, "", layouts);
  }
  if (find_init_program(module, module.checks.front().left)) {
    out += "`sim " + program.name() + " --init --key K` draws the params, with / for . in their names\n";
  }
  return out;
}

}  // namespace

int run_models(const Settings& settings) {
  std::string out;
  DiagnosticSink sink;
  const size_t width = column(catalogue());
  for (const ModelInfo& model : catalogue()) {
    if (settings.inputs.empty()) {
      out += list_entry(model.name, width, model.doc);
    } else if (model.name == settings.inputs[0]) {
      const std::optional<Module> module = library::load_model(model.name, settings, sink);
      print_diagnostics(sink.diagnostics(), settings.color);
      if (!module) return kBadInput;
      out = describe_model(model) + describe_arrays(*module);
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
  const std::optional<Module> module = library::load(settings.inputs[0], settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  if (!module) return kBadInput;
  return write_out(text::print(*module)) ? kHolds : kBadInput;
}

}  // namespace isoshard::command_line

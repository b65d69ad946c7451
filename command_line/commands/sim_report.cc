// What `sim` tells of a run, for people and as JSON: per output its type, mean and largest magnitude, and a table of
// scalars per step. The numbers themselves go into the archive; JSON has them while an array is small. NaN and
// infinities are words there, since JSON has no such numbers, and keys are integers, because a double would lose some
// of their 64 bits. Cost: one pass over the outputs. Columns of the table are right-aligned and as wide as their widest
// cell; scalars that the table tells are not told again below it.
#include "command_line/commands/sim_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command_line/json_output.h"
#include "core/support/byte_size.h"
#include "core/text/print/json_fields.h"
#include "library/load/arrays.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::command_line {
namespace {

/// What is told of an array: the numbers themselves go into the archive.
struct Summary {
  double mean = 0, largest = 0;
  bool finite = true;
};

Summary summarise(const Tensor& tensor) {
  Summary result;
  double sum = 0;
  for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i) {
    const double x = sim::number_at(tensor, i);
    result.finite = result.finite && std::isfinite(x);
    sum += x;
    result.largest = std::max(result.largest, std::fabs(x));
  }
  if (tensor.size() != 0) result.mean = sum / static_cast<double>(tensor.size());
  return result;
}

/// `  @y  f32[24,840]  mean 0.0123  largest 4.56` for people.
std::string summary_line(const std::string& name, const Tensor& tensor) {
  const Summary summary = summarise(tensor);
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "mean %.6g  largest %.6g", summary.mean, summary.largest);
  std::string line = "  @" + name + "  " + to_string(tensor.dtype(), tensor.shape()) + "  ";
  return line + (summary.finite ? numbers : "contains inf or nan") + "\n";
}

/// JSON has no inf and nan: they are strings there.
Json number_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

/// Type and summary of an array, and its elements in row-major order while they are few.
Json array_json(const NamedTensor& array) {
  constexpr int64_t kMostValues = 1000;
  const Tensor& tensor = array.tensor;
  Json json{{"name", array.name}, {"dtype", name(tensor.dtype())}, {"shape", tensor.shape()}};
  const Summary summary = summarise(tensor);
  json["finite"] = summary.finite;
  if (summary.finite) {
    json["mean"] = summary.mean;
    json["largest"] = summary.largest;
  }
  if (tensor.size() > kMostValues) return json;
  json["values"] = Json::array();
  for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i) {
    const bool is_word = tensor.dtype() == DType::key || tensor.dtype() == DType::u64;  // a double has fewer bits
    json["values"].push_back(is_word ? Json(tensor.as<uint64_t>()[i]) : number_json(sim::number_at(tensor, i)));
  }
  return json;
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

/// A row of cells, each right-aligned behind two blanks in a column of that width.
std::string row(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += "  " + std::string(widths[i] - std::min(widths[i], cells[i].size()), ' ') + cells[i];
  }
  return line + "\n";
}

/// One line for each step below the names.
std::string history_table(const History& history) {
  std::vector<std::vector<std::string>> rows{{"step"}};
  rows[0].insert(rows[0].end(), history.names.begin(), history.names.end());
  for (size_t i = 0; i < history.steps.size(); ++i) {
    rows.push_back({std::to_string(i + 1)});
    for (const double number : history.steps[i]) rows.back().push_back(number_text(number));
  }
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& cells : rows) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : rows) text += row(cells, widths);
  return text;
}

Json history_to_json(const History& history) {
  Json json = Json::array();
  for (size_t i = 0; i < history.steps.size(); ++i) {
    Json step{{"step", i + 1}};
    for (size_t k = 0; k < history.names.size(); ++k) step[history.names[k]] = number_json(history.steps[i][k]);
    json.push_back(std::move(step));
  }
  return json;
}

}  // namespace

std::string History::last() const {
  std::string text;
  for (size_t i = 0; !steps.empty() && i < names.size(); ++i)
    text += ", " + names[i] + " " + number_text(steps.back()[i]);
  return text;
}

std::vector<size_t> told_scalars(const Plan& plan) {
  std::vector<size_t> scalars;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Output& output = plan.outputs[i];
    const bool is_told = !output.updates.valid() && output.type.shape.empty() && is_float(output.type.dtype);
    if (is_told) scalars.push_back(i);
  }
  return scalars;
}

void report_range(const Global& global, const Tensor& updated, int64_t step, DiagnosticSink& sink) {
  const std::string outside = library::outside_range(global, updated);
  if (outside.empty()) return;
  sink.warning("I-range", global.location,
               "updated @" + global.name + " has " + outside + " after step " + std::to_string(step) +
                   "; expected integers in " + global.range->to_string() + " at the start of every step");
}

std::string devices_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " device" : " virtual devices");
}

std::string describe_outputs(const History& history, const std::vector<NamedTensor>& arrays) {
  std::string text = history.names.empty() ? "" : history_table(history);
  const std::vector<std::string>& told = history.names;
  for (const NamedTensor& array : arrays) {
    if (std::find(told.begin(), told.end(), array.name) == told.end()) text += summary_line(array.name, array.tensor);
  }
  return text;
}

std::string describe(const Simulated& run) {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ms", run.seconds * 1e3);
  std::string text = "@" + run.program + " on " + devices_text(run.devices) + ", domain " + run.domain + ", " +
                     (run.steps > 1 ? std::to_string(run.steps) + " steps, " : "") + time + "\n";
  if (run.arenas)
    text += "computed in planned buffers, " + binary_size(static_cast<double>(*run.arenas)) + " of all devices\n";
  return text + describe_outputs(run.history, run.arrays);
}

/// The same as JSON; without `run` there are only diagnostics.
std::string describe_json(const std::optional<Simulated>& run, const Settings& settings, int code,
                          const DiagnosticSink& sink) {
  Json json = json_envelope(code);
  json["input"] = settings.inputs[0];
  if (run) {
    json["program"] = run->program;
    json["devices"] = run->devices;
    json["domain"] = run->domain;
    json["steps"] = run->steps;
    json["seed"] = settings.seed;
    json["seconds"] = run->seconds;
    if (run->arenas) json["arena_bytes"] = *run->arenas;
    if (!run->history.names.empty()) json["history"] = history_to_json(run->history);
    json["outputs"] = Json::array();
    for (const NamedTensor& array : run->arrays) json["outputs"].push_back(array_json(array));
  }
  if (!sink.diagnostics().empty()) json["diagnostics"] = to_json(sink.diagnostics());
  return text::json_to_text(json);
}

}  // namespace isoshard::command_line

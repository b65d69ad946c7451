#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line/settings.h"
#include "core/plan/plan.h"
#include "core/value/npz.h"

namespace isoshard::command_line {

/// The float scalars that a program returned in every step: loss, accuracy.
struct History {
  std::vector<std::string> names;
  std::vector<std::vector<double>> steps;  ///< one number for each name

  /// `, loss 0.0118, accuracy 1` of the last step.
  std::string last() const;
};

/// The outputs that a history tells: float scalars that are returned.
std::vector<size_t> told_scalars(const Plan& plan);

/// A run that came to its end.
struct Simulated {
  std::string program;
  int64_t devices = 1;
  std::string domain;
  int64_t steps = 1;
  double seconds = 0;
  std::vector<NamedTensor> arrays;
  History history{};                ///< of several steps
  std::optional<int64_t> arenas{};  ///< bytes of all arenas, where it took place in them
};

/// Warns of a global that a step has updated to an integer outside of its range (I-range).
void report_range(const Global& global, const Tensor& updated, int64_t step, DiagnosticSink& sink);

/// `1 device`, `8 virtual devices`.
std::string devices_text(int64_t count);

/// A table of the history, and a line for each array that is not in it.
std::string describe_outputs(const History& history, const std::vector<NamedTensor>& arrays);
/// For people: what ran, a table of the history, and a line for each array that is not in it.
std::string describe(const Simulated& run);
/// The same as JSON; without `run` there are only diagnostics.
std::string describe_json(const std::optional<Simulated>& run, const Settings& settings, int code,
                          const DiagnosticSink& sink);

}  // namespace isoshard::command_line

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "verify/check.h"

namespace isoshard::app {
namespace {

/// Of several results the worst: bad input, does not hold, could not decide, holds.
int worst(int a, int b) {
  for (const int code : {kBadInput, kDoesNotHold, kUndecided}) {
    if (a == code || b == code) return code;
  }
  return kHolds;
}

/// Everything one run of `check` found, over all inputs.
struct Outcome {
  int code = kHolds;
  std::string text;
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
};

void add_report(const verify::CheckReport& report, const std::string& input, const Settings& settings,
                Outcome& outcome) {
  outcome.code = worst(outcome.code, report.exit_code());
  if (settings.json) {
    nlohmann::ordered_json entry{{"input", input}};
    entry.update(nlohmann::ordered_json::parse(verify::to_json(report)));
    outcome.checks.push_back(std::move(entry));
    return;
  }
  if (report.exit_code() == kBadInput) {
    print_diagnostics(report.bad_input, settings.color);
    return;
  }
  if (!outcome.text.empty()) outcome.text += "\n";
  outcome.text += verify::to_text(report, use_colour(settings.color, STDOUT_FILENO));
}

void check_input(const std::string& input, const Settings& settings, Outcome& outcome) {
  const std::optional<Module> module = load(input, settings);
  if (!module) {
    outcome.code = worst(outcome.code, kBadInput);
    return;
  }
  if (module->checks.empty()) {
    print_error(input + " has no `check` line, so nothing was decided; add `check @sharded == @reference`");
    outcome.code = worst(outcome.code, kUndecided);
  }
  verify::CheckOptions options;
  options.seed = settings.seed;
  options.workers = settings.workers;
  for (const Check& claim : module->checks) {
    add_report(verify::check(*module, claim, options), input, settings, outcome);
  }
}

}  // namespace

int run_check(const Settings& settings) {
  Outcome outcome;
  for (const std::string& input : settings.inputs) check_input(input, settings, outcome);
  if (settings.json) {
    const nlohmann::ordered_json all{{"isoshard", 1}, {"exit_code", outcome.code}, {"checks", outcome.checks}};
    outcome.text = all.dump(2) + "\n";
  }
  return write_out(outcome.text) ? outcome.code : kBadInput;
}

}  // namespace isoshard::app

#include "command_line/check_output.h"

#include <unistd.h>

#include <algorithm>

#include "command_line/github.h"
#include "command_line/sarif.h"
#include "command_line/signals.h"
#include "command_line/terminal.h"
#include "command_line/watch.h"
#include "core/support/counted.h"
#include "core/text/print/json_fields.h"

namespace isoshard::command_line {
namespace {

std::string claim_text(const verify::CheckReport& report) {
  return "@" + report.claim.left.name + " == @" + report.claim.right.name;
}

std::string finding_id(verify::Verdict verdict) {
  switch (verdict) {
    case verify::Verdict::equal:
      return "equal";
    case verify::Verdict::not_equal:
      return "not-equal";
    case verify::Verdict::not_refuted:
      return "not-refuted";
    case verify::Verdict::float_differs:
      return "float-differs";
    case verify::Verdict::undecided:
      return "undecided";
    case verify::Verdict::deadlock:
      return "deadlock";
    case verify::Verdict::race:
      return "race";
  }
  return "";
}

}  // namespace

std::vector<Diagnostic> findings_of(const verify::CheckReport& report) {
  std::vector<Diagnostic> result = report.bad_input;
  result.insert(result.end(), report.state_errors.begin(), report.state_errors.end());
  if (!report.bad_input.empty() || report.exit_code() == kHolds) return result;
  const Severity severity = report.exit_code() == kUndecided ? Severity::warning : Severity::error;
  result.push_back({severity,
                    finding_id(report.verdict()),
                    report.claim.location,
                    "check " + claim_text(report) + ": " + report.headline(),
                    {}});
  return result;
}

void CheckOutput::print(const std::string& text) {
  if (!settings_.quiet && written_) written_ = write_out(text);
}

void CheckOutput::add(const verify::CheckReport& report, const std::string& input, const std::string& counterexample) {
  ++checks_;
  code_ = worst(code_, report.exit_code());
  const std::string verdict = report.bad_input.empty() ? std::string(verify::name(report.verdict())) : "bad input";
  const auto known =
      std::find_if(verdicts_.begin(), verdicts_.end(), [&](const auto& v) { return v.first == verdict; });
  if (known == verdicts_.end()) {
    verdicts_.emplace_back(verdict, 1);
  } else {
    ++known->second;
  }
  const std::vector<Diagnostic> found = findings_of(report);
  findings_.insert(findings_.end(), found.begin(), found.end());
  if (settings_.format == "json") {
    Json entry{{"input", input}};
    entry.update(Json::parse(verify::to_json(report)));
    if (!counterexample.empty()) entry["counterexample_file"] = settings_.counterexample;
    reports_.push_back(std::move(entry));
  } else if (settings_.format != "sarif") {
    add_text(report, counterexample);
    if (settings_.format == "github") print(to_github(found));
  }
}

void CheckOutput::add_text(const verify::CheckReport& report, const std::string& counterexample) {
  if (report.exit_code() == kBadInput) return print_diagnostics(report.bad_input, settings_.color);
  print((any_text_ ? "\n" : "") + counterexample +
        verify::to_text(report, use_colour(settings_.color, STDOUT_FILENO), settings_.explain));
  any_text_ = true;
}

/// Programs of one file share funcs, claims share programs: what is said of them is said once.
bool CheckOutput::is_new(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error || !diagnostic.location.known() ||
         seen_.insert({diagnostic.rule, diagnostic.location.to_string()}).second;
}

void CheckOutput::add(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Diagnostic> told;
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool warning = diagnostic.severity == Severity::warning;
    if (!is_new(diagnostic)) continue;
    warnings_ += warning;
    told.push_back(diagnostic);
  }
  diagnostics_.insert(diagnostics_.end(), told.begin(), told.end());
  findings_.insert(findings_.end(), told.begin(), told.end());
  if (settings_.format == "github") return print(to_github(told));
  if (settings_.quiet) std::erase_if(told, [](const Diagnostic& d) { return d.severity != Severity::error; });
  print_diagnostics(told, settings_.color);
}

void CheckOutput::add_interrupted(const std::string& claim, const Location& location, const Watch& watch) {
  interrupted_ = true;
  const std::vector<std::string> known = watch.known();
  const std::string place = location.known() ? "  (" + location.to_string() + ")" : "";
  std::string text = (any_text_ ? "\ncheck " : "check ") + claim + place + "\n";
  for (const std::string& what : known) text += "  known      " + what + "\n";
  text += "INTERRUPTED " + watch.where() + "\n";
  any_text_ = true;
  if (settings_.format == "json") {
    stopped_ = Json{{"check", claim}, {"where", watch.where()}, {"known", known}};
  } else if (settings_.format != "sarif") {
    print(text);
  }
}

/// `2 inputs, 3 checks: 2 EQUAL, 1 NOT EQUAL; 4 warnings`
std::string CheckOutput::summary() const {
  std::string text = counted(inputs_, "input") + ", ";
  if (refused_ > 0) text += std::to_string(refused_) + " of them with errors, ";
  text += counted(checks_, "check");
  for (size_t i = 0; i < verdicts_.size(); ++i) {
    text += (i == 0 ? ": " : ", ") + std::to_string(verdicts_[i].second) + " " + verdicts_[i].first;
  }
  if (warnings_ > 0) text += "; " + counted(warnings_, "warning");
  return text + (interrupted_ ? "; interrupted" : "") + "\n";
}

int CheckOutput::finish() {
  const int code = interrupted_ ? kInterrupted : code_;
  if (settings_.format == "json") {
    Json all = json_envelope(code);
    all["checks"] = std::move(reports_);
    if (interrupted_) all["interrupted"] = std::move(stopped_);
    if (!diagnostics_.empty()) all["diagnostics"] = to_json(diagnostics_);
    print(text::json_to_text(all));
  } else if (settings_.format == "sarif") {
    print(to_sarif(findings_));
  } else if (inputs_ > 1) {
    print((any_text_ ? "\n" : "") + summary());
  }
  return written_ ? code : static_cast<int>(kBadInput);
}

}  // namespace isoshard::command_line

#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command_line/json_output.h"
#include "command_line/settings.h"
#include "verify/report/report.h"

namespace isoshard::command_line {

class Watch;

/// What `check` prints, in the form of --format: reports and diagnostics as they come, or one object at the end.
class CheckOutput {
 public:
  /// `settings` must outlive it.
  explicit CheckOutput(const Settings& settings) : settings_(settings) {}

  /// `counterexample`: lines that stand before the report, may be empty.
  void add(const verify::CheckReport& report, const std::string& input, const std::string& counterexample);
  void add(const std::vector<Diagnostic>& diagnostics);
  /// The claim about `left` and `right` was ended by Ctrl-C in the piece of `watch`.
  void add_interrupted(const std::string& claim, const Location& location, const Watch& watch);
  /// The next input, or pair of texts, begins.
  void begin_input() { ++inputs_; }
  /// The current input is bad, or has nothing to decide.
  void refuse_input(int code) {
    ++refused_;
    code_ = worst(code_, code);
  }
  void set_code(int code) { code_ = worst(code_, code); }
  /// Prints what is left, the summary of several inputs among it; the exit code.
  int finish();

 private:
  void print(const std::string& text);
  void add_text(const verify::CheckReport& report, const std::string& counterexample);
  std::string summary() const;
  bool is_new(const Diagnostic& diagnostic);

  const Settings& settings_;
  int code_ = kHolds;
  bool written_ = true, any_text_ = false, interrupted_ = false;
  size_t inputs_ = 0, refused_ = 0, checks_ = 0, warnings_ = 0;
  std::vector<std::pair<std::string, size_t>> verdicts_;  ///< in the order of their first
  Json reports_ = Json::array(), stopped_;
  std::vector<Diagnostic> diagnostics_;                 ///< for JSON
  std::vector<Diagnostic> findings_;                    ///< for SARIF: those and the verdicts that do not hold
  std::set<std::pair<std::string, std::string>> seen_;  ///< rules of warnings and where
};

/// A verdict that does not hold as a finding, called `not-equal`, `undecided` and so on; several for a report with
/// state errors, nothing for one that holds.
std::vector<Diagnostic> findings_of(const verify::CheckReport& report);

}  // namespace isoshard::command_line

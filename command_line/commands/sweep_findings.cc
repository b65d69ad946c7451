// Findings of a sweep. A mistake is mostly found in many rows of the table, at one place; as annotations or results it
// counts once, with the message of the first row, since factors and sizes differ from row to row. Cost: a search among
// the findings so far, which are few.
#include "command_line/commands/sweep_findings.h"

#include <algorithm>

namespace isoshard::command_line {

void SweepFindings::add(const std::string& row, const std::vector<Diagnostic>& found) {
  for (const Diagnostic& diagnostic : found) {
    const auto known = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& finding) {
      return finding.first.rule == diagnostic.rule &&
             finding.first.location.to_string() == diagnostic.location.to_string();
    });
    if (known == findings_.end()) {
      findings_.push_back(Finding{diagnostic, row, row});
    } else if (known->last_row != row) {
      known->last_row = row;
      ++known->rows;
    }
  }
}

std::vector<Diagnostic> SweepFindings::all() const {
  std::vector<Diagnostic> result;
  for (const Finding& finding : findings_) {
    result.push_back(finding.first);
    if (finding.first_row.empty()) continue;
    std::string& message = result.back().message;
    message += " (on " + finding.first_row;
    if (finding.rows > 1) message += " and " + std::to_string(finding.rows - 1) + " more of the sweep";
    message += ")";
  }
  return result;
}

}  // namespace isoshard::command_line

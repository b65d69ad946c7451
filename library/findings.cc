#include "library/findings.h"

namespace isoshard::library {

Finding to_finding(const Diagnostic& diagnostic) {
  Finding finding;
  finding.is_error = diagnostic.severity == Severity::error;
  finding.rule = diagnostic.rule;
  if (diagnostic.location.known()) {
    finding.file = std::string(diagnostic.location.file());
    finding.line = diagnostic.location.line();
    finding.column = diagnostic.location.column();
  }
  finding.message = diagnostic.message;
  finding.text = render(diagnostic);
  return finding;
}

std::vector<Finding> to_findings(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Finding> findings;
  for (const Diagnostic& diagnostic : diagnostics) findings.push_back(to_finding(diagnostic));
  return findings;
}

void throw_errors(const DiagnosticSink& sink) {
  if (sink.has_errors()) throw InputError(to_findings(sink.diagnostics()));
}

}  // namespace isoshard::library

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/location.h"

namespace isoshard {

enum class Severity : uint8_t { error, warning, note };

/// "error", "warning" or "note", as messages, JSON and SARIF have it.
std::string_view name(Severity severity);

/// A remark attached to a diagnostic, usually a second location.
struct Note {
  Location location;
  std::string message;
};

/// One finding about the user's input: subject, actual value, expectation and what to do, under a stable rule id.
///
/// Messages start in lower case and end without a period. Rule ids (`S-add-partial`) are stable, listed in
/// docs/rules.md.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;
  Location location;
  std::string message;
  std::vector<Note> notes;

  Diagnostic& note(Location where, std::string text);
};

/// Collects diagnostics in the order they are found; the library itself never prints.
class DiagnosticSink {
 public:
  /// Adds an error and returns it so that notes can be attached.
  Diagnostic& error(std::string rule, Location location, std::string message);
  Diagnostic& warning(std::string rule, Location location, std::string message);
  void add(Diagnostic diagnostic);

  bool has_errors() const { return errors_ != 0; }
  size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
};

/// `file:line:col: error: message [rule]`, the source line, carets, then notes; ends with a newline.
///
/// With `colour`, ANSI codes mark severity and carets.
std::string render(const Diagnostic& diagnostic, bool colour = false);

/// The name of `names` closest to `word` by edit distance (transpositions count one), or empty when none is close.
///
/// What differs in case only is closest; for a word of one letter nothing else is close.
std::string closest_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace isoshard

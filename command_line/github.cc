#include "command_line/github.h"

#include <string_view>

#include "command_line/paths.h"

namespace isoshard::command_line {
namespace {

/// A message may have no line ends; a property, such as a file, may end at a comma or colon, too.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    if (c == '%') {
      result += "%25";
    } else if (c == '\r') {
      result += "%0D";
    } else if (c == '\n') {
      result += "%0A";
    } else if (property && c == ':') {
      result += "%3A";
    } else if (property && c == ',') {
      result += "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

const char* command_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "::error";
    case Severity::warning:
      return "::warning";
    case Severity::note:
      return "::notice";
  }
  return "";
}

std::string properties(const Diagnostic& diagnostic) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += (text.empty() ? " " : ",") + std::string(name) + "=" + escaped(value, true);
  };
  const Location& at = diagnostic.location;
  if (at.known()) {
    add("file", relative_path(at.file()));
    add("line", std::to_string(at.line()));
    if (at.column() > 0) add("col", std::to_string(at.column()));
    if (at.end_column() > at.column()) add("endColumn", std::to_string(at.end_column() - 1));
  }
  if (!diagnostic.rule.empty()) add("title", diagnostic.rule);
  return text;
}

}  // namespace

std::string to_github(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string message = diagnostic.message;
    for (const Note& note : diagnostic.notes) {
      message += "\n" + (note.location.known() ? note.location.to_string() + ": " : "") + note.message;
    }
    text += command_of(diagnostic.severity) + properties(diagnostic) + "::" + escaped(message, false) + "\n";
  }
  return text;
}

}  // namespace isoshard::command_line

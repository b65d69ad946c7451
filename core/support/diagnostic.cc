// Diagnostics and how they are shown: `FILE:LINE:COLUMN: error: ... [RULE]`, the line of the source with carets below
// it, and notes (docs/rules.md lists the rules). Long lines are cut to a window around the place. A place inside of an
// iteration or a call is followed by the chain of places around it. `closest_name` finds what was probably meant: names
// that differ in case, else the one with the fewest insertions, deletions, replacements and swaps of neighbours, at
// most a third of the word's length (Damerau 1964, Levenshtein 1966). Cost: names times the squared length of a word,
// on errors only.
#include "core/support/diagnostic.h"

#include <algorithm>
#include <utility>

#include "core/support/call_chain.h"

namespace isoshard {
namespace {

struct Style {
  std::string_view error, warning, note, caret, bold, reset;
};

constexpr Style kPlain{"", "", "", "", "", ""};
constexpr Style kColour{"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[1m", "\033[0m"};

std::string_view severity_style(Severity severity, const Style& style) {
  switch (severity) {
    case Severity::error:
      return style.error;
    case Severity::warning:
      return style.warning;
    case Severity::note:
      return style.note;
  }
  return "";
}

/// The source line cut to a window around the span, so that a 10 MB line stays readable, with carets below it.
void append_excerpt(std::string& out, const Location& where, const Style& style) {
  constexpr size_t kWindow = 160;
  const std::string_view line = where.source_line();
  if (line.empty() || where.column() == 0) return;
  const size_t begin_column = where.column() - 1;
  const size_t start = begin_column > kWindow / 2 && line.size() > kWindow ? begin_column - kWindow / 2 : 0;
  const std::string_view shown = line.substr(std::min(start, line.size()), kWindow);
  std::string text(shown);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  out += "    " + text + "\n    ";
  const size_t caret = begin_column - start;
  const size_t width = where.end_column() > where.column() ? where.end_column() - where.column() : 1;
  out.append(caret, ' ');
  out += style.caret;
  out.append(std::max<size_t>(1, std::min(width, shown.size() > caret ? shown.size() - caret : 1)), '^');
  out += style.reset;
  out += '\n';
}

/// Of places in texts that name the functions of their sources.
void append_function(std::string& out, const Location& where) {
  if (!where.function().empty()) out += "  in " + std::string(where.function()) + "\n";
}

void append_chain(std::string& out, const Location& where, const Style& style) {
  for (const ChainLink& link : chain_of(where)) {
    out += "  " + link.at->to_string() + ": ";
    out += style.note;
    out += "note";
    out += style.reset;
    out += ": ";
    out += link.note;
    if (!link.at->function().empty()) out += " in " + std::string(link.at->function());
    out += "\n";
    if (link.is_call()) append_excerpt(out, *link.at, style);
  }
}

void append_message(std::string& out, Severity severity, const Location& where, const std::string& text,
                    const Style& style) {
  out += style.bold;
  if (where.known()) out += where.to_string() + ": ";
  out += severity_style(severity, style);
  out += name(severity);
  out += style.reset;
  out += ": " + text;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

Diagnostic& Diagnostic::note(Location where, std::string text) {
  notes.push_back(Note{std::move(where), std::move(text)});
  return *this;
}

Diagnostic& DiagnosticSink::error(std::string rule, Location location, std::string message) {
  add(Diagnostic{Severity::error, std::move(rule), std::move(location), std::move(message), {}});
  return diagnostics_.back();
}

Diagnostic& DiagnosticSink::warning(std::string rule, Location location, std::string message) {
  add(Diagnostic{Severity::warning, std::move(rule), std::move(location), std::move(message), {}});
  return diagnostics_.back();
}

void DiagnosticSink::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  diagnostics_.push_back(std::move(diagnostic));
}

std::string render(const Diagnostic& diagnostic, bool colour) {
  const Style& style = colour ? kColour : kPlain;
  std::string out;
  append_message(out, diagnostic.severity, diagnostic.location, diagnostic.message, style);
  if (!diagnostic.rule.empty()) out += " [" + diagnostic.rule + "]";
  out += '\n';
  append_excerpt(out, diagnostic.location, style);
  append_function(out, diagnostic.location);
  append_chain(out, diagnostic.location, style);
  for (const Note& note : diagnostic.notes) {
    append_message(out, Severity::note, note.location, note.message, style);
    out += '\n';
    append_excerpt(out, note.location, style);
  }
  return out;
}

std::string closest_name(std::string_view word, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 100;
  for (const std::string& name : names) {
    if (equal_but_for_case(word, name)) return name;
  }
  // Every name of one letter is one edit away from every other.
  if (word.size() == 1 || word.size() > kLongest) return "";
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  size_t best = limit + 1;
  std::string result;
  for (const std::string& name : names) {
    const size_t longer = std::max(word.size(), name.size()), shorter = std::min(word.size(), name.size());
    if (longer - shorter >= best) continue;
    const size_t distance = edit_distance(word, name);
    if (distance < best) {
      best = distance;
      result = name;
    }
  }
  return result;
}

}  // namespace isoshard

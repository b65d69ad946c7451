#include "tests/property/shrink.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <vector>

#include "core/text/text.h"

namespace isoshard::testing {
namespace {

using Lines = std::vector<std::string>;

Lines split(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The only value that a line defines, `%x`; empty for other lines.
std::string defined_by(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  const size_t equals = line.find(" = ");
  if (first == std::string::npos || line[first] != '%' || equals == std::string::npos) return "";
  const std::string name = line.substr(first, equals - first);
  return name.find(',') == std::string::npos ? name : "";
}

/// What stands behind the last ` : `, the type and states of what the line defines.
std::string type_of(const std::string& line) {
  const size_t colon = line.rfind(" : ");
  return colon == std::string::npos ? "" : line.substr(colon);
}

/// `line` with every use of the value `from` replaced by `to`.
std::string replaced(std::string line, const std::string& from, const std::string& to) {
  for (size_t at = line.find(from); at != std::string::npos; at = line.find(from, at)) {
    const size_t end = at + from.size();
    const bool whole = end == line.size() || (std::isalnum(static_cast<unsigned char>(line[end])) == 0 &&
                                              line[end] != '_' && line[end] != '.');
    if (whole) line.replace(at, from.size(), to);
    at += whole ? to.size() : from.size();
  }
  return line;
}

/// One past the line that closes the block that line `first` opens, or one past `first`.
size_t end_of_block(const Lines& lines, size_t first) {
  int depth = 0;
  for (size_t i = first; i < lines.size(); ++i) {
    if (!lines[i].empty() && lines[i].back() == '{') ++depth;
    if (lines[i].find_first_not_of(' ') != std::string::npos && lines[i][lines[i].find_first_not_of(' ')] == '}')
      --depth;
    if (depth <= 0) return i + 1;
  }
  return first + 1;
}

Lines without(const Lines& lines, size_t first, size_t limit) {
  Lines result(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  result.insert(result.end(), lines.begin() + static_cast<std::ptrdiff_t>(limit), lines.end());
  return result;
}

/// Files with line `i` left out: as it is, or with an earlier value of its type in place of what it defines.
std::vector<Lines> candidates(const Lines& lines, size_t i) {
  constexpr size_t kMostSubstitutes = 4;
  const size_t limit = end_of_block(lines, i);
  std::vector<Lines> result{without(lines, i, limit)};
  const std::string name = defined_by(lines[i]);
  if (name.empty() || limit != i + 1) return result;
  for (size_t k = i; k-- > 0 && result.size() <= kMostSubstitutes;) {
    if (lines[k].empty() || lines[k].front() != ' ') break;
    const std::string other = defined_by(lines[k]);
    if (other.empty() || type_of(lines[k]) != type_of(lines[i])) continue;
    Lines shorter = without(lines, i, limit);
    for (size_t later = i; later < shorter.size() && !shorter[later].empty() && shorter[later].front() == ' ';
         ++later) {
      shorter[later] = replaced(shorter[later], name, other);
    }
    result.push_back(std::move(shorter));
  }
  return result;
}

bool still_fails(const Lines& lines, const Fails& fails) {
  const std::optional<Module> module = module_of(join(lines));
  return module && fails(*module);
}

/// Tries each line once, from the last to the first; true when one could go.
bool pass(Lines& lines, const Fails& fails) {
  bool changed = false;
  for (size_t i = lines.size(); i-- > 1;) {
    if (i >= lines.size()) continue;
    for (Lines& candidate : candidates(lines, i)) {
      if (!still_fails(candidate, fails)) continue;
      lines = std::move(candidate);
      changed = true;
      break;
    }
  }
  return changed;
}

}  // namespace

std::optional<Module> module_of(const std::string& text) {
  DiagnosticSink sink;
  return text::parse_module(std::make_shared<SourceFile>(SourceFile{"shrunk.shard", text}), {}, sink);
}

std::string shrink(const Module& module, const Fails& fails) {
  Lines lines = split(text::print(module, text::PrintOptions{true}));
  while (still_fails(lines, fails) && pass(lines, fails)) {
  }
  return join(lines);
}

}  // namespace isoshard::testing

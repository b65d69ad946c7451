#include "tests/property/generator/shrink.h"

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

/// The parts of a list between commas outside brackets.
Lines parts_of(const std::string& list) {
  Lines parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

struct Defined {
  std::string name;  ///< `%x`
  std::string type;  ///< with its states
};

/// The values that the op on lines [first, limit) defines; types stand behind the last ` : `.
std::vector<Defined> defined_by(const Lines& lines, size_t first, size_t limit) {
  const size_t start = lines[first].find_first_not_of(' ');
  const size_t equals = lines[first].find(" = ");
  const size_t colon = lines[limit - 1].rfind(" : ");
  if (start == std::string::npos || lines[first][start] != '%') return {};
  if (equals == std::string::npos || colon == std::string::npos) return {};
  const Lines names = parts_of(lines[first].substr(start, equals - start));
  const Lines types = parts_of(lines[limit - 1].substr(colon + 3));
  std::vector<Defined> result;
  for (size_t i = 0; i < std::min(names.size(), types.size()); ++i) result.push_back(Defined{names[i], types[i]});
  return result;
}

/// Ones of the type of `value`, where it was defined.
std::string as_constant(const Defined& value, const std::string& line) {
  const size_t open = value.type.find('['), close = value.type.find(']');
  return line.substr(0, line.find('%')) + value.name + " = constant {value=1, dtype=" + value.type.substr(0, open) +
         ", shape=" + value.type.substr(open, close + 1 - open) + "}";
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

/// Adds files in which an earlier value of its type stands for the one value that line `i` defines.
void add_substitutes(const Lines& lines, size_t i, const Defined& value, std::vector<Lines>& result) {
  constexpr size_t kMostSubstitutes = 4;
  for (size_t k = i; k-- > 0 && result.size() <= kMostSubstitutes;) {
    if (lines[k].empty() || lines[k].front() != ' ') break;
    const std::vector<Defined> earlier = defined_by(lines, k, k + 1);
    if (earlier.size() != 1 || earlier[0].type != value.type) continue;
    Lines shorter = without(lines, i, i + 1);
    for (size_t later = i; later < shorter.size() && !shorter[later].empty() && shorter[later].front() == ' ';
         ++later) {
      shorter[later] = replaced(shorter[later], value.name, earlier[0].name);
    }
    result.push_back(std::move(shorter));
  }
}

/// Files without the op on line `i`: as it is, with earlier values in place of what it defines, or with constants.
std::vector<Lines> candidates(const Lines& lines, size_t i) {
  const size_t limit = end_of_block(lines, i);
  std::vector<Lines> result{without(lines, i, limit)};
  const std::vector<Defined> values = defined_by(lines, i, limit);
  if (values.empty() || lines[i].find(" = constant ") != std::string::npos) return result;
  if (values.size() == 1 && limit == i + 1) add_substitutes(lines, i, values[0], result);
  Lines constants = without(lines, i, limit);
  for (size_t v = values.size(); v-- > 0;) {
    constants.insert(constants.begin() + static_cast<std::ptrdiff_t>(i), as_constant(values[v], lines[i]));
  }
  result.push_back(std::move(constants));
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

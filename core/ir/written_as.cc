// Values without a name have the number that the Builder made up, which nobody finds in the text of a program. What
// stands in the text is the expression at the place of the op. A number that the user wrote, as in a text that was
// printed, stands before that place and is a name. What is broadcast without a word has the place of the op around it
// and is called as what is broadcast. What a pass makes at the place of a statement `%y = ...` is not what stands
// there, which is %y. A text of MLIR has a statement for each op, many with the same one, so the name that it has there
// is said, too: `%5 = stablehlo.add`. Cost: the line of the source.
#include "core/ir/written_as.h"

#include <algorithm>
#include <string_view>

namespace isoshard {
namespace {

constexpr size_t kLongest = 30;
constexpr std::string_view kBackward = ".back.";

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The text of the span, cut at a sign of UTF-8; empty where there is none.
std::string excerpt(const Location& location) {
  const std::string_view line = location.source_line();
  if (location.column() == 0 || location.column() > line.size()) return "";
  std::string_view text = line.substr(location.column() - 1);
  if (location.end_column() > location.column()) text = text.substr(0, location.end_column() - location.column());
  if (text.size() <= kLongest) return std::string(text);
  size_t end = kLongest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

/// Whether the line itself calls a value `name` before the place.
bool names_itself(const Location& location, std::string_view name) {
  const std::string_view before = location.source_line().substr(0, location.column() - 1);
  for (size_t at = before.find(name); at != std::string_view::npos; at = before.find(name, at + 1)) {
    if (at > 0 && before[at - 1] == '%') return true;
  }
  return false;
}

/// Whether all that `%y = ...` has on its right stands at the place: the value there has a name.
bool is_statement(const Location& location) {
  const std::string_view line = location.source_line();
  std::string_view before = line.substr(0, location.column() - 1);
  while (!before.empty() && before.back() == ' ') before.remove_suffix(1);
  const size_t name = before.find_first_not_of(' ');
  if (!before.ends_with('=') || before[name] != '%') return false;
  std::string_view after =
      line.substr(std::min(line.size(), std::max(location.end_column(), location.column()) - size_t{1}));
  after.remove_prefix(std::min(after.size(), after.find_first_not_of(' ')));
  return after.empty() || after.starts_with('{') || after.starts_with("//");
}

/// `stablehlo.add`, in quotes or not: an op of MLIR, whose names have a dialect.
bool is_op_of_dialect(std::string_view text) {
  if (text.starts_with('"')) text.remove_prefix(1);
  const size_t dialect = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  return dialect != std::string_view::npos && dialect > 0 && text[dialect] == '.' && dialect + 1 < text.size();
}

/// `%5 = ` of the statement whose op stands at the place; empty where there is none.
std::string name_before(const Location& location) {
  std::string_view before = location.source_line().substr(0, location.column() - 1);
  before.remove_prefix(std::min(before.size(), before.find_first_not_of(' ')));
  return before.starts_with('%') && before.ends_with("= ") ? std::string(before) : "";
}

/// The scalar that is broadcast without a word at `id`; invalid for other values.
ValueId broadcast_silently(const Program& program, ValueId id, std::string_view text) {
  const OpId made = program.value(id).definition;
  if (!made.valid() || !std::holds_alternative<BroadcastInDim>(program.op(made).data)) return ValueId();
  return text.starts_with("broadcast_in_dim") ? ValueId() : program.op(made).operands[0];
}

}  // namespace

std::string written_as(const Program& program, ValueId id) {
  const Value& value = program.value(id);
  const size_t backward = value.name.find(kBackward);
  const std::string_view name = std::string_view(value.name).substr(0, backward);
  if (!is_number(name) || value.location.source_line().empty()) return "";
  std::string text = excerpt(value.location);
  if (is_op_of_dialect(text)) text = name_before(value.location) + text;
  const bool is_name = text.starts_with('@');  // of a program that is called or differentiated
  if (text.empty() || is_name || names_itself(value.location, name)) return "";
  if (backward == std::string::npos && is_statement(value.location)) return "";
  if (backward != std::string::npos) return "the gradient at `" + text + "`";
  const ValueId inner = broadcast_silently(program, id, text);
  return inner.valid() ? in_words(program, inner) : "`" + text + "`";
}

std::string in_words(const Program& program, ValueId id) {
  const std::string text = written_as(program, id);
  return text.empty() ? "%" + program.value(id).name : text;
}

}  // namespace isoshard

// Reads the tables of docs/rules.md, whose rows are `| id | meaning |` under headings. The page is what people read and
// what tests hold against the sources; a second list of rules would have to be kept in step with it.
#include "command_line/rules.h"

#include <optional>

namespace isoshard::command_line {
namespace {

/// The next line of `rest`, which becomes what is behind it.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

struct RuleRow {
  std::string_view id, meaning, heading;
};

/// `| id | meaning |`, the id in backquotes.
std::optional<RuleRow> read_row(std::string_view line, std::string_view heading) {
  constexpr std::string_view kBegin = "| `", kMiddle = "` | ", kEnd = " |";
  const size_t between = line.find(kMiddle);
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd) || between == std::string_view::npos) return std::nullopt;
  const size_t meaning = between + kMiddle.size();
  return RuleRow{line.substr(kBegin.size(), between - kBegin.size()),
                 line.substr(meaning, line.size() - meaning - kEnd.size()), heading};
}

std::vector<RuleRow> rule_rows() {
  std::vector<RuleRow> rows;
  std::string_view rest = rules_page(), heading;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("## ")) heading = line.substr(3, line.find(" (`") - 3);
    if (const std::optional<RuleRow> row = read_row(line, heading)) rows.push_back(*row);
  }
  return rows;
}

std::optional<RuleRow> find_row(std::string_view id) {
  for (const RuleRow& row : rule_rows()) {
    if (row.id == id) return row;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const RuleRow& row : rule_rows()) ids.emplace_back(row.id);
  return ids;
}

std::string rule_meaning(std::string_view id) {
  const std::optional<RuleRow> row = find_row(id);
  std::string text;
  for (const char c : row ? row->meaning : std::string_view()) {
    if (c != '`') text += c;
  }
  return text;
}

std::string rule_heading(std::string_view id) {
  const std::optional<RuleRow> row = find_row(id);
  return row ? std::string(row->heading) : "";
}

std::string_view rule_example(std::string_view id, bool wrong) {
  const std::string name = std::string(id) + (wrong ? ".wrong.shard" : ".right.shard");
  for (const RuleExample& example : rule_examples()) {
    if (example.name == name) return example.text;
  }
  return {};
}

}  // namespace isoshard::command_line

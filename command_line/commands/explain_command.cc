#include <algorithm>

#include "command_line/rules.h"
#include "command_line/settings.h"
#include "command_line/terminal.h"
#include "core/support/diagnostic.h"
#include "core/support/quoted.h"

namespace isoshard::command_line {
namespace {

std::string indented(std::string_view text) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1);
    const std::string_view line = text.substr(begin, end - begin);
    result += (line.empty() ? "" : "  ") + std::string(line) + "\n";
    begin = end + 1;
  }
  return result;
}

std::string list_of_rules() {
  std::string text, heading;
  for (const std::string& id : rule_ids()) {
    if (rule_heading(id) != heading) {
      heading = rule_heading(id);
      text += (text.empty() ? "" : "\n") + heading + "\n";
    }
    text += "  " + id + "\n";
  }
  return text;
}

/// The id as the page writes it, for any case of letters; empty, and an error is printed, for an unknown one.
std::string find_rule(const std::string& asked) {
  const std::vector<std::string> ids = rule_ids();
  if (std::find(ids.begin(), ids.end(), asked) != ids.end()) return asked;
  const std::string close = closest_name(asked, ids);
  print_error("no rule is called " + isoshard::quoted(asked) +
              (close.empty() ? "; `isoshard explain` lists them" : "; did you mean " + close + "?"));
  return "";
}

std::string explanation(const std::string& id) {
  std::string text = id + " (" + rule_heading(id) + "): " + rule_meaning(id) + "\n";
  const std::string_view wrong = rule_example(id, true), right = rule_example(id, false);
  if (wrong.empty()) return text + "\nThere is no example of this rule.\n";
  return text + "\nWrong:\n\n" + indented(wrong) + "\nRight:\n\n" + indented(right);
}

}  // namespace

int run_explain(const Settings& settings) {
  if (settings.inputs.empty()) return write_out(list_of_rules()) ? kHolds : kBadInput;
  const std::string id = find_rule(settings.inputs[0]);
  if (id.empty()) return kBadInput;
  return write_out(explanation(id)) ? kHolds : kBadInput;
}

}  // namespace isoshard::command_line

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isoshard::command_line {

/// A file of docs/rules/: a program that breaks a rule, or its twin that does not.
struct RuleExample {
  std::string_view name;  ///< `S-linear.wrong.shard`
  std::string_view text;
};

/// The page docs/rules.md, and the examples of docs/rules/, as they were when the program was built (rules_text.cc).
std::string_view rules_page();
const std::vector<RuleExample>& rule_examples();

/// All ids that the page has a row of, in its order.
std::vector<std::string> rule_ids();
/// What the page says of a rule, without Markdown; empty for an unknown id.
std::string rule_meaning(std::string_view id);
/// The heading under which it stands, such as `States`; empty for an unknown id.
std::string rule_heading(std::string_view id);
/// The example that breaks the rule (`wrong`) or its twin; empty where there is none.
std::string_view rule_example(std::string_view id, bool wrong);

}  // namespace isoshard::command_line

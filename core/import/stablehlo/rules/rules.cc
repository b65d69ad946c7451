// The rules of all ops by name, found in a sorted table that is made once. Cost: logarithmic in the number of rules.
#include "core/import/stablehlo/lower/rules.h"

#include <map>

namespace isoshard::stablehlo {

Rule find_rule(std::string_view name) {
  static const std::map<std::string_view, Rule> rules = [] {
    std::map<std::string_view, Rule> all;
    for (const auto family : {elementwise_rules(), movement_rules(), contraction_rules(), reduction_rules(),
                              indexing_rules(), collective_rules(), control_rules(), loop_rules(), sharding_rules(),
                              gspmd_rules(), sort_rules(), window_rules(), function_rules()}) {
      for (const auto& [op, rule] : family) all.emplace(op, rule);
    }
    return all;
  }();
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace isoshard::stablehlo

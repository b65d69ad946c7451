// jnp.logaddexp is printed as the larger of two numbers and a correction that does not overflow, with a choice where
// their difference is no number. The operations of a region are spelled out, operands inside, and compared with that.
#include "core/import/stablehlo/idioms/log_of_sum.h"

#include <map>
#include <string>

namespace isoshard::stablehlo {

bool is_log_of_sum(const Region& region) {
  if (region.arguments.size() != 2) return false;
  std::map<std::string_view, std::string> names{{region.arguments[0].name, "a"}, {region.arguments[1].name, "b"}};
  for (const Operation& op : region.operations) {
    std::string name(op.name.substr(op.name.find('.') + 1));
    if (name == "compare") name = op.enumerator("comparison_direction", 0);
    for (const ValueUse& use : op.operands) name += "(" + names[use.name] + ")";
    names[op.result] = std::move(name);
  }
  const std::string d = "subtract(a)(b)", none = "NE(" + d + ")(" + d + ")";
  const std::string correction = "log_plus_one(exponential(negate(abs(" + d + "))))";
  return names[""] == "return(select(" + none + ")(add(a)(b))(add(maximum(a)(b))(" + correction + ")))";
}

}  // namespace isoshard::stablehlo

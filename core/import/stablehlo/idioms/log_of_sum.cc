// jnp.logaddexp is printed as the larger of two numbers and a correction that does not overflow, with a choice where
// their difference is no number. The operations of a region are spelled out, operands inside, and compared with that.
// Written of values it is the same. Cost: the ops of one logaddexp.
#include "core/import/stablehlo/idioms/log_of_sum.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

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

ValueId log_of_sum(Lowering& lowering, ValueId a, ValueId b, const Operation& op) {
  const auto of = [&](OpData data, std::vector<ValueId> operands) {
    return lowering.append(std::move(data), std::move(operands), op);
  };
  const ValueId difference = of(Subtract{}, {a, b}), size = of(Abs{}, {difference});
  const ValueId correction = of(LogPlusOne{}, {of(Exponential{}, {of(Negate{}, {size})})});
  const ValueId sum = of(Add{}, {of(Maximum{}, {a, b}), correction});
  if (lowering.beyond(a).none() && lowering.beyond(b).none()) return sum;  // numbers
  const ValueId none = of(Compare{Direction::ne}, {difference, difference});
  return of(Select{}, {none, of(Add{}, {a, b}), sum});
}

}  // namespace isoshard::stablehlo

// Where names of a text are defined and used, by a walk over the ops of a region, of which rules look at a few.
#include "core/import/stablehlo/text/uses.h"

#include <algorithm>

namespace isoshard::stablehlo {

const Operation* definition(const Region& region, std::string_view name) {
  const auto is_it = [&](const Operation& op) { return op.result == name; };
  const auto found = std::find_if(region.operations.begin(), region.operations.end(), is_it);
  return found == region.operations.end() ? nullptr : &*found;
}

const ValueUse& unbroadcast(const Region& region, const ValueUse& use) {
  const ValueUse* of = &use;
  const auto repeats = [](const Operation* made) {
    return made != nullptr && made->name == "stablehlo.broadcast_in_dim" && made->operands.size() == 1;
  };
  for (const Operation* made = definition(region, of->name); repeats(made); made = definition(region, of->name)) {
    of = &made->operands[0];
  }
  return *of;
}

size_t uses_of(const Operation& op, std::string_view name) {
  size_t count = 0;
  for (const ValueUse& use : op.operands) count += static_cast<size_t>(use.name == name);
  for (const Region& inner : op.regions) count += uses_of(inner, name);
  return count;
}

size_t uses_of(const Region& region, std::string_view name) {
  size_t count = 0;
  for (const Operation& op : region.operations) count += uses_of(op, name);
  return count;
}

}  // namespace isoshard::stablehlo

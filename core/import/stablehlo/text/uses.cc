// Where names of a text are defined and used, by a walk over the ops of a region, of which rules look at a few.
#include "core/import/stablehlo/text/uses.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace isoshard::stablehlo {
namespace {

/// By name: which op of a region defines it.
using DefinedAt = std::unordered_map<std::string_view, size_t>;

DefinedAt defined_at(const Region& region) {
  DefinedAt result;
  for (size_t i = 0; i < region.operations.size(); ++i) {
    if (!region.operations[i].result.empty()) result.emplace(region.operations[i].result, i);
    for (const std::string_view name : region.operations[i].further_results) result.emplace(name, i);
  }
  return result;
}

/// Uses by an op and in its regions, but for what these define themselves.
void for_each_use(const Operation& op, const std::function<void(const ValueUse&)>& visit) {
  for (const ValueUse& use : op.operands) visit(use);
  for (const Region& region : op.regions) {
    DefinedAt own = defined_at(region);
    for (const BlockArgument& argument : region.arguments) own.emplace(argument.name, 0);
    for (const Operation& inner : region.operations) {
      for_each_use(inner, [&](const ValueUse& use) {
        if (own.count(use.name) == 0) visit(use);
      });
    }
  }
}

}  // namespace

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

const ValueUse* used_too_early(const Region& region) {
  const DefinedAt defined = defined_at(region);
  for (size_t i = 0; i < region.operations.size(); ++i) {
    const ValueUse* early = nullptr;
    for_each_use(region.operations[i], [&](const ValueUse& use) {
      const auto place = defined.find(use.name);
      if (early == nullptr && place != defined.end() && place->second >= i) early = &use;
    });
    for (const Region& inner : region.operations[i].regions) {
      if (early == nullptr) early = used_too_early(inner);
    }
    if (early != nullptr) return early;
  }
  return nullptr;
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

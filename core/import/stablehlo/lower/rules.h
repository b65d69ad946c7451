#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/import/stablehlo/analysis/wire.h"

namespace isoshard::stablehlo {

class Lowering;

/// Appends what an op of the text means, and defines its results.
using Rule = std::vector<Wire> (*)(Lowering&, const Operation&, Scope&);

struct NamedRule {
  std::string_view name;
  Rule rule;
};

std::span<const NamedRule> elementwise_rules();
std::span<const NamedRule> movement_rules();
std::span<const NamedRule> contraction_rules();
std::span<const NamedRule> reduction_rules();
std::span<const NamedRule> sort_rules();
std::span<const NamedRule> function_rules();
std::span<const NamedRule> window_rules();
std::span<const NamedRule> indexing_rules();
std::span<const NamedRule> collective_rules();
std::span<const NamedRule> control_rules();
std::span<const NamedRule> loop_rules();
std::span<const NamedRule> sharding_rules();
std::span<const NamedRule> gspmd_rules();

/// The rule of an op, or null where it has none.
Rule find_rule(std::string_view name);

}  // namespace isoshard::stablehlo

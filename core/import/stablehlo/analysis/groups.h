#pragma once

#include <optional>
#include <vector>

#include "core/import/stablehlo/analysis/wire.h"

namespace isoshard::stablehlo {

/// The axes, in their order, whose groups have these members in this order; nothing where no axes have them.
std::optional<Group> group_of(const std::vector<std::vector<int64_t>>& groups, const Mesh& mesh);
/// The axes, in their order, over which the device at position p has index `index[p]`; nothing where no axes have them.
std::optional<Group> group_with_index(const std::vector<int64_t>& index, const Mesh& mesh);
/// The axes over which a device's index is this digit of its position; the empty group where that is always 0.
std::optional<Group> group_of_digit(const PositionDigit& digit, const Mesh& mesh);

}  // namespace isoshard::stablehlo

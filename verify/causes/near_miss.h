#pragma once

#include <optional>
#include <vector>

#include "verify/causes/explain.h"

namespace isoshard::verify {

/// A value that is a reference value but for some of its elements, and the op those come from. Looks among the values
/// marked in `suspect`, where both traces keep values.
std::optional<Finding> find_near_miss(const Examined& e, const std::vector<char>& suspect);

}  // namespace isoshard::verify

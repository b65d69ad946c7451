#pragma once  // internal

#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// The pair as rings are to calculate it: |x| is x where x is not negative by its construction, and the sign of what is
/// positive is 1. Values and instructions keep their ids. Nothing where no program has such a thing.
std::optional<Pair> with_known_signs(const Pair& pair);

}  // namespace isoshard::verify

#pragma once

#include <vector>

#include "verify/facts/renamings.h"

namespace isoshard::verify {

/// The carried values of loops each row of which an iteration writes: `from` is a row, in any iteration, `to` the value
/// after the loop, of which nothing is left of what the loop began with.
std::vector<Renaming> written_rows(const Plan& plan);

}  // namespace isoshard::verify

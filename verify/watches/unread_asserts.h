#pragma once

#include <string>
#include <vector>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// The assert_equals of the sharded program that no output reads and that may fail where formulas do not show it: where
/// a partial function has no value, or floats are compared. In words, as conditions of a verdict.
std::vector<std::string> unread_asserts(const Pair& pair);

}  // namespace isoshard::verify

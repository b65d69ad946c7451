#pragma once

#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// `pair` with the place of the first of the largest elements of all devices, where it is found by a maximum and a
/// minimum over them, as argmax of what an all_gather joins; nothing where no program does so.
std::optional<Pair> find_first_of_largest(const Pair& pair);

}  // namespace isoshard::verify

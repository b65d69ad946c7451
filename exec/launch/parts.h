#pragma once  // internal

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "exec/store/store.h"

namespace isoshard::exec {

/// Sends a box in parts that fit into frames; one without bytes has none.
Outcome<> send_parts(Store& store, size_t rank, char kind, size_t box, std::span<const std::byte> bytes);

/// Puts a part into its box, one of so many; false where it is in none.
bool take_part(const Frame& frame, size_t boxes, const std::function<std::span<std::byte>(size_t box)>& box_of);

}  // namespace isoshard::exec

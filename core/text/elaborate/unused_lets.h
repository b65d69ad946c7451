#pragma once  // internal

#include <vector>

#include "core/support/diagnostic.h"
#include "core/text/elaborate/imports.h"

namespace isoshard::text {

/// Lets of the file itself that neither it nor what it imports reads (W-unused-let), in its order.
std::vector<Diagnostic> unused_lets(const std::vector<PlacedItem>& items);

}  // namespace isoshard::text

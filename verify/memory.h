#pragma once

#include <optional>

#include "verify/pair.h"

namespace isoshard::verify {

/// The error (D-memory) that deciding `pair` would need more memory than this machine has, before anything is drawn.
std::optional<Diagnostic> exceeds_memory(const Pair& pair, size_t least_lanes, int workers);

}  // namespace isoshard::verify

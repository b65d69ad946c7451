#pragma once  // internal

#include <functional>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// Calls `pass` with pieces [begin, begin + size) of n elements, `piece` each but for the last one, here and in workers
/// that have nothing to do; several pieces at a time where other workers take part.
void split_pass(Index n, Index piece, const std::function<void(Index begin, Index size)>& pass);

}  // namespace isoshard::sim

#pragma once

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// Whether `cut`, the float t that x is without the last bits of its fraction, only stands in
/// x² = t² + (x - t)(x + t), as in the derivative of erfc: whatever t is, it cancels there.
bool only_splits_a_square(const Region& region, const Operation& cut);

}  // namespace isoshard::stablehlo

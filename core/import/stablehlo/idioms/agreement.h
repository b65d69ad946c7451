#pragma once

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// Whether devices talk in the ops from `first` on.
bool talks_since(Lowering& lowering, size_t first);

/// `choice`, claimed to be the same on devices that talk in the ops from `first` on (assert_equal): devices that do not
/// agree on it wait for each other for ever.
ValueId agreed(Lowering& lowering, ValueId choice, size_t first, const Operation& op);

}  // namespace isoshard::stablehlo

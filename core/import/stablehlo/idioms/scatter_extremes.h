#pragma once

#include "core/import/stablehlo/idioms/indexing.h"
#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// What a scatter reads, in the form of scatter_add.
struct Scattered {
  ValueId base, indices, updates;
};

/// The base with each element multiplied by, or bounded by, all updates at its index, which may repeat; an error where
/// that is too large to be written out (M-unsupported). `from_neutral`: the base is what the reducer leaves as it is.
ValueId with_all_updates(Lowering& lowering, const Operation& op, Reducer how, const ScatterAdd& add,
                         const Scattered& values, bool from_neutral);

}  // namespace isoshard::stablehlo

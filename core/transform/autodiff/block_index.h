#pragma once  // internal

#include "core/ir/types/view.h"
#include "core/transform/autodiff/emitter.h"

namespace isoshard::autodiff {

/// Appends ops that compute, on every device, the block that `entry` names there: an i32 scalar.
///
/// `EXPR of COUNT` is affine in the coordinates, or computed by its steps along the devices that it tells apart.
ValueId append_block_index(Emitter& at, const ViewEntry& entry);

}  // namespace isoshard::autodiff

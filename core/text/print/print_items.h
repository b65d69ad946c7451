#pragma once

#include <string>

#include "core/ir/ops/view_op.h"
#include "core/ir/types/global.h"
#include "core/ir/types/mesh.h"

namespace isoshard::text {

/// `[data=2, model=4]`, with ` devices=[1, 0, ...]` behind it where the order is not that of positions.
std::string print_axes_of(const Mesh& mesh);

/// `global @x : f32[8, 16] input` with its range and init, and the end of the line.
std::string print_global(const Global& global);

/// What stands behind the layout of a view: the part of the block, whose it is, what is I: `[0:4] only model=0 as
/// I{data}`.
std::string print_view_part(const View& view, const Mesh& mesh);

}  // namespace isoshard::text

#pragma once

#include <cstdint>
#include <string>

#include "pictures/chart/pipeline_grid.h"

namespace isoshard::pictures {

/// The grid as text: a row for each group of ranks, a column for each slot, a dot where a rank does nothing. It is
/// folded into pieces of at most `width` columns, of one slot at least; 0: lines may have any length. `colour` adds
/// ANSI codes, which say nothing that letters do not.
std::string grid_text(const PipelineGrid& grid, bool colour, int64_t width);

}  // namespace isoshard::pictures

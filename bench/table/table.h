#pragma once

#include "bench/table/row.h"

namespace isoshard::bench {

/// Kernels alone: products of floats and residues, passes over arrays.
Rows kernel_rows(Scale scale);
/// The engine: what an instruction costs, collectives, a ring of 4096 devices.
Rows engine_rows(Scale scale);
/// Programs in f32 beside the same unsharded, and beside peers.
Rows program_rows(Scale scale);
/// Whole processes of `check`.
Rows check_rows(Scale scale);
/// Reading `.shard` files.
Rows parse_rows(Scale scale);

/// All rows, in the order of docs/performance.md.
Rows all_rows(Scale scale);

}  // namespace isoshard::bench

#pragma once

#include <cstdio>

#include "bench/table/row.h"

namespace isoshard::bench {

/// Prints CPU time and peak memory against the number of devices (1 to 4096), of layers (1 to 128) and the size of a
/// file, each with the exponent between a row and the one before it: 1 is linear. A series ends at the first row that
/// takes more than `deadline` seconds. Whether all rows but such were measured.
bool print_growth(std::FILE* out, Scale scale, double deadline);

}  // namespace isoshard::bench

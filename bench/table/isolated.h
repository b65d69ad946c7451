#pragma once

#include <functional>

#include "bench/table/row.h"

namespace isoshard::bench {

/// Measures in a process of its own, a fork of this one, which is ended with all that it has started after `deadline`
/// seconds and may have half of the machine's memory: its peak is that of the row alone, and a row that crashes leaves
/// the others. This process must have one thread and little memory, since Linux counts what a fork begins with.
Measured isolated(const std::function<Measured()>& measure, double deadline);

}  // namespace isoshard::bench

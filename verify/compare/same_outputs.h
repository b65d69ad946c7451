#pragma once

#include "sim/engine/engine.h"

namespace isoshard::verify {

/// Whether two runs of one Plan in `domain` store the same.
bool same_outputs(const sim::RunResult& a, const sim::RunResult& b, const sim::Domain& domain);

}  // namespace isoshard::verify

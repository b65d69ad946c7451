#pragma once  // internal

#include <cstddef>
#include <string>

#include "verify/floats/float_run.h"

namespace isoshard::verify {

/// Which of the integers drawn for `found` make `output` differ: `@labels[3] = 17 (nothing bounds @labels)`. Empty
/// where it differs with all integers 0, or the least that they may be, too; where the programs are large or take
/// several steps; and where other floats are needed.
std::string integers_that_matter(const Pair& pair, const FloatOptions& options, size_t output,
                                 const Counterexample& found);

}  // namespace isoshard::verify

#pragma once

#include <string>

#include "verify/compare/pair.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {

/// `%d != 0 (divide at FILE:LINE:COL)`: what a partial use of a program needs first.
std::string use_in_words(const Side& side, const PartialUse& use);

}  // namespace isoshard::verify

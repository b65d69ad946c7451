#pragma once

#include "verify/pair.h"

namespace isoshard::verify {

/// What the programs of a pair contain that a further rung has laws of.
struct Contents {
  bool order = false;        ///< comparisons of floats, maxima
  bool exponential = false;  ///< exponentials and logarithms, and what is made of them
};

Contents contents_of(const Pair& pair);

}  // namespace isoshard::verify

#pragma once

#include <cstdint>
#include <set>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// What the programs of a pair contain that a further rung has laws of.
struct Contents {
  bool order = false;            ///< comparisons of floats, maxima
  bool maxima = false;           ///< maxima and minima of floats
  bool minus_infinity = false;   ///< as a constant, which rung E alone knows
  bool exponential = false;      ///< exponentials and logarithms, and what is made of them
  bool by_exponentials = false;  ///< sine, cosine, powers whose exponents are data
  bool powers = false;           ///< with such exponents
  bool case_by_case = false;     ///< maxima, minima and absolute values of floats, element by element
  bool choices = false;          ///< indices of the largest k floats
  bool rounded = false;          ///< floats that are rounded down or made integers
  std::set<int64_t> sharded_argmax{}, reference_argmax{};  ///< lengths of the rows that an argmax is taken of
};

Contents contents_of(const Pair& pair);

}  // namespace isoshard::verify

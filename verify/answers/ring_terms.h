#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/answers/rung.h"

namespace isoshard::verify {

/// What an answer of the ring rests on, and how likely an `equal` of it is wrong.
struct RingTerms {
  std::vector<Rung> deciding{Rung::a};  ///< where some outputs are equal on one and some on another, each of them
  size_t lanes = 0;
  double log2_error = 0;         ///< of a wrong `equal`, at most
  uint32_t draws = 1;            ///< of all inputs; 8 or more where discrete inputs exist, and with a hard order
  double decisions = 0;          ///< s of B and Eh: the draws, an order key each, miss the rarest outcome with 2^-s
  bool discrete = false;         ///< some inputs are outside the error bound
  bool soft_predicates = false;  ///< predicates that are inputs stood for both truth values
  uint32_t redrawn_lanes = 0;    ///< because a denominator was 0 by chance
  double factors = 0;            ///< of logarithms, on rung E
  double log2_prime = 0;         ///< of the smallest prime of rung E, from below
  bool even_roots = false;       ///< rung E: equal only where arguments of logarithms are positive (TowerElements)

  /// Some outputs rest on these terms, some on those of another run, the last one.
  void add(const RingTerms& last);
  /// `error <= 2^-52`; the exponent is rounded up.
  std::string error_text() const;
};

}  // namespace isoshard::verify

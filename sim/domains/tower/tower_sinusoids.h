#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/domains/tower/tower_elements.h"

namespace isoshard::sim {

/// Sine and cosine on rung E: sums of exponentials of i x, or opaque functions that are odd and even. Elements must
/// outlive them.
class TowerSinusoids {
 public:
  using Element = TowerElement;
  /// The largest integer that is known as such when it comes out of sinusoids.
  static constexpr int64_t kMostSeen = 1000;

  /// By exponentials: -1 must be a square in all fields.
  TowerSinusoids(const TowerElements& elements, bool by_exponentials);

  bool are_exponentials() const { return !i_.empty(); }
  Element sine(const Element& x) const;
  Element cosine(const Element& x) const;
  /// The small integer that a residue is in all lanes, where sinusoids may cancel; otherwise x.
  Element seen(const Element& x) const;

 private:
  Element times_i(const Element& x) const;
  Element exponential(const Element& residue) const;
  std::array<Element, 2> on_circle(const Element& x) const;

  const TowerElements& ring_;
  std::vector<uint64_t> i_;  ///< per residue, a root of -1; empty: sinusoids are opaque
};

}  // namespace isoshard::sim

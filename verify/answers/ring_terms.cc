#include "verify/answers/ring_terms.h"

#include <algorithm>
#include <cmath>

#include "verify/bounds/error_bound.h"

namespace isoshard::verify {

/// Both may be wrong: their probabilities add up.
void RingTerms::add(const RingTerms& last) {
  log2_error = std::min(0.0, log2_sum(log2_error, last.log2_error));
  lanes = std::max(lanes, last.lanes);
  draws = std::max(draws, last.draws);
  decisions = std::max(decisions, last.decisions);
  discrete = discrete || last.discrete;
  soft_predicates = last.soft_predicates;
  redrawn_lanes += last.redrawn_lanes;
  if (deciding.back() != last.deciding.front()) deciding.push_back(last.deciding.front());
}

std::string RingTerms::error_text() const {
  if (log2_error == -HUGE_VAL) return "error 0";
  const long exponent = static_cast<long>(std::ceil(log2_error));
  return exponent == 0 ? "error <= 1" : "error <= 2^" + std::to_string(exponent);
}

}  // namespace isoshard::verify

// The probability that a ring calls two different formulas equal, as a logarithm. A polynomial of degree D that is not
// 0 is 0 at a random point of a field of p elements with probability at most D/p (R. Lipton, J. Schwartz, R. Zippel);
// independent lanes multiply that. Added to it are the pairs of arguments of opaque functions that may collide, and the
// evaluations that take an argument for a number. Logarithms, because the numbers are far below the smallest double; a
// count that is infinite gives 1. Lanes are added one by one until the bound is reached: the bound falls with each, and
// a lane costs a run. Degrees and what they count: docs/spec/error_bound.md.
#include "verify/bounds/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/domains/tower/tower_sinusoids.h"
#include "verify/bounds/degree_algebra.h"

namespace isoshard::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double log2_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == -kInfinity ? high : high + std::log2(1 + std::exp2(low - high));
}

BoundTerms bound_terms(const DegreeCounts& left, const DegreeCounts& right, const std::vector<size_t>& partner) {
  BoundTerms terms;
  DegreeCounts counts = left;  // and what the comparison itself adds
  for (size_t i = 0; i < left.outputs.size(); ++i) {
    Degree a = left.outputs[i], b = right.outputs[partner[i]];
    if (a.log_degree > 0 || b.log_degree > 0) {  // compared by exp(q x)
      a = exponential(a, counts, 1);
      b = exponential(b, counts, 1);
    }
    terms.degree = std::max(terms.degree, difference_degree(a, b));
    terms.evaluations = std::max(terms.evaluations, a.evaluations + b.evaluations);
    terms.exponentials = std::max(terms.exponentials, a.exponentials + b.exponentials);
  }
  terms.opaque_degree = std::max(left.opaque_numerator, right.opaque_numerator) +
                        std::max(left.opaque_denominator, right.opaque_denominator);
  const double opaque_exponentials = 2 * std::max(left.opaque_exponentials, right.opaque_exponentials);
  terms.exponentials =
      std::max(terms.exponentials, std::min(opaque_exponentials, left.exponentials + right.exponentials));
  terms.exponent_degree = std::max(counts.exponent_numerator, right.exponent_numerator) +
                          std::max(counts.exponent_denominator, right.exponent_denominator);
  terms.recognised = left.recognised + right.recognised;
  if (left.exponential) terms.log2_known = std::log2(2 * sim::TowerSinusoids::kMostSeen + 1);
  if (left.opaque_reciprocals) terms.evaluations += 1;  // 0, which opaque functions of generic parts keep
  return terms;
}

double log2_error(const BoundTerms& terms, size_t lanes) {
  const double t = static_cast<double>(lanes);
  for (const double count : {terms.degree, terms.opaque_degree, terms.evaluations, terms.exponentials}) {
    if (count == kInfinity) return 0;
  }
  const double exponents = terms.exponentials > 0 ? (terms.exponentials + 1) * std::max(terms.exponent_degree, 1.0) : 0;
  const double log2_p = terms.log2_prime - std::log2(exponents + 1);
  const double inputs = terms.degree > 0 ? t * (std::log2(terms.degree) - log2_p) : -kInfinity;
  const double pairs = terms.evaluations * (terms.evaluations - 1) / 2;
  const bool collide = pairs > 0 && terms.opaque_degree > 0;
  const double collisions = collide ? std::log2(pairs) + t * (std::log2(terms.opaque_degree) - log2_p) : -kInfinity;
  const bool mistake = terms.recognised > 0 && terms.opaque_degree > 0;
  const double mistakes =
      mistake ? std::log2(terms.recognised) + terms.log2_known + t * (std::log2(terms.opaque_degree) - log2_p)
              : -kInfinity;
  return std::min(0.0, log2_sum(log2_sum(inputs, collisions), mistakes));
}

size_t choose_lanes(const BoundTerms& terms, const LaneChoice& choice) {
  const size_t most = std::clamp<size_t>(choice.most, 1, kMaxLanes);
  size_t lanes = std::clamp<size_t>(choice.least, 1, most);
  while (lanes < most && log2_error(terms, lanes) > choice.target) ++lanes;
  return lanes;
}

}  // namespace isoshard::verify

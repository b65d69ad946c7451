// Degrees of sums, products, quotients and exponentials of quotients of polynomials, all upper bounds. A sum of two
// quotients with one denominator keeps it, otherwise both are multiplied: a sum of K terms with D different
// denominators has the product of D. Which denominators are the same is known by ids; the id of a product is a sum of
// mixed ids, so that it does not depend on the order of factors. Along which dimensions entries differ is a set of
// bits, one per dimension; beyond 64 they share bits, which only raises bounds. An exponential is a variable of its own
// (docs/spec/error_bound.md, "Degrees"): the degree of its argument is noted apart.
#include "verify/bounds/degree_algebra.h"

#include <algorithm>
#include <utility>

#include "verify/compare/random.h"

namespace isoshard::verify {

double difference_degree(const Degree& a, const Degree& b) {
  return std::max(a.numerator + b.denominator, b.numerator + a.denominator);
}

uint64_t all_dims(const Shape& shape) {
  uint64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d) result |= shape[d] > 1 ? bit(d) : 0;
  return result;
}

uint64_t product_id(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  return mix(a) + mix(b);
}

Degree add(const Degree& a, const Degree& b) {
  Degree r;
  const bool same = a.denominator_id == b.denominator_id;
  r.numerator = same ? std::max(a.numerator, b.numerator) : difference_degree(a, b);
  r.denominator = same ? a.denominator : a.denominator + b.denominator;
  r.denominator_id = same ? a.denominator_id : product_id(a.denominator_id, b.denominator_id);
  r.evaluations = a.evaluations + b.evaluations;
  r.dims = a.dims | b.dims;
  r.denominator_dims = a.denominator_dims | b.denominator_dims;
  r.log_degree = std::max(a.log_degree, b.log_degree);
  r.exponentials = a.exponentials + b.exponentials;
  return r;
}

Degree multiply(const Degree& a, const Degree& b) {
  return Degree{a.numerator + b.numerator,
                a.denominator + b.denominator,
                a.evaluations + b.evaluations,
                product_id(a.denominator_id, b.denominator_id),
                a.dims | b.dims,
                a.denominator_dims | b.denominator_dims,
                0,
                a.exponentials + b.exponentials};
}

Degree exponential(const Degree& x, DegreeCounts& counts, double times) {
  counts.exponent_numerator = std::max(counts.exponent_numerator, x.numerator);
  counts.exponent_denominator = std::max(counts.exponent_denominator, x.denominator);
  counts.exponentials += times;
  Degree r = x;
  const double of_log = counts.exponential->factors * x.log_degree;
  r.numerator = 1 + of_log;
  r.denominator = of_log;
  r.exponentials += 1;
  r.denominator_dims = r.denominator > 0 ? x.dims : 0;
  r.denominator_id = 0;
  r.log_degree = 0;
  return r;
}

void note_opaque(DegreeCounts& counts, const Degree& argument, double times) {
  counts.opaque_numerator = std::max(counts.opaque_numerator, argument.numerator);
  counts.opaque_denominator = std::max(counts.opaque_denominator, argument.denominator);
  counts.opaque_exponentials = std::max(counts.opaque_exponentials, argument.exponentials);
  counts.evaluations += times;
}

void merge(Degree& degree, const Degree& part) {
  degree.log_degree = std::max(degree.log_degree, part.log_degree);
  degree.numerator = std::max(degree.numerator, part.numerator);
  degree.denominator = std::max(degree.denominator, part.denominator);
  degree.evaluations = std::max(degree.evaluations, part.evaluations);
  degree.exponentials = std::max(degree.exponentials, part.exponentials);
}

Degree sum_terms(Degree x, double terms, double distinct) {
  x.evaluations *= terms;
  x.exponentials *= terms;
  if (x.denominator > 0) {
    x.numerator += (distinct - 1) * x.denominator;
    x.denominator *= distinct;
  }
  return x;
}

double product_of(const Shape& shape, const std::vector<int64_t>& dims, uint64_t mask) {
  double result = 1;
  for (const int64_t d : dims) {
    const size_t i = static_cast<size_t>(d);
    if ((mask & bit(i)) != 0) result *= static_cast<double>(shape[i]);
  }
  return result;
}

uint64_t move_bits(uint64_t mask, const std::vector<int64_t>& where) {
  uint64_t result = 0;
  for (size_t d = 0; d < where.size(); ++d) {
    if (where[d] >= 0 && (mask & bit(d)) != 0) result |= bit(static_cast<size_t>(where[d]));
  }
  return result;
}

Degree reciprocal(Degree x, uint64_t id) {
  std::swap(x.numerator, x.denominator);
  x.denominator_id = x.denominator > 0 ? id : 0;
  x.denominator_dims = x.dims;
  x.evaluations += 1;
  return x;
}

}  // namespace isoshard::verify

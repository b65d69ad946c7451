// The functions and comparisons of rungs A and B on single elements. Functions are opaque, but for laws that hold of
// real numbers (docs/spec/opaque.md, "Laws"). An argument that is a small rational in all lanes is taken for that
// number, and gets the exact result of sqrt, floor, remainder or an integer power; by chance an argument looks so with
// probability N (Da/p)^t, which the error bound counts ("recognised"). Powers with an integer exponent of at most 1024
// are products by repeated squaring, with 1/2 roots. rsqrt is 1 over the root. Residues have no order, so a comparison
// is a hash of what is compared, equal for equal formulas, and select and signs are polynomials in such predicates
// (docs/spec/order.md, "Soft predicates", "Maxima of sets", "Hard order"). A maximum is a select by such a predicate
// or, where maxima of sets are asked for, a hash of the set of its operands, which a table remembers, so that it does
// not depend on how they are grouped; with a key the elements are in a random total order, in which comparisons are
// decided. Cost: a SipHash over the lanes per element, for sets one per member; a rational reconstruction per element
// where numbers are looked for.
#include "sim/domains/residues/ring_elements.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/residues/ring_numbers.h"

namespace isoshard::sim {

RingElements::RingElements(std::vector<Mod31> moduli, uint64_t seed, RingOrder order, bool opaque_reciprocals,
                           ConstantReadings constants)
    : RingTuples(std::move(moduli), seed),
      order_(order),
      opaque_reciprocals_(opaque_reciprocals),
      constants_(std::move(constants)) {}

std::optional<mpq_class> RingElements::number(const Tuple& x) const {
  return rational_of(std::span(x).first(lanes()), moduli());
}

/// Of a factor that has a residue in every lane.
RingElements::Tuple RingElements::reading(const ConstantReading& constant) const {
  Tuple result = in_lanes([&](const Mod31& p, size_t) { return residue_of(p, to_mpq(constant.factor)).value(); });
  for (const uint32_t prime : constant.roots) {
    const Tuple other = opaque(Opaque::root, {integer(prime)});
    const Tuple root = in_lanes([&](const Mod31& p, size_t l) { return square_root(p, prime).value_or(other[l]); });
    result = product(result, constant.divides ? inverted(root) : root);
  }
  return result;
}

RingElements::Tuple RingElements::read(const Rational& constant, DType dtype) const {
  if (constant.finite()) {
    const ConstantReading known = constants_.of(constant, dtype);
    const auto known_in = [&](const Mod31& p) { return residue_of(p, to_mpq(known.factor)).has_value(); };
    if (std::all_of(moduli().begin(), moduli().end(), known_in)) return reading(known);
  }
  notes_.note_unrepresentable(constant);
  return opaque(Opaque::not_a_number, {integer(constant.is_nan() ? 0 : constant.negative() ? 1 : 2)});
}

/// 1 / x; a residue 0 inverts to an opaque element and is counted.
RingElements::Tuple RingElements::inverted(const Tuple& x) const {
  return in_lanes([&](const Mod31& p, size_t l) {
    if (x[l] != 0) return inverse(p, x[l]);
    notes_.note_non_unit(l);
    return opaque(Opaque::inverse, x)[l];
  });
}

/// 1 / x; where reciprocals are opaque, of numbers only.
RingElements::Tuple RingElements::reciprocal(const Tuple& x) const {
  if (!opaque_reciprocals_ || number(x)) return inverted(x);
  return laws().reciprocal(x);
}

/// A small rational has the root that a constant has.
RingElements::Tuple RingElements::sqrt(const Tuple& x) const {
  constexpr int64_t kLimit = 1 << 20;
  const std::optional<mpq_class> value = number(x);
  if (!value || *value < 0 || value->get_num() * value->get_den() >= kLimit) return opaque(Opaque::sqrt, x);
  return *value == 0 ? Tuple{} : reading(sim::square_root(from_mpq(*value)));
}

RingElements::Tuple RingElements::floor(const Tuple& x) const {
  const std::optional<mpq_class> value = number(x);
  if (!value) return opaque(Opaque::floor, x);
  mpz_class below;
  mpz_fdiv_q(below.get_mpz_t(), value->get_num_mpz_t(), value->get_den_mpz_t());
  return integer(below.get_si());
}

RingElements::Tuple RingElements::cbrt(const Tuple& x) const {
  const std::optional<mpq_class> value = number(x);
  const std::optional<mpq_class> root = value ? cube_root(*value) : std::nullopt;
  return root ? reading(ConstantReading{from_mpq(*root)}) : laws().cbrt(x);
}

RingElements::Tuple RingElements::nearest(bool even, const Tuple& x) const {
  const std::optional<mpq_class> value = number(x);
  return value ? integer(nearest_whole(*value, even).get_si()) : laws().nearest(even, x);
}

RingElements::Tuple RingElements::power(const Tuple& x, const Tuple& y) const {
  const std::optional<mpq_class> exponent = number(y);
  if (exponent && exponent->get_den() == 1 && abs(exponent->get_num()) <= kMaxPower) {
    const auto times = static_cast<uint32_t>(mpz_class(abs(exponent->get_num())).get_ui());
    const Tuple result = in_lanes([&](const Mod31& p, size_t l) { return sim::power(p, x[l], times); });
    return *exponent < 0 ? reciprocal(result) : result;
  }
  if (exponent && *exponent == mpq_class(1, 2)) return sqrt(x);
  if (exponent && *exponent == mpq_class(-1, 2)) return reciprocal(sqrt(x));
  return opaque(Opaque::power, {x, y});
}

/// x - y·trunc(x / y) of small rationals, whose denominators are below 10^6.
RingElements::Tuple RingElements::remainder(const Tuple& x, const Tuple& y) const {
  const std::optional<mpq_class> a = number(x), b = number(y);
  if (!a || !b || *b == 0) return opaque(Opaque::remainder, {x, y});
  const mpq_class ratio = *a / *b;
  mpz_class whole;
  mpz_tdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
  return reading(ConstantReading{from_mpq(mpq_class(*a - *b * whole))});
}

RingElements::Tuple RingElements::apply(UnaryOp op, const Tuple& x) const {
  switch (op) {
    case UnaryOp::negate:
      return negated(x);
    case UnaryOp::exponential:
      return opaque(Opaque::exponential, x);
    case UnaryOp::log:
      return opaque(Opaque::log, x);
    case UnaryOp::logistic:
      return laws().logistic(x);
    case UnaryOp::sqrt:
      return sqrt(x);
    case UnaryOp::rsqrt:
      return reciprocal(sqrt(x));
    case UnaryOp::sine:
      return laws().sine(x);
    case UnaryOp::cosine:
      return laws().cosine(x);
    case UnaryOp::erf_inv:
      return laws().erf_inv(x);
    case UnaryOp::floor:
      return floor(x);
    case UnaryOp::tanh:
      return laws().tanh(x);
    case UnaryOp::exponential_minus_one:
      return difference(opaque(Opaque::exponential, x), integer(1));
    case UnaryOp::log_plus_one:
      return opaque(Opaque::log, sum(x, integer(1)));
    case UnaryOp::cbrt:
      return cbrt(x);
    case UnaryOp::erf:
      return laws().erf(x);
    case UnaryOp::erfc:
      return complement(laws().erf(x));
    case UnaryOp::round_nearest_even:
    case UnaryOp::round_nearest_afz:
      return nearest(op == UnaryOp::round_nearest_even, x);
  }
  internal_error("unary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

/// The maximum of the union of the sets that x and y are maxima of. The members are hashed one by one, and the sum of
/// these hashes again: a sum does not depend on the order.
RingElements::Tuple RingElements::larger_of_sets(const Tuple& x, const Tuple& y) const {
  const Maxima::Set set = Maxima::unite(maxima_.of(x), maxima_.of(y));
  const std::vector<Tuple>& members = *set;
  if (members.size() == 1) return members[0];
  Tuple result{};
  if (members.size() == 2) {
    result = chosen(laws().greater(members[0], members[1], false), members[0], members[1]);
  } else {
    for (const Tuple& member : members) result = sum(result, opaque(Opaque::member, member));
    result = opaque(Opaque::maximum_of_set, result);
  }
  if (!maxima_.remember(result, set)) notes_.note_undecided("maxima of so many elements");
  return result;
}

bool RingElements::less(const Tuple& x, const Tuple& y) const {
  for (size_t l = 0; l < lanes(); ++l) {
    const Mod31& p = moduli()[l];
    const Residue key = p.reduce(order_.key);
    const int64_t a = p.balanced(p.multiply(key, x[l])), b = p.balanced(p.multiply(key, y[l]));
    if (a != b) return a < b;
  }
  return false;
}

RingElements::Tuple RingElements::extreme_of_sets(Extreme op, const Tuple& x, const Tuple& y) const {
  if (op == Extreme::maximum) return larger_of_sets(x, y);
  return negated(larger_of_sets(negated(x), negated(y)));
}

}  // namespace isoshard::sim

// Sine and cosine as (exp(ix) - exp(-ix)) / 2i and (exp(ix) + exp(-ix)) / 2, with a root of -1 in each field as i: sums
// of angles, squares and double angles are then identities of exponentials. Which of both roots is taken in a field
// says nothing: what is equal for both is equal, and an identity of real numbers holds over Q(i). Costs two
// exponentials each.
#include "sim/domains/tower/tower_sinusoids.h"

#include <optional>

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

std::vector<uint64_t> imaginary_units(const std::vector<PrimeField>& fields) {
  std::vector<uint64_t> result;
  for (const PrimeField& field : fields) {
    const std::optional<uint64_t> root = field.square_root(field.modulus() - 1);
    ISOSHARD_CHECK(root.has_value(), "sinusoids need primes that are 1 modulo 4");
    result.push_back(*root);
  }
  return result;
}

}  // namespace

TowerSinusoids::TowerSinusoids(const TowerElements& elements, bool by_exponentials)
    : ring_(elements), i_(by_exponentials ? imaginary_units(elements.fields()) : std::vector<uint64_t>{}) {}

TowerSinusoids::Element TowerSinusoids::seen(const Element& x) const {
  if (i_.empty() || !ring_.is_plain(x)) return x;
  const auto p = static_cast<int64_t>(ring_.field(0).modulus()), first = static_cast<int64_t>(x.a[0]);
  const int64_t balanced = first > p / 2 ? first - p : first;
  if (balanced < -kMostSeen || balanced > kMostSeen) return x;
  for (size_t l = 1; l < ring_.lanes(); ++l) {
    if (ring_.field(l).residue(balanced) != x.a[l]) return x;
  }
  return ring_.integer(balanced);
}

TowerSinusoids::Element TowerSinusoids::times_i(const Element& x) const {
  Element result;
  for (size_t r = 0; r < ring_.residues(); ++r) result.a[r] = ring_.field(r).multiply(i_[r], x.a[r]);
  return result;
}

TowerSinusoids::Element TowerSinusoids::exponential(const Element& residue) const {
  Element result;
  ring_.exponentials_of(residue.a, result.a);
  return result;
}

/// exp(ix) and exp(-ix) of a residue.
std::array<TowerSinusoids::Element, 2> TowerSinusoids::on_circle(const Element& x) const {
  const Element angle = times_i(x);
  return {exponential(angle), exponential(ring_.negated(angle))};
}

TowerSinusoids::Element TowerSinusoids::sine(const Element& x) const {
  const Element angle = ring_.plain(x, "sine");
  if (i_.empty()) return ring_.laws().sine(angle);
  if (ring_.is_zero(angle)) return ring_.integer(0);
  const auto [forwards, backwards] = on_circle(angle);
  return ring_.product(ring_.negated(times_i(ring_.difference(forwards, backwards))), Element{ring_.half().a});
}

TowerSinusoids::Element TowerSinusoids::cosine(const Element& x) const {
  const Element angle = ring_.plain(x, "cosine");
  if (i_.empty()) return ring_.laws().cosine(angle);
  if (ring_.is_zero(angle)) return ring_.integer(1);
  const auto [forwards, backwards] = on_circle(angle);
  return ring_.product(ring_.sum(forwards, backwards), Element{ring_.half().a});
}

}  // namespace isoshard::sim

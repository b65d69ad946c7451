// Sine and cosine as (exp(ix) - exp(-ix)) / 2i and (exp(ix) + exp(-ix)) / 2, with a root of -1 in each field as i: sums
// of angles, squares and double angles are then identities of exponentials. Which of both roots is taken in a field
// says nothing: what is equal for both is equal, and an identity of real numbers holds over Q(i). Costs two
// exponentials each.
#include "core/support/check.h"
#include "sim/domains/tower/tower_elements.h"

namespace isoshard::sim {

std::vector<uint64_t> TowerElements::imaginary_units(const std::vector<PrimeField>& fields) {
  std::vector<uint64_t> result;
  for (const PrimeField& field : fields) {
    const std::optional<uint64_t> root = field.square_root(field.modulus() - 1);
    ISOSHARD_CHECK(root.has_value(), "sinusoids need primes that are 1 modulo 4");
    result.push_back(*root);
  }
  return result;
}

TowerElements::Element TowerElements::seen(const Element& x) const {
  if (i_.empty() || !is_plain(x)) return x;
  const auto p = static_cast<int64_t>(fields_[0].modulus()), first = static_cast<int64_t>(x.a[0]);
  const int64_t balanced = first > p / 2 ? first - p : first;
  if (balanced < -kMostSeen || balanced > kMostSeen) return x;
  for (size_t l = 1; l < lanes(); ++l) {
    if (fields_[l].residue(balanced) != x.a[l]) return x;
  }
  return integer(balanced);
}

TowerElements::Element TowerElements::times_i(const Element& x) const {
  Element result;
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].multiply(i_[r], x.a[r]);
  return result;
}

/// exp(ix) and exp(-ix) of a residue.
std::array<TowerElements::Element, 2> TowerElements::on_circle(const Element& x) const {
  const Element angle = times_i(x);
  return {exponential(angle), exponential(negated(angle))};
}

TowerElements::Element TowerElements::sine(const Element& x) const {
  const Element angle = plain(x, "sine");
  if (i_.empty()) return laws().sine(angle);
  if (is_zero(angle)) return integer(0);
  const auto [forwards, backwards] = on_circle(angle);
  return product(negated(times_i(difference(forwards, backwards))), Element{half().a});
}

TowerElements::Element TowerElements::cosine(const Element& x) const {
  const Element angle = plain(x, "cosine");
  if (i_.empty()) return laws().cosine(angle);
  if (is_zero(angle)) return integer(1);
  const auto [forwards, backwards] = on_circle(angle);
  return product(sum(forwards, backwards), Element{half().a});
}

}  // namespace isoshard::sim

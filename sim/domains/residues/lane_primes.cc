// The coefficients of formulas, such as 2^31 or 2^-93, count in no degree: a prime that is known beforehand makes some
// of them 0 or 1 (ADR 38). So each lane has a prime of its own, drawn by rejection: of the candidates every eleventh is
// one, and a test takes less than a microsecond.
#include "sim/domains/residues/lane_primes.h"

#include <algorithm>

#include "sim/domains/keyed_hash.h"
#include "sim/domains/residues/ring_numbers.h"

namespace isoshard::sim {
namespace {

/// G. Miller's and M. Rabin's test of a number that is 3 modulo 4; these bases decide all below 3,215,031,751.
bool is_lane_prime(uint32_t n) {
  const Mod31 ring(n);
  for (const uint32_t base : {2U, 3U, 5U, 7U}) {
    const Residue root = power(ring, base, (n - 1) / 2);
    if (root != 1 && root != n - 1) return false;
  }
  return true;
}

bool divides_any(uint32_t prime, std::span<const mpz_class> units) {
  return std::any_of(units.begin(), units.end(),
                     [&](const mpz_class& x) { return x != 0 && mpz_divisible_ui_p(x.get_mpz_t(), prime) != 0; });
}

}  // namespace

std::vector<Mod31> draw_lane_primes(size_t lanes, uint64_t seed, std::span<const mpz_class> units) {
  constexpr uint32_t kStep = 24, kCandidates = (uint32_t{1} << 24) / kStep;
  const KeyedHash keys(seed, 0x6c616e65706d73u);
  std::vector<Mod31> primes;
  for (uint64_t i = 0; primes.size() < lanes; ++i) {
    const uint32_t candidate = (uint32_t{1} << 31) - 9 - kStep * scaled(keys.with(i), kCandidates);
    const auto is_candidate = [&](const Mod31& p) { return p.modulus() == candidate; };
    if (std::any_of(primes.begin(), primes.end(), is_candidate)) continue;
    if (is_lane_prime(candidate) && !divides_any(candidate, units)) primes.emplace_back(candidate);
  }
  return primes;
}

}  // namespace isoshard::sim

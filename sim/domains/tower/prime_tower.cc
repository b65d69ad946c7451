// A tower is drawn from its last prime upwards. That 2, 3 and 5 be squares modulo a prime p is a congruence, which
// p = -1 modulo 120 fulfils; and of the small k only k = 2 keeps it from p to k p + 1. So each prime is twice the next
// one and 1 (a Cunningham chain), the smallest of h primes below 2^30 has 30 - h bits or one more, and a chain is found
// among some thousands of candidates. That -1 be a square needs p = 1 modulo 4: with 2 and 3 that is p = 1 modulo 24,
// which p to 24 p + 1 keeps; modulo 5 that exchanges 2 and 4, so the first prime may be a square there and is 4.
#include "sim/domains/tower/prime_tower.h"

#include <gmpxx.h>

#include <algorithm>

#include "core/support/check.h"
#include "sim/domains/keyed_hash.h"

namespace isoshard::sim {
namespace {

using Word = std::function<uint64_t()>;

constexpr uint64_t kStep = 120;

/// Which chains: each prime is `factor` times the next one and 1, the last one is -below modulo kStep.
struct ChainKind {
  uint64_t factor, below;
};

ChainKind kind_of(size_t height, PrimeSize size) {
  if (size != PrimeSize::split) return {2, 1};
  return {24, kStep - (height % 2 == 0 ? 97 : 49)};
}

/// The first prime is below 2^first_bits.
int first_bits(PrimeSize size) { return size == PrimeSize::small ? 30 : 61; }

/// Of a number without small divisors: most that are not are known by 2^(p-1) modulo p.
bool is_prime(uint64_t p) {
  if (PrimeField(p).power(2, p - 1) != 1) return false;
  const mpz_class number(static_cast<unsigned long>(p));
  return mpz_probab_prime_p(number.get_mpz_t(), 25) != 0;
}

/// first, 2 first + 1, ... (of factor 2): smallest first.
std::vector<uint64_t> chain_from(uint64_t first, size_t height, uint64_t factor) {
  std::vector<uint64_t> chain{first};
  while (chain.size() < height) chain.push_back(factor * chain.back() + 1);
  return chain;
}

/// Which of the chains from first, first + kStep, ... have no member with a divisor from 7 to 47.
std::vector<bool> sieve_chains(uint64_t first, size_t count, size_t height, uint64_t factor) {
  std::vector<bool> result(count, true);
  for (const uint64_t small : {7U, 11U, 13U, 17U, 19U, 23U, 29U, 31U, 37U, 41U, 43U, 47U}) {
    for (uint64_t residue = 0; residue < small; ++residue) {  // of the first member
      const std::vector<uint64_t> chain = chain_from(first + residue * kStep, height, factor);
      if (std::none_of(chain.begin(), chain.end(), [&](uint64_t q) { return q % small == 0; })) continue;
      for (uint64_t i = residue; i < count; i += small) result[i] = false;
    }
  }
  return result;
}

/// Largest first. Looks at windows of candidates that begin anywhere.
std::vector<uint64_t> draw_chain(size_t height, PrimeSize size, const Word& word) {
  const ChainKind kind = kind_of(height, size);
  const uint64_t least = uint64_t{1} << PrimeTower::log2_least(height, size);
  const uint64_t begin = least / kStep + 1, end = 4 * (least / kStep);
  const size_t window = size == PrimeSize::small ? 1U << 10 : 1U << 15;
  for (;;) {
    const uint64_t first = (begin + word() % (end - begin - window)) * kStep - kind.below;
    const std::vector<bool> candidates = sieve_chains(first, window, height, kind.factor);
    for (size_t i = 0; i < window; ++i) {
      if (!candidates[i]) continue;
      std::vector<uint64_t> chain = chain_from(first + i * kStep, height, kind.factor);
      if (!std::all_of(chain.begin(), chain.end(), is_prime)) continue;
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
  }
}

/// A number of order `order`, a prime that divides p - 1.
uint64_t element_of_order(const PrimeField& field, uint64_t order, const Word& word) {
  uint64_t g = 1;
  while (g <= 1) g = field.power(word() % field.modulus(), (field.modulus() - 1) / order);
  return g;
}

std::vector<uint64_t> generators_of(const std::vector<uint64_t>& primes, const Word& word) {
  std::vector<uint64_t> result;
  for (size_t i = 0; i + 1 < primes.size(); ++i) {
    ISOSHARD_CHECK((primes[i] - 1) % primes[i + 1] == 0, "each prime divides the one before, less 1");
    result.push_back(element_of_order(PrimeField(primes[i]), primes[i + 1], word));
  }
  return result;
}

/// g^(d · 256^i) at [i][d].
std::vector<std::vector<uint64_t>> powers_of(const PrimeField& field, uint64_t g, uint64_t order) {
  std::vector<std::vector<uint64_t>> result;
  for (uint64_t rest = order; rest != 0; rest >>= 8) {
    std::vector<uint64_t> digit{1};
    while (digit.size() < 256) digit.push_back(field.multiply(digit.back(), g));
    g = field.multiply(digit.back(), g);
    result.push_back(std::move(digit));
  }
  return result;
}

}  // namespace

/// A factor 24 takes 4.6 bits.
int PrimeTower::log2_least(size_t height, PrimeSize size) {
  const int steps = static_cast<int>(height) - 1;
  return first_bits(size) - 2 - (size == PrimeSize::split ? (46 * steps + 9) / 10 : steps);
}

PrimeTower::PrimeTower(size_t height, PrimeSize size, const Word& word)
    : PrimeTower(draw_chain(height, size, word), word) {}

Towers draw_towers(size_t lanes, size_t height, PrimeSize size, uint64_t seed) {
  const KeyedHash keys(seed, 0x746f77657273u);
  auto towers = std::make_shared<std::vector<PrimeTower>>();
  for (size_t l = 0; l < lanes; ++l) {
    const KeyedHash lane(keys.with(2 * l), keys.with(2 * l + 1));
    towers->emplace_back(height, size, [&lane, i = uint64_t{0}]() mutable { return lane.with(i++); });
  }
  return towers;
}

PrimeTower::PrimeTower(const std::vector<uint64_t>& primes, const Word& word)
    : PrimeTower(primes, generators_of(primes, word)) {}

PrimeTower::PrimeTower(const std::vector<uint64_t>& primes, const std::vector<uint64_t>& generators)
    : fields_(primes.begin(), primes.end()) {
  ISOSHARD_CHECK(height() >= kMinHeight && height() <= kMaxHeight, "a tower has 2 to 5 primes");
  for (size_t i = 0; i + 1 < height(); ++i) powers_.push_back(powers_of(fields_[i], generators[i], primes[i + 1]));
}

}  // namespace isoshard::sim

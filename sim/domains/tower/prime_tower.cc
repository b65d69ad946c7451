// A tower is drawn from its last prime upwards. That 2, 3 and 5 be squares modulo a prime p is a congruence, which
// p = -1 modulo 120 fulfils; and of the small k only k = 2 keeps it from p to k p + 1. So each prime is twice the next
// one and 1 (a Cunningham chain), the smallest of h primes below 2^30 has 30 - h bits or one more, and a chain is found
// among some thousands of candidates.
#include "sim/domains/tower/prime_tower.h"

#include <gmpxx.h>

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

using Word = std::function<uint64_t()>;

/// The first prime is below 2^first_bits.
int first_bits(PrimeSize size) { return size == PrimeSize::small ? 30 : 61; }

bool is_prime(uint64_t p) {
  for (const uint64_t small : {7U, 11U, 13U, 17U, 19U, 23U}) {
    if (p % small == 0) return false;
  }
  const mpz_class number(static_cast<unsigned long>(p));
  return mpz_probab_prime_p(number.get_mpz_t(), 25) != 0;
}

/// Largest first.
std::vector<uint64_t> draw_chain(size_t height, PrimeSize size, const Word& word) {
  constexpr uint64_t kStep = 120;
  const uint64_t least = uint64_t{1} << PrimeTower::log2_least(height, size);
  for (;;) {
    std::vector<uint64_t> chain(height);
    uint64_t p = (least / kStep + 1 + word() % (3 * least / kStep - 1)) * kStep - 1;  // below 4 · least
    for (size_t i = height; i-- > 0; p = 2 * p + 1) chain[i] = p;
    bool primes = true;
    for (size_t i = height; primes && i-- > 0;) primes = is_prime(chain[i]);
    if (primes) return chain;
  }
}

/// A number of order `order`, a prime that divides p - 1.
uint64_t element_of_order(const PrimeField& field, uint64_t order, const Word& word) {
  uint64_t g = 1;
  while (g <= 1) g = field.power(word() % field.modulus(), (field.modulus() - 1) / order);
  return g;
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

int PrimeTower::log2_least(size_t height, PrimeSize size) { return first_bits(size) - static_cast<int>(height) - 1; }

PrimeTower::PrimeTower(size_t height, PrimeSize size, const Word& word)
    : PrimeTower(draw_chain(height, size, word), word) {}

PrimeTower::PrimeTower(const std::vector<uint64_t>& primes, const Word& word) : fields_(primes.begin(), primes.end()) {
  ISOSHARD_CHECK(height() >= kMinHeight && height() <= kMaxHeight, "a tower has 2 to 5 primes");
  for (size_t i = 0; i + 1 < height(); ++i) {
    ISOSHARD_CHECK((primes[i] - 1) % primes[i + 1] == 0, "each prime divides the one before, less 1");
    powers_.push_back(powers_of(fields_[i], element_of_order(fields_[i], primes[i + 1], word), primes[i + 1]));
  }
}

}  // namespace isoshard::sim

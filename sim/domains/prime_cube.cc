#include "sim/domains/prime_cube.h"

#include <algorithm>
#include <vector>

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

constexpr uint32_t kFirst = uint32_t{1} << 20;
constexpr size_t kPrimes = 64;

bool is_prime(uint32_t x) {
  for (uint32_t d = 3; d * d <= x; d += 2) {
    if (x % d == 0) return false;
  }
  return x % 2 == 1;
}

/// 7 mod 8 makes 2 a square and -1 none; 11 mod 12 and 1 or 4 mod 5 make 3 and 5 squares.
bool has_roots(uint32_t p) { return p % 8 == 7 && p % 12 == 11 && (p % 5 == 1 || p % 5 == 4); }

uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t modulus) {  // modulus < 2^32
  uint64_t result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1, base = base * base % modulus) {
    if ((exponent & 1) != 0) result = result * base % modulus;
  }
  return result;
}

std::vector<uint32_t> find_primes() {
  std::vector<uint32_t> primes;
  for (uint32_t p = kFirst + 7; primes.size() < kPrimes; p += 8) {
    if (has_roots(p) && is_prime(p)) primes.push_back(p);
  }
  return primes;
}

}  // namespace

PrimeCube::PrimeCube(uint32_t prime)
    : prime_(prime), modulus_(static_cast<uint64_t>(prime) * prime * prime), reciprocal_(0) {
  ISOSHARD_CHECK(prime > kFirst && modulus_ >> 61 == 0, "p^3 lies between 2^60 and 2^61");
  reciprocal_ = static_cast<uint64_t>((static_cast<Wide>(1) << 122) / modulus_);
}

uint64_t PrimeCube::power(uint64_t base, uint64_t exponent) const {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base)) {
    if ((exponent & 1) != 0) result = multiply(result, base);
  }
  return result;
}

uint64_t PrimeCube::signed_power(uint64_t unit, int64_t exponent) const {
  if (exponent >= 0) return power(unit, static_cast<uint64_t>(exponent));
  return power(inverse(unit), uint64_t{0} - static_cast<uint64_t>(exponent));
}

/// The inverse modulo p, made exact by two steps of Newton's: each doubles the digits.
uint64_t PrimeCube::inverse(uint64_t unit) const {
  uint64_t x = power_mod(unit, prime_ - 2, prime_);
  for (int i = 0; i < 2; ++i) x = multiply(x, subtract(2, multiply(unit, x)));
  return x;
}

uint64_t PrimeCube::exponential(uint64_t x) const {
  const uint64_t p = prime_, square = p * p, low = x % square, digit = x % p;
  const uint64_t pairs = digit * (digit + p - 1) % p * ((p + 1) / 2) % p;  // x(x-1)/2
  return 1 + p * ((low + p * pairs) % square);
}

uint64_t PrimeCube::dot(int64_t n, const uint64_t* a, const uint64_t* b, int64_t stride) const {
  constexpr int64_t kTerms = 32;  // 32 products are below 2^127
  uint64_t result = 0;
  for (int64_t i = 0; i < n;) {
    Wide sum = 0;
    for (const int64_t end = std::min(n, i + kTerms); i < end; ++i) sum += static_cast<Wide>(a[i]) * b[i * stride];
    result = add(result, static_cast<uint64_t>(sum % modulus_));
  }
  return result;
}

uint64_t PrimeCube::residue(int64_t x) const {
  const int64_t rest = x % static_cast<int64_t>(modulus_);
  return static_cast<uint64_t>(rest < 0 ? rest + static_cast<int64_t>(modulus_) : rest);
}

std::optional<uint64_t> PrimeCube::residue(const mpq_class& x) const {
  if (x.get_den() == 1) return mpz_fdiv_ui(x.get_num_mpz_t(), modulus_);
  const uint64_t denominator = mpz_fdiv_ui(x.get_den_mpz_t(), modulus_);
  if (!is_unit(denominator)) return std::nullopt;
  return multiply(mpz_fdiv_ui(x.get_num_mpz_t(), modulus_), inverse(denominator));
}

uint64_t PrimeCube::residue(uint64_t high, uint64_t low) const {
  return static_cast<uint64_t>((static_cast<Wide>(high) << 64 | low) % modulus_);
}

std::optional<uint64_t> PrimeCube::square_root(uint32_t prime) const {
  if (prime % prime_ == 0 || power_mod(prime, (prime_ - 1) / 2, prime_) != 1) return std::nullopt;
  uint64_t y = power_mod(prime, (prime_ + 1) / 4, prime_);  // p is 3 modulo 4
  const uint64_t half = (modulus_ + 1) / 2;
  for (int i = 0; i < 2; ++i) y = multiply(add(y, multiply(prime, inverse(y))), half);
  return y;
}

std::span<const uint32_t> cube_primes() {
  static const std::vector<uint32_t> primes = find_primes();
  return primes;
}

}  // namespace isoshard::sim

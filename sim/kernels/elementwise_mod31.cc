// Elementwise arithmetic of residues modulo a prime of 31 bits. Sums and differences have loops without branches, which
// the compiler vectorises for each instruction set. Products need 64 bits, which a vector has for every other element
// only, so that AVX2 multiplies even and odd ones apart and reduces them without a division (mod31_avx2.h). Results are
// the least residues, thus equal on all instruction sets. Cost: one pass.
#include "sim/kernels/elementwise_mod31.h"

#include "core/ir/scalar/host_device.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/mod31_avx2.h"

namespace isoshard::sim {
namespace {

// Written without branches for the vectoriser; Mod31 says what they mean.

struct AddResidues {
  ISOSHARD_SCALAR static void run(Residue p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) {
      const Residue sum = a[i] + b[i];
      y[i] = sum >= p ? sum - p : sum;
    }
  }
};
struct SubtractResidues {
  ISOSHARD_SCALAR static void run(Residue p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) {
      const Residue sum = a[i] + (p - b[i]);
      y[i] = sum >= p ? sum - p : sum;
    }
  }
};
struct NegateResidues {
  ISOSHARD_SCALAR static void run(Residue p, const Residue* x, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] == 0 ? 0 : p - x[i];
  }
};

void multiply_residues(const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = p.multiply(a[i], b[i]);
}

#if ISOSHARD_HAVE_AVX2
/// Eight at a time: even and odd ones have 64 bits each.
ISOSHARD_TARGET_AVX2 std::int64_t multiply_eights(const Mod31& p, const Residue* a, const Residue* b, Residue* y,
                                                  std::int64_t n) {
  const Mod31Vectors modulo = Mod31Vectors::of(p);
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    const __m256i right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
    const __m256i even = modulo.reduced(_mm256_mul_epu32(left, right));
    const __m256i odd = modulo.reduced(_mm256_mul_epu32(_mm256_srli_epi64(left, 32), _mm256_srli_epi64(right, 32)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i), _mm256_or_si256(even, _mm256_slli_epi64(odd, 32)));
  }
  return i;
}
#endif

}  // namespace

void negate_mod31(Isa isa, const Mod31& p, const Residue* x, Residue* y, std::int64_t n) {
  dispatch<NegateResidues>(isa, p.modulus(), x, y, n);
}
void add_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  dispatch<AddResidues>(isa, p.modulus(), a, b, y, n);
}
void subtract_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  dispatch<SubtractResidues>(isa, p.modulus(), a, b, y, n);
}
void multiply_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  std::int64_t done = 0;
#if ISOSHARD_HAVE_AVX2
  if (isa != Isa::scalar) done = multiply_eights(p, a, b, y, n);
#endif
  static_cast<void>(isa);
  multiply_residues(p, a + done, b + done, y + done, n - done);
}
void accumulate_mod31(Isa isa, const Mod31& p, Residue* acc, const Residue* x, std::int64_t n) {
  dispatch<AddResidues>(isa, p.modulus(), static_cast<const Residue*>(acc), x, acc, n);
}

}  // namespace isoshard::sim

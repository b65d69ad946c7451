// Products modulo any odd number below 2^61. Below 2^31 entries fit 32 bits and gemm_mod31 multiplies them, modulo the
// multiple of the modulus by a power of two that has 31 bits; what it gives is reduced by one subtraction for each such
// factor. Larger ones are products of limbs in f64 where there are enough terms (gemm_residues.cc), otherwise sums in
// 128 bits, of which a division ends every 32 terms. Cost: m n k products, and a pass over A, B and C.
#include "sim/kernels/gemm_modulo.h"

#include <algorithm>
#include <bit>

#include "core/ir/scalar/host_device.h"
#include "core/support/check.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_residues.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/panel.h"

namespace isoshard::sim {
namespace {

using Words = const std::uint64_t*;

struct NarrowWords {
  ISOSHARD_SCALAR static void run(Words x, Residue* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) y[i] = static_cast<Residue>(x[i]);
  }
};

/// Takes `modulus` off where it can be.
struct TakeOff {
  ISOSHARD_SCALAR static void run(Residue modulus, Residue* x, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) x[i] = x[i] >= modulus ? x[i] - modulus : x[i];
  }
};

struct WidenWords {
  ISOSHARD_SCALAR static void run(const Residue* x, std::uint64_t* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) y[i] = x[i];
  }
};

void multiply_narrow(Isa isa, Residue modulus, Index m, Index n, Index k, Words a, Words b, std::uint64_t* c) {
  thread_local Panel<Residue> panel;
  Residue* const left = panel.reserve(m * k + k * n + m * n);
  Residue *const right = left + m * k, *const result = right + k * n;
  dispatch<NarrowWords>(isa, a, left, m * k);
  dispatch<NarrowWords>(isa, b, right, k * n);
  const int factors = 31 - static_cast<int>(std::bit_width(modulus));
  const Mod31 multiple(modulus << factors);
  gemm_mod31(isa, multiple, m, n, k, left, k, right, n, result, n);
  for (int f = factors; f-- > 0;) dispatch<TakeOff>(isa, modulus << f, result, m * n);
  dispatch<WidenWords>(isa, static_cast<const Residue*>(result), c, m * n);
}

/// sum of a[i] b[i] modulo a number below 2^61
std::uint64_t dot_modulo(std::uint64_t modulus, Index n, Words a, Words b) {
  __extension__ using Wide = unsigned __int128;
  constexpr Index kTerms = 32;  // of which the sum is below 2^127
  std::uint64_t result = 0;
  for (Index i = 0; i < n;) {
    Wide sum = result;
    for (const Index end = std::min(n, i + kTerms); i < end; ++i) sum += static_cast<Wide>(a[i]) * b[i];
    result = static_cast<std::uint64_t>(sum % modulus);
  }
  return result;
}

void multiply_in_words(std::uint64_t modulus, Index m, Index n, Index k, Words a, Words b, std::uint64_t* c) {
  thread_local Panel<std::uint64_t> panel;
  std::uint64_t* const columns = panel.reserve(k * n);
  for (Index t = 0; t < k; ++t) {
    for (Index j = 0; j < n; ++j) columns[j * k + t] = b[t * n + j];
  }
  for (Index i = 0; i < m * n; ++i) c[i] = dot_modulo(modulus, k, a + i / n * k, columns + i % n * k);
}

}  // namespace

void gemm_modulo(Isa isa, std::uint64_t modulus, Index m, Index n, Index k, Words a, Words b, std::uint64_t* c) {
  ISOSHARD_CHECK(modulus > 2 && modulus % 2 == 1 && modulus >> 61 == 0, "a product modulo an odd number below 2^61");
  ISOSHARD_CHECK(m >= 0 && n >= 0 && k >= 0, "a matrix product with a negative size");
  if (modulus >> 31 == 0) return multiply_narrow(isa, static_cast<Residue>(modulus), m, n, k, a, b, c);
  const detail::ResidueMatrices<std::uint64_t> p{modulus, m, n, k, {a, k}, {b, n}, c, n};
  const Index terms = isa == Isa::avx512 ? 32 * 32 * 32 : 96 * 96 * 96;
  if (isa != Isa::scalar && pays_by_floats(p, terms)) return multiply_wide_by_floats(isa, p);
  multiply_in_words(modulus, m, n, k, a, b, c);
}

}  // namespace isoshard::sim

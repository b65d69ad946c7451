#include "sim/kernels/elementwise_mod31.h"

#include "core/ir/scalar/host_device.h"

namespace isoshard::sim {
namespace {

// Written without branches for the vectoriser; the inline functions of the header say what they mean.

ISOSHARD_SCALAR Residue lowered(Residue x) { return x >= kMod31 ? x - kMod31 : x; }

struct AddResidues {
  ISOSHARD_SCALAR static Residue of(Residue a, Residue b) { return lowered(a + b); }
};
struct SubtractResidues {
  ISOSHARD_SCALAR static Residue of(Residue a, Residue b) { return lowered(a + (kMod31 - b)); }
};
struct MultiplyResidues {
  ISOSHARD_SCALAR static Residue of(Residue a, Residue b) {
    const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
    return lowered(static_cast<Residue>(product & kMod31) + static_cast<Residue>(product >> 31));
  }
};

template <typename Op>
struct ResidueLoop {
  ISOSHARD_SCALAR static void run(const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(a[i], b[i]);
  }
  ISOSHARD_SCALAR static void run(const Residue* a, Residue b, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(a[i], b);
  }
  ISOSHARD_SCALAR static void run(Residue a, const Residue* b, Residue* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(a, b[i]);
  }
};

template <typename Op, typename A, typename B>
ISOSHARD_TARGET_AVX2 void run_residues_avx2(A a, B b, Residue* y, std::int64_t n) {
  ResidueLoop<Op>::run(a, b, y, n);
}

template <typename Op, typename A, typename B>
void dispatch_residues(Isa isa, A a, B b, Residue* y, std::int64_t n) {
  if (isa == Isa::avx2) return run_residues_avx2<Op>(a, b, y, n);
  ResidueLoop<Op>::run(a, b, y, n);
}

}  // namespace

void negate_mod31(Isa isa, const Residue* x, Residue* y, std::int64_t n) {
  dispatch_residues<SubtractResidues>(isa, Residue{0}, x, y, n);
}
void add_mod31(Isa isa, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  dispatch_residues<AddResidues>(isa, a, b, y, n);
}
void subtract_mod31(Isa isa, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  dispatch_residues<SubtractResidues>(isa, a, b, y, n);
}
void multiply_mod31(Isa isa, const Residue* a, const Residue* b, Residue* y, std::int64_t n) {
  dispatch_residues<MultiplyResidues>(isa, a, b, y, n);
}
void add_scalar_mod31(Isa isa, const Residue* a, Residue b, Residue* y, std::int64_t n) {
  dispatch_residues<AddResidues>(isa, a, b, y, n);
}
void multiply_scalar_mod31(Isa isa, const Residue* a, Residue b, Residue* y, std::int64_t n) {
  dispatch_residues<MultiplyResidues>(isa, a, b, y, n);
}
void accumulate_mod31(Isa isa, Residue* acc, const Residue* x, std::int64_t n) {
  dispatch_residues<AddResidues>(isa, static_cast<const Residue*>(acc), x, acc, n);
}

}  // namespace isoshard::sim

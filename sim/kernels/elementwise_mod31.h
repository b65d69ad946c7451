#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"
#include "sim/kernels/mod31.h"

namespace isoshard::sim {

/// Exact ring operations on arrays of n residues; y may be an input itself, otherwise they must not overlap.
void negate_mod31(Isa isa, const Mod31& p, const Residue* x, Residue* y, std::int64_t n);
void add_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n);
void subtract_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n);
void multiply_mod31(Isa isa, const Mod31& p, const Residue* a, const Residue* b, Residue* y, std::int64_t n);

/// acc[i] += x[i] for i < n; acc must not overlap x.
void accumulate_mod31(Isa isa, const Mod31& p, Residue* acc, const Residue* x, std::int64_t n);

}  // namespace isoshard::sim

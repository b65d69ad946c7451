#include "sim/kernels/mod31.h"

#include "core/support/check.h"

namespace isoshard::sim {

Mod31::Mod31(Residue modulus)
    : modulus_(modulus),
      reciprocal_(static_cast<std::uint64_t>((static_cast<Wide>(1) << 64) / modulus)),
      quotient62_(static_cast<Residue>((std::uint64_t{1} << 62) / modulus)),
      power32_(reduce(std::uint64_t{1} << 32)),
      power62_(reduce(std::uint64_t{1} << 62)) {
  ISOSHARD_CHECK(modulus >> 30 == 1 && modulus != 1U << 30, "a modulus between 2^30 and 2^31");
}

}  // namespace isoshard::sim

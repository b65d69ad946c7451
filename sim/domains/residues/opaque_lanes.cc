#include "sim/domains/residues/opaque_lanes.h"

#include "core/support/check.h"

namespace isoshard::sim {

OpaqueLanes::OpaqueLanes(const std::vector<Mod31>& moduli, uint64_t seed) : lanes_(moduli.size()) {
  ISOSHARD_CHECK(lanes_ >= 1 && lanes_ <= kMaxLanes, "a ring has 1 to 8 lanes");
  for (size_t l = 0; l < lanes_; ++l) moduli_[l] = moduli[l].modulus();
  const KeyedHash keys(seed, 0x697365656e746f6eu);
  functions_.assign(kOpaqueFunctions, KeyedHash(keys.with(0), keys.with(1)));
  for (size_t f = 0; f < functions_.size(); ++f) functions_[f].absorb(f);
  for (size_t l = 0; l < kMaxLanes; ++l) lane_keys_[l] = keys.with(2 + l);
}

/// 31 bits of a hash, two lanes from each, and other bits where they are no such unit.
OpaqueLanes::Tuple OpaqueLanes::of(Opaque function, std::initializer_list<Tuple> arguments) const {
  constexpr uint64_t kBits = (uint64_t{1} << 31) - 1;
  KeyedHash hash = functions_[static_cast<size_t>(function)];
  for (const Tuple& argument : arguments) {
    for (size_t l = 0; l < lanes_; l += 2) {
      const uint64_t high = l + 1 < lanes_ ? argument[l + 1] : 0;
      hash.absorb(high << 32 | argument[l]);
    }
  }
  Tuple result{};
  hash.close();
  for (size_t l = 0; l < lanes_; l += 2) {
    const bool two = l + 1 < lanes_;
    const uint64_t units = moduli_[l] - 2, other_units = two ? moduli_[l + 1] - 2 : kBits + 1;
    uint64_t word = hash.squeeze(lane_keys_[l]);
    while ((word & kBits) >= units || (word >> 33) >= other_units) word = hash.squeeze(lane_keys_[l]);
    result[l] = 2 + static_cast<uint32_t>(word & kBits);
    if (two) result[l + 1] = 2 + static_cast<uint32_t>(word >> 33);
  }
  return result;
}

OpaqueLanes::Tuple OpaqueLanes::padding(uint64_t seed, uint64_t i) const {
  KeyedHash element = functions_[static_cast<size_t>(Opaque::padding)];
  element.absorb(seed);
  element.absorb(i);
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = scaled(element.with(lane_keys_[l]), moduli_[l]);
  return result;
}

}  // namespace isoshard::sim

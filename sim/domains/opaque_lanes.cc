#include "sim/domains/opaque_lanes.h"

#include "core/support/check.h"
#include "sim/kernels/elementwise_mod31.h"

namespace isoshard::sim {

OpaqueLanes::OpaqueLanes(size_t lanes, uint64_t seed) : lanes_(lanes) {
  ISOSHARD_CHECK(lanes >= 1 && lanes <= kMaxLanes, "a ring has 1 to 8 lanes");
  const KeyedHash keys(seed, 0x697365656e746f6eu);
  functions_.assign(kOpaqueFunctions, KeyedHash(keys.with(0), keys.with(1)));
  for (size_t f = 0; f < functions_.size(); ++f) functions_[f].absorb(f);
  for (size_t l = 0; l < kMaxLanes; ++l) lane_keys_[l] = keys.with(2 + l);
}

/// 31 bits of a hash, two lanes from each, and other bits in the rare case that they are no such unit.
OpaqueLanes::Tuple OpaqueLanes::of(Opaque function, std::initializer_list<Tuple> arguments) const {
  constexpr uint64_t kUnits = kMod31 - 2;
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
    uint64_t word = hash.squeeze(lane_keys_[l]);
    while ((word & kMod31) >= kUnits || (word >> 33) >= kUnits) word = hash.squeeze(lane_keys_[l]);
    result[l] = 2 + static_cast<uint32_t>(word & kMod31);
    if (l + 1 < lanes_) result[l + 1] = 2 + static_cast<uint32_t>(word >> 33);
  }
  return result;
}

OpaqueLanes::Tuple OpaqueLanes::padding(uint64_t seed, uint64_t i) const {
  KeyedHash element = functions_[static_cast<size_t>(Opaque::padding)];
  element.absorb(seed);
  element.absorb(i);
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = scaled(element.with(lane_keys_[l]), kMod31);
  return result;
}

}  // namespace isoshard::sim

#include "sim/domains/tower/opaque_towers.h"

#include <utility>

namespace isoshard::sim {
namespace {

KeyedHash tower_hash(uint64_t seed, uint64_t which) {
  const KeyedHash keys(seed, 0x6578706f6e656e74u);
  return {keys.with(2 * which), keys.with(2 * which + 1)};
}

}  // namespace

OpaqueTowers::OpaqueTowers(std::vector<PrimeField> fields, size_t lanes, uint64_t seed)
    : fields_(std::move(fields)), lanes_(lanes), hash_(tower_hash(seed, 0)) {
  const KeyedHash keys = tower_hash(seed, 1);
  for (size_t r = 0; r < residue_keys_.size(); ++r) residue_keys_[r] = keys.with(r);
}

KeyedHash OpaqueTowers::begin(Opaque function) const {
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(function));
  return hash;
}

void OpaqueTowers::absorb_component(const TowerResidues& x, size_t component, KeyedHash& hash) const {
  for (size_t l = 0; l < lanes_; ++l) hash.absorb(x[component * lanes_ + l]);
}

void OpaqueTowers::close(KeyedHash& hash, size_t first, size_t last, TowerResidues& result) const {
  hash.close();
  for (size_t r = first; r < last; ++r) {
    do {
      const uint64_t high = hash.squeeze(residue_keys_[r]);
      result[r] = fields_[r].residue(high, fields_[r].is_small() ? 0 : hash.squeeze(residue_keys_[r]));
    } while (result[r] < 2);
  }
}

uint64_t OpaqueTowers::padding(uint64_t seed, size_t lane, uint64_t i) const {
  KeyedHash hash = begin(Opaque::padding);
  for (const uint64_t word : {seed, i}) hash.absorb(word);
  return hash.with(residue_keys_[lane]);
}

}  // namespace isoshard::sim

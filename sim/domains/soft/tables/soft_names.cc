// Names and weights of variables that stand for integers (docs/adr/0031-soft-integers.md). A name is a keyed hash of a
// function and its arguments, so that both programs give one name to what is the same. The weights of its entries are
// random residues per field that add up to 1; to the fields of the ring come two of 61 bits, which tell tables apart.
// Other kinds of weights are for tests. Cost: two words of a hash per entry and field.
#include "sim/domains/soft/tables/soft_names.h"

#include <utility>

#include "core/support/mix.h"

namespace isoshard::sim {
namespace {

/// What is hashed besides the arguments.
enum class SoftHash : uint64_t { name, weight };

}  // namespace

SoftNames::SoftNames(std::vector<PrimeField> fields, uint64_t seed, Weights weights, SoftLimits limits)
    : fields_(std::move(fields)),
      of_ring_(fields_.size()),
      key_(mix(seed), mix(seed + 1)),
      kind_(weights),
      limits_(limits) {
  fields_.insert(fields_.end(), {PrimeField((uint64_t{1} << 61) - 1), PrimeField((uint64_t{1} << 61) - 31)});
}

SoftName SoftNames::name(uint64_t function, std::span<const uint64_t> parts) const {
  KeyedHash hash = key_;
  hash.absorb(static_cast<uint64_t>(SoftHash::name));
  hash.absorb(function);
  for (const uint64_t part : parts) hash.absorb(part);
  hash.close();
  const uint64_t first = hash.squeeze(0);
  return {first, hash.squeeze(1)};
}

uint64_t SoftNames::random_weight(const SoftName& name, uint64_t entry, size_t residue) const {
  const SoftName of = kind_ == Weights::shared ? SoftName{} : name;
  KeyedHash hash = key_;
  for (const uint64_t word : {static_cast<uint64_t>(SoftHash::weight), of.first, of.second, entry}) hash.absorb(word);
  hash.absorb(residue);
  hash.close();
  const uint64_t high = hash.squeeze(0);
  return fields_[residue].residue(high, hash.squeeze(1));
}

std::vector<uint64_t> SoftNames::weights(const SoftName& name, size_t n) const {
  std::vector<uint64_t> result(n * fields_.size(), 0);
  for (size_t r = 0; r < fields_.size(); ++r) {
    if (kind_ == Weights::vertex) {
      result[name.first % n * fields_.size() + r] = 1;
      continue;
    }
    uint64_t rest = 1;
    for (size_t k = 0; k + 1 < n; ++k) {
      const uint64_t weight = result[k * fields_.size() + r] = random_weight(name, k, r);
      rest = fields_[r].subtract(rest, weight);
    }
    result[(n - 1) * fields_.size() + r] = rest;
  }
  return result;
}

}  // namespace isoshard::sim

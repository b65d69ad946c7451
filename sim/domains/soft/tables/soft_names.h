#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/domains/keyed_hash.h"
#include "sim/domains/prime_field.h"
#include "sim/domains/soft/tables/soft_limits.h"

namespace isoshard::sim {

/// 128 bits that tell one soft integer from another: of its input and element, or of the function and the arguments
/// that it is the result of.
struct SoftName {
  uint64_t first = 0, second = 0;
  bool operator==(const SoftName&) const = default;
  bool operator<(const SoftName& o) const { return first != o.first ? first < o.first : second < o.second; }
};

/// Gives soft integers names, and names random weights.
class SoftNames {
 public:
  /// How variables are weighted. All but `random` are for tests; the last three are mistakes that they plant.
  enum class Weights : uint8_t {
    random,
    vertex,   ///< each takes the one entry that its name picks, so that every integer is one number
    shared,   ///< all have the weights of one
    renewed,  ///< a comparison of floats is another variable each time, of the same weights: m m is not m
    early,    ///< functions see means, no tables
  };

  /// `fields` of the ring's residues. Integers are weighted in two fields of their own as well, in which no two numbers
  /// of 64 bits are equal: these name and compare integers.
  SoftNames(std::vector<PrimeField> fields, uint64_t seed, Weights weights, SoftLimits limits = {});

  Weights kind() const { return kind_; }
  const SoftLimits& limits() const { return limits_; }
  /// How many residues an element of the ring has, and how many a weight has.
  size_t residues() const { return of_ring_; }
  size_t weight_residues() const { return fields_.size(); }
  const PrimeField& field(size_t residue) const { return fields_[residue]; }

  /// A name made of what a function is and of numbers that it is applied to.
  SoftName name(uint64_t function, std::span<const uint64_t> numbers) const;
  uint64_t random_weight(const SoftName& name, uint64_t entry, size_t residue) const;
  /// The weights of n entries, adjacent per entry and of sum 1.
  std::vector<uint64_t> weights(const SoftName& name, size_t n) const;

 private:
  std::vector<PrimeField> fields_;
  size_t of_ring_;
  KeyedHash key_;
  Weights kind_;
  SoftLimits limits_;
};

}  // namespace isoshard::sim

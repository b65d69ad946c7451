#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/domains/domain.h"
#include "sim/domains/prime_field.h"

namespace isoshard::sim {

/// How a ring compares (docs/spec/order.md).
struct RingOrder {
  /// 0: soft predicates. A residue other than 0: the key r of a hard order (rungs B and Eh).
  uint64_t key = 0;
  /// Soft predicates: x > y and y > x are independent, so that x >= y is not x > y. Needed where an operand of a
  /// comparison itself depends on order, so that ties are not rare.
  bool ties_apart = true;
  /// Soft predicates: the maximum of three and more elements is an opaque function of their set, so that it is
  /// associative, commutative and idempotent (rung B, before any hard order).
  bool max_of_sets = false;
};

/// A random word for element i of a lane.
using RandomWord = std::function<uint64_t(size_t lane, uint64_t i)>;

/// The domain of a rung of the equivalence ladder: float values are elements of finite rings, one per lane.
///
/// Plane l of a value holds residues of lane l; further planes are the domain's own.
class ExactRing : public Domain {
 public:
  virtual size_t lanes() const = 0;
  /// Residues of `lane` are below it; it is below 2^61 and has no divisor below 2^20.
  virtual uint64_t modulus(size_t lane) const = 0;
  /// What first was beyond this rung (an infinity in a product, an index of argmax on soft predicates); empty: nothing.
  virtual std::string undecided() const = 0;
  /// The first constant or input met that is not a number of the ring.
  virtual std::optional<Rational> unrepresentable() const = 0;
  /// Writes n elements whose residues are uniform as far as `word` is, independent per element and lane.
  virtual void random(int64_t n, const RandomWord& word, std::byte* out) const = 0;
  /// The field of each residue of an element: those of all lanes, once per component.
  virtual std::vector<PrimeField> residue_fields() const = 0;
  /// The residues of element i of n, of an infinity or logarithm those that it is hashed as.
  virtual void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const = 0;
  virtual void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const = 0;
  /// Whether element i of n is a number, made of constants and discrete values only.
  virtual bool is_number(int64_t n, const std::byte* x, int64_t i) const = 0;
  /// Whether element i of n is a residue or a number, not an infinity nor a logarithm.
  virtual bool is_finite(int64_t /*n*/, const std::byte* /*x*/, int64_t /*i*/) const { return true; }
  /// The ring that calculates, where this one is around another.
  virtual const ExactRing& calculating() const { return *this; }
  /// Whether values of this dtype are the same where their bits are.
  virtual bool compares_bits(DType dtype) const { return !is_float(dtype) && dtype != DType::pred; }
  /// The residue of element i in `lane`; of a logarithm some residue that equal elements share.
  virtual uint64_t residue(const Value& x, size_t lane, int64_t i) const = 0;
  /// Lanes (bits) in which element i has no inverse.
  virtual uint32_t non_unit_lanes(const Value& x, int64_t i) const = 0;
  /// Replaces values that are to be compared with each other by ones that are the same bit for bit where they are
  /// equal.
  virtual void make_comparable(std::span<Value* const> values) const = 0;
  /// A keyed hash of every float element over all lanes: some function of it, 0 for 0 on rungs A and B.
  virtual Value opaque_identity(const Value& x) const = 0;
};

}  // namespace isoshard::sim

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/undefined/undefined_sets.h"

namespace isoshard::sim {

/// How the sets of n floats or predicates lie in an array: in one plane behind those of the ring. Ring and sets must
/// outlive it.
class UndefinedArrays {
 public:
  using Set = UndefinedSets::Set;
  using Sets = std::vector<Set>;
  using Element = UndefinedSets::Element;

  UndefinedArrays(const ExactRing& ring, UndefinedSets& sets);

  Storage storage(DType dtype) const;
  /// Empty where all are.
  Sets read(DType dtype, int64_t n, const std::byte* x) const;
  /// `sets` is empty where all are.
  void write(DType dtype, int64_t n, const Sets& sets, std::byte* out) const;
  /// The name of element i of n; 0 where there are too many conditions.
  Element element(int64_t n, const std::byte* x, int64_t i) const;
  /// Those of the weights of predicates, as elements of the ring.
  std::vector<Element> weights(int64_t n, const std::byte* predicate) const;

  /// Replaces the predicates that have a name, not 0, by any function of it, or by its negation.
  void write_any(const std::vector<Element>& names, bool negated, int64_t n, std::byte* predicates) const;

  /// A value of the ring, with empty sets, and back.
  Value with_sets(const Value& x) const;
  Value without_sets(const Value& x) const;
  /// A copy with these sets.
  Value with_sets(const Value& x, const Sets& sets) const;
  /// One per element.
  Sets sets_of(const Value& x) const;

 private:
  size_t plane_of_sets(DType dtype, int64_t n) const;

  const ExactRing& ring_;
  UndefinedSets& sets_;
  size_t residues_;  ///< of an element
};

}  // namespace isoshard::sim

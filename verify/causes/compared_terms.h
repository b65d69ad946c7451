#pragma once  // internal

#include <utility>
#include <vector>

#include "verify/evidence/element_terms.h"

namespace isoshard::verify {

/// Compares the terms of a wrong sum with those of the right one, by the residues of their factors. Both runs must
/// outlive it.
class ComparedTerms {
 public:
  using Key = std::vector<Fingerprint>;
  using Pairs = std::vector<std::pair<const Term*, const Term*>>;

  ComparedTerms(ElementSources& wrong, ElementSources& right) : wrong_(wrong), right_(right) {}

  /// The factors of a term of one of the two runs, in any order.
  static Key factors(const ElementSources& run, const Term& term);
  /// Leaves in both lists the terms that the other one lacks.
  void cancel(std::vector<Term>& s, std::vector<Term>& r) const;
  /// The pairs of a term of each that have most in common; a few, and those in their order where none has anything.
  Pairs likely_pairs(const std::vector<Term>& s, const std::vector<Term>& r);

 private:
  static Key key(const ElementSources& run, const Term& term);
  int likeness(const Term& s, const Term& r);

  ElementSources& wrong_;
  ElementSources& right_;
};

}  // namespace isoshard::verify

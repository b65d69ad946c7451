#pragma once

#include <optional>
#include <vector>

#include "verify/evidence/element_sources.h"

namespace isoshard::verify {

/// What a sum adds up: a weight, which depends on no input, times one element, or two of a contraction.
struct Term {
  std::vector<Element> factors{};
  std::vector<Element> bare{};  ///< the factors without what is in the weight: constants and copies
  Fingerprint weight{};
  std::vector<Element> path{};    ///< what the term went through from the sum on back, the sum first
  std::optional<Element> scaled;  ///< the result of the last op that changed the weight
};

/// One step of a copy that no input decides on, or nothing.
std::optional<Element> plain_copy(ElementSources& sources, const Made& made);

enum class TermKind : uint8_t {
  elements,      ///< of sums of every kind, but no terms that are 0
  chosen_zeros,  ///< also those that are 0 because an input chose so
  values,        ///< of sums of values: element n of each, also where it is 0; what reduces or moves one is a term
};

/// The terms of an element, through sums and multiplications with constants. Nothing when there are too many.
std::optional<std::vector<Term>> terms_of(ElementSources& sources, const Element& sum, TermKind kind);

}  // namespace isoshard::verify

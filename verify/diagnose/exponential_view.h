#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "verify/answers/diagnosis.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Two programs with exponentials as a diagnosis looks at them: in a ring that knows the laws of exp, with 0 for the
/// maxima that cancel in softmaxes (so that partial softmaxes have counterparts whatever maximum they use) and with
/// opaque identities where exponentials are nested deeply.
struct ExponentialView {
  Pair pair;
  RingOptions options;
  RingOutcome outcome;                 ///< with outputs that differ
  std::vector<std::string> facts;      ///< what a reader must know about this view
  std::optional<Diagnosis> diagnosis;  ///< where the programs differ in nothing but how they treat maxima
};

/// Nothing where the programs have no exponentials, the ring cannot speak about them, or it finds them equal. Plans
/// without loops.
std::optional<ExponentialView> view_exponentials(const Pair& pair, const RingOptions& options);

}  // namespace isoshard::verify

#pragma once

#include <string>
#include <vector>

#include "verify/defined_watch.h"
#include "verify/generic.h"
#include "verify/pair.h"

namespace isoshard::verify {

/// Whether the sharded program has a value wherever the reference has one, which formulas do not tell: n s / s is n
/// where s is not 0 (docs/spec/verdict.md, "Where a formula has no value").
class Definedness {
 public:
  /// `pair` must outlive it.
  explicit Definedness(const Pair& pair);

  /// The ring of the run that follows; `sharded` and `reference` are to see it.
  void observe(const sim::Domain& domain);
  DefinedWatch& sharded() { return sharded_; }
  DefinedWatch& reference() { return reference_; }

  /// Decides, after that run, which uses of the sharded program the reference vouches for. Then: what is left may fail
  /// on a thin set of inputs only, `%d != 0 (divide at FILE:LINE:COL)`.
  std::vector<std::string> conditions();
  /// Whether some use of the sharded program may fail on more.
  bool any_wide() const;
  /// Whether results of such uses may cancel, where `exponential` rings know laws of logarithms, too.
  /// Then outputs have to be equal with `opaque_arguments`, too.
  bool may_cancel(bool exponential) const;
  /// What the wide uses are applied to: an opaque function of it is to stand there.
  OpaqueArguments opaque_arguments() const;
  /// What `output`, which is equal as a formula, needs of inputs that is not known of all for which the reference has a
  /// value, in words; empty where there is nothing. `cancels`: it differs with opaque arguments.
  std::string rests_on(size_t output, bool cancels) const;

 private:
  std::string in_words(const PartialUse& use) const;

  const Pair& pair_;
  DefinedWatch reference_, sharded_;
  std::vector<bool> beyond_;  ///< per use of the sharded program
};

}  // namespace isoshard::verify

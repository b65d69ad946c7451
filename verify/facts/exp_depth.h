#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "sim/domains/tower/prime_tower.h"

namespace isoshard::verify {

/// How deeply exponentials may be nested for their laws to hold in the highest tower: beyond it they are opaque.
inline constexpr int kMostExpDepth = static_cast<int>(sim::PrimeTower::kMaxHeight) - 1;

/// How deeply exponentials are nested in an output on its worst path, between opaque functions.
struct ExpDepth {
  int depth = 0;      ///< counted up to kMostExpDepth + 1
  std::string value;  ///< the first whose depth is above kMostExpDepth
  Location location;
};

/// Per output of the Plan, over `steps` steps. A logarithm takes one off; where a logarithm is compared or hashed, that
/// counts as one exponential; logistic and tanh are made of one.
/// `opaque`: per value whether an opaque identity follows it; empty: after none. `by_exponentials`: so are
/// sinusoids and powers with exponents that are data.
std::vector<ExpDepth> exp_depths(const Plan& plan, int64_t steps, const std::vector<bool>& opaque = {},
                                 bool by_exponentials = false);

/// Where in a Plan exponentials are nested.
struct ExpNesting {
  std::vector<int> residue;           ///< per value: the depth of its residue, up to kMostExpDepth + 1
  std::vector<int> logarithm;         ///< per value: the depth of what it is the logarithm of; -1: it is none
  std::vector<InstructionId> first;   ///< whose results are exponentials of what depends on none
  std::vector<InstructionId> beyond;  ///< whose operands are the last that are not nested too deeply
  std::vector<InstructionId> deep;    ///< all that nest too deeply, those included

  bool depends_on_exp(size_t value) const { return residue[value] > 0 || logarithm[value] > 0; }
  /// The depth of what is hashed where an opaque function is applied to the value.
  int hash_depth(size_t value) const;
};
/// `most`: the depth that is not too much, at most kMostExpDepth.
ExpNesting exp_nesting(const Plan& plan, int64_t steps, const std::vector<bool>& opaque, int most = kMostExpDepth,
                       bool by_exponentials = false);

}  // namespace isoshard::verify

#pragma once

#include "parallel/module/model_builder.h"

namespace isoshard {

/// What layer normalisation adds to 1 / sqrt(variance + epsilon).
inline constexpr int64_t kEpsilonDenominator = 100000;  ///< epsilon = 1e-5

/// (x - mean) / sqrt(variance + 1e-5) * gamma + beta over the last dimension of x; gamma and beta are vectors of its
/// size (Ba et al. 2016; variance without Bessel's correction).
ValueId layer_norm(ModelBuilder& m, ValueId x, ValueId gamma, ValueId beta, std::string name,
                   const Location& location = Location::here());

/// exp(x - max) / sum over the last dimension of x; the maximum has no gradient.
ValueId softmax(ModelBuilder& m, ValueId x, std::string name, const Location& location = Location::here());

/// pred[n, n], true where the column is not above the row: what a causal attention may look at.
ValueId causal_mask(ModelBuilder& m, int64_t n, std::string name, const Location& location = Location::here());

/// `ids` forced into 0..count-1, as gather does.
ValueId clamp_ids(ModelBuilder& m, ValueId ids, int64_t count, std::string name,
                  const Location& location = Location::here());

/// ids relative to the device's block of `count / size(axis)` entries, and whether they lie in it.
struct LocalIds {
  ValueId ids;
  ValueId inside;
};
LocalIds local_ids(ModelBuilder& m, ValueId ids, int64_t count, const Group& axis,
                   const Location& location = Location::here());

/// Each of n experts' MLPs without biases, silu between, on its own tokens: [n, t, d] -> [n, t, d].
ValueId expert_mlps(ModelBuilder& m, ValueId tokens, ValueId w1, ValueId w2,
                    const Location& location = Location::here());

}  // namespace isoshard

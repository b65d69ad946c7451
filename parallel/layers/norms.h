#pragma once

#include "parallel/module/module.h"

/// Flax's normalisations over the last dimension, whose features may be split over an axis (docs/spec/originals.md,
/// "Norms").
///
/// Statistics and result are f32, whatever the float dtype of x; with a `dtype` the result is rounded to it at the end.
/// With an `axis`, over which x is V, the means are those of the features of all its devices (one all_reduce; pmean, so
/// every device has as many), and each device has its own `scale` and `bias` [features of x]: stand in a
/// model_parallelism_wrapper over the axis. A scalar x is an error (C-norm).
namespace isoshard {

/// x rsqrt(mean(x^2) + epsilon) scale (Zhang and Sennrich 2019; flax.linen.RMSNorm).
struct RmsNorm {
  Group axis{};
  Rational epsilon{1, 1'000'000};
  std::optional<DType> dtype{};
};
ValueId rms_norm(Scope& self, const RmsNorm& layer, ValueId x, const std::string& name = "",
                 const Location& location = Location::here());

/// (x - mean) rsqrt(variance + epsilon) scale + bias with variance = max(0, mean(x^2) - mean^2) (Ba et al. 2016;
/// flax.linen.LayerNorm with its fast variance).
struct LayerNorm {
  Group axis{};
  Rational epsilon{1, 1'000'000};
  std::optional<DType> dtype{};
};
ValueId layer_norm(Scope& self, const LayerNorm& layer, ValueId x, const std::string& name = "",
                   const Location& location = Location::here());

}  // namespace isoshard

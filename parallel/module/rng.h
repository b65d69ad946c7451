#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel/module/model_builder.h"

/// The functions of jax.random as values of a Program: the same key gives the same numbers (docs/spec/random.md,
/// "Distributions").
///
/// Keys are scalars; numbers are f32 with the bits of JAX on CPUs, and each device draws only its block of an array.
namespace isoshard {

/// Which numbers of a key are drawn: the block of `shape` at `start` of an array of `global_shape`.
struct Draw {
  Shape shape;
  Shape global_shape{};  ///< sizes of the whole array; `shape` where empty
  std::vector<ValueId>
      start{};  ///< one integer scalar per dimension, clamped so that the block lies inside; 0 if empty
  KeyLayout layout = KeyLayout::original;

  const Shape& whole() const { return global_shape.empty() ? shape : global_shape; }
};

/// jax.random.PRNGKey(seed): the key [0, seed].
ValueId prng_key(ModelBuilder& m, uint32_t seed, std::string name = "", Location location = Location::here());
/// fold_in(key, index of the device within `axis`): another key per index, the same on devices that agree in it. The
/// index of a tuple is row-major, the first axis most significant. A group of one still folds in 0: the result is
/// another key.
ValueId fold_rng_over_axis(ModelBuilder& m, ValueId key, const Group& axis, std::string name = "",
                           Location location = Location::here());
/// Element `index` of jax.random.split(key, count), a scalar key. Who needs several of them splits once.
ValueId split_key(ModelBuilder& m, ValueId key, int64_t index, int64_t count, KeyLayout layout = KeyLayout::original,
                  std::string name = "", Location location = Location::here());

/// f32 in [0, 1): multiples of 2^-23.
ValueId uniform(ModelBuilder& m, ValueId key, const Draw& draw, std::string name = "",
                Location location = Location::here());
/// f32 in [low, high): low + u (high - low) with one rounding, low < high.
ValueId uniform_range(ModelBuilder& m, ValueId key, const Draw& draw, float low, float high, std::string name = "",
                      Location location = Location::here());
/// Standard normal f32.
ValueId normal(ModelBuilder& m, ValueId key, const Draw& draw, std::string name = "",
               Location location = Location::here());
/// Standard normal f32 cut at -2 and 2: jax.random.truncated_normal(key, -2, 2).
ValueId truncated_normal(ModelBuilder& m, ValueId key, const Draw& draw, std::string name = "",
                         Location location = Location::here());
/// i32 in [low, high), low < high.
ValueId randint(ModelBuilder& m, ValueId key, const Draw& draw, int32_t low, int32_t high, std::string name = "",
                Location location = Location::here());
/// pred that holds where uniform < p.
ValueId bernoulli(ModelBuilder& m, ValueId key, const Draw& draw, float p, std::string name = "",
                  Location location = Location::here());

}  // namespace isoshard

#pragma once

#include <functional>
#include <string>

#include "parallel/module/rng.h"

namespace isoshard {

/// How a parameter begins: a value of a key and a shape (jax.nn.initializers, docs/spec/originals.md, "Dense layers").
/// A block of an array begins as the block of the whole: fan-in is that of `draw.whole()`.
struct Initializer {
  std::string name;  ///< for people: `lecun_normal`, `normal(0.02)`
  std::function<ValueId(ModelBuilder& m, ValueId key, const Draw& draw)> init;

  ValueId operator()(ModelBuilder& m, ValueId key, const Draw& draw) const { return init(m, key, draw); }
};

/// Normal numbers cut at 2 deviations, of variance 1 / fan-in: the product of all sizes but the last (at least rank 2).
Initializer lecun_normal_initializer();
/// The key is not read.
Initializer zeros_initializer();
/// The key is not read.
Initializer ones_initializer();
/// Normal numbers of standard deviation `deviation`.
Initializer normal_initializer(double deviation);
/// Uniform numbers in [0, scale).
Initializer uniform_initializer(double scale);
/// Normal numbers of deviation sqrt(2 / (5 dim)) (T. Nguyen, J. Salazar 2019).
Initializer small_initializer(int64_t dim);
/// Normal numbers of deviation 2 / (blocks sqrt(dim)) (B. Wang 2021).
Initializer wang_initializer(int64_t dim, int64_t blocks);
/// wang_initializer with twice the blocks.
Initializer wang2_initializer(int64_t dim, int64_t blocks);
/// c times what `initializer` gives for the same key and shape.
Initializer scale_init(Initializer initializer, double c = 1.0);

}  // namespace isoshard

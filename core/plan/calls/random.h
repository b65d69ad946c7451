#pragma once

#include "core/plan/calls/indexed.h"
#include "core/value/threefry_cipher.h"

/// Kernels of keys and random bits (docs/spec/random.md).
namespace isoshard::calls {

/// output[i] = fold_in(keys[i], data[i]); all are dense.
struct FoldIn {
  Place keys = 0, data = 0, output = 0;
  int64_t count = 0;
  bool one_number = false;  ///< data is a scalar
};

/// output[i] = split(key, i, count).
struct SplitKey {
  Place key = 0, output = 0;
  int64_t count = 0;
  threefry::KeyLayout layout = threefry::KeyLayout::original;
};

/// output[i] = element `starts` + sum of stride[d] · i[d] of the random bits of an array of `whole` elements.
struct RandomBits {
  int32_t dims = 0;
  threefry::KeyLayout layout = threefry::KeyLayout::original;
  int64_t size[kMostDims]{};
  int64_t stride[kMostDims]{};
  int64_t whole = 0;
  Starts starts{};
  Place key = 0, output = 0;
};

}  // namespace isoshard::calls

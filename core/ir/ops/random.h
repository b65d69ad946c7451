#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/value/threefry.h"

namespace isoshard {

using threefry::KeyLayout;

/// Random numbers are Threefry-2x32, as jax.random has them: whoever has the key has the numbers, on any device. All of
/// these ops are integer functions: a partial key is an error, and the result varies where a key or number does.

/// Another key out of a key and a number: `rng_fold_in %key, %data`; data is a scalar or of the key's shape.
struct RngFoldIn {
  static constexpr std::string_view kName = "rng_fold_in";
  static constexpr std::string_view kDoc =
      "Another key out of a key and an i32 or u32, a scalar or one per key (jax.random.fold_in).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{OpClass::random};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const RngFoldIn&) const = default;
};

/// n keys out of one scalar key: `rng_split %key {n=3}`, key[3].
struct RngSplit {
  int64_t n = 0;
  KeyLayout key_layout = KeyLayout::original;

  static constexpr std::string_view kName = "rng_split";
  static constexpr std::string_view kDoc = "`n` independent keys out of one scalar key (jax.random.split).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::random};
  static constexpr auto fields() {
    return std::tuple{
        field("n", &RngSplit::n, "how many keys, at least 1"),
        optional_field("layout", &RngSplit::key_layout, "of jax_threefry_partitionable=False, the default, or =True")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const RngSplit&) const = default;
};

/// The block of `shape` at the starts behind the key of the array that the key gives for `global_shape`:
/// `rng_bits %key, %row, 0 {shape=[2, 8], global_shape=[16, 8]}`. Without starts it begins at 0; starts are clamped as
/// those of dynamic_slice. Without `global_shape` the block is the whole array.
struct RngBits {
  Shape shape;
  Shape global_shape;
  KeyLayout key_layout = KeyLayout::original;

  static constexpr std::string_view kName = "rng_bits";
  static constexpr std::string_view kDoc =
      "A block of the random u32 array of a scalar key (jax.random.bits), at computed starts, clamped to lie inside.";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{OpClass::random};
  static constexpr auto fields() {
    return std::tuple{
        field("shape", &RngBits::shape, "the result's sizes"),
        optional_field("global_shape", &RngBits::global_shape,
                       "sizes of the array that the block is taken from; `shape` when omitted"),
        optional_field("layout", &RngBits::key_layout, "of jax_threefry_partitionable=False, the default, or =True")};
  }
  /// The sizes of the whole array.
  const Shape& whole() const { return global_shape.empty() ? shape : global_shape; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const RngBits&) const = default;
};

/// The same bits under another dtype: keys as pairs of u32, key[s] <-> u32[s, 2], the first word first.
struct BitcastConvert {
  DType dtype = DType::u32;

  static constexpr std::string_view kName = "bitcast_convert";
  static constexpr std::string_view kDoc =
      "Keys as their two words, key[...] to u32[..., 2], or back (StableHLO bitcast_convert, of this pair only).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr auto fields() { return std::tuple{field("dtype", &BitcastConvert::dtype, "u32 or key")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const BitcastConvert&) const = default;
};

}  // namespace isoshard

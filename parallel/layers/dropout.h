#pragma once

#include "parallel/module/module.h"

/// Dropout (Srivastava et al. 2014): elements are kept with probability 1 - rate and divided by it, others are 0.
namespace isoshard {

/// The stream of keys that it draws from.
inline constexpr const char* kDropout = "dropout";

/// flax.linen.Dropout: draws the next key of the stream `dropout` of its scope, as the original does; what a device
/// draws for its x then depends on how the base key was folded, on the mesh. A rate of 0 draws nothing and gives x, a
/// rate of 1 gives zeros. Rates outside 0 to 1 are errors (C-rate), a stream without a key is one (C-key).
ValueId dropout(Scope& self, double rate, ValueId x, const std::string& name = "",
                const Location& location = Location::here());

/// The mask of an element belongs to its coordinates in the whole array, of which `draw` is the device's block: the
/// same on every mesh where the key is the same on all devices.
ValueId dropout_by_coordinates(ModelBuilder& m, ValueId key, double rate, ValueId x, const Draw& draw,
                               const std::string& name = "", const Location& location = Location::here());

/// The block of an array that a device holds of it in that layout: a local `shape`, and where it starts. Entries are
/// whole dimensions or equal splits that are not rotated.
Draw draw_block(ModelBuilder& m, const Shape& shape, const Layout& layout, const Location& location = Location::here());

}  // namespace isoshard

#pragma once

#include <optional>

#include "core/ir/all_ops.h"
#include "tests/property/generator/dice.h"

namespace isoshard::testing {

/// A convolution of an input and a kernel of these shapes with random attributes of every kind. Nothing where no
/// dimensions have matching numbers of features.
std::optional<Convolution> random_convolution(Dice& dice, const Shape& input, const Shape& kernel);

}  // namespace isoshard::testing

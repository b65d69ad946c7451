#pragma once

#include <gtest/gtest.h>

#include "core/value/tensor.h"

namespace isoshard::golden {

/// Success where both arrays have the same type and bits; a failure names both types or the first element that differs.
::testing::AssertionResult same_bits(const Tensor& made, const Tensor& expected);

/// The same for floats within absolute + relative · |expected| of each other; integers and predicates are exact.
::testing::AssertionResult close(const Tensor& made, const Tensor& expected, double absolute, double relative);

}  // namespace isoshard::golden

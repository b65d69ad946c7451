#pragma once  // internal

#include <string>
#include <string_view>

namespace isoshard::stablehlo {

/// The name of a mesh or of an axis, which JAX lets be any text, as a name of the language has it: `tensor_parallel`
/// for "tensor-parallel", `_0` for "0".
std::string word_of(std::string_view written);

}  // namespace isoshard::stablehlo

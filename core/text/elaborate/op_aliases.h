#pragma once

#include <string>
#include <string_view>

namespace isoshard::text {

/// What an op of JAX, PyTorch or NCCL is called here, as the end of a message: "`all_reduce`, as in ...". Empty for a
/// name that no table has.
std::string alias_advice(std::string_view name);

}  // namespace isoshard::text

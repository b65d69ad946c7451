#pragma once

#include <string_view>
#include <vector>

#include "core/import/stablehlo/analysis/wire.h"

namespace isoshard::stablehlo {

class Lowering;

/// A custom call of `target`, code outside of the text: left out with a warning where it is a callback that gives
/// nothing back, as jax.debug.print; otherwise refused by the name that JAX has for it (M-unsupported).
std::vector<Wire> foreign_call(Lowering& lowering, const Operation& op, std::string_view target);

}  // namespace isoshard::stablehlo

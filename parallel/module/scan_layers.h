#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// A module run `layers` times, each time with parameters of its own, its output going into the next: Flax's nn.scan
/// with parameters and key streams split over layers (docs/spec/originals.md, "Model parallelism"; docs/spec/random.md,
/// "Folds and splits").
///
/// `body` gets the scope of the scanned module and the carry, and gives the next carry, of the same type. Parameters of
/// `self` get a leading dimension of size `layers`, which is not sharded; layer l uses element l of
/// split(base key, layers). The body runs once more, beside the program, to learn which parameters it has. C-layers
/// where it has none.
ValueId scan_layers(Scope self, int64_t layers, const ModuleFn& body, ValueId x, const std::string& name = "",
                    const Location& location = Location::here());

}  // namespace isoshard

#pragma once

#include "catalogue/training/train_network.h"

namespace isoshard {

/// Adds `@NAME_init` for a training step `name` of that network: from one key the first values of its parameters, each
/// layer of its own, the data that every step takes, and the global `key`, if there is one. Parameters are drawn as
/// their InitKind says, floats of the data are normal, integers are below `vocabulary`.
bool add_train_init(const std::string& name, const TrainNetwork& network, const TrainSizes& sizes,
                    const std::shared_ptr<const Mesh>& mesh, Module& module, DiagnosticSink& sink);

}  // namespace isoshard

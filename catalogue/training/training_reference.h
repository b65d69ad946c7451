#pragma once

#include "catalogue/loops/device_loop.h"
#include "parallel/training/classifier_training.h"

namespace isoshard {

/// The logits of all rows x on one device, with the parameters that `loop` reads; `key` is that of the step.
using ReferenceFn = std::function<ValueId(const DeviceLoop& loop, ValueId x, ValueId key)>;

/// Adds `@one_device`, the same step without a mesh, and the check of @NAME against it: the loss is the mean over the
/// whole batch, its gradient the true one, for the parameters as the devices of `axis` in `mesh` hold them, and AdamW
/// is that of the step. There is nothing to synchronise.
bool add_training_reference(ProgramId step, const ReferenceFn& logits, const std::shared_ptr<const Mesh>& mesh,
                            const Group& axis, const Params& params, Module& module, DiagnosticSink& sink);

}  // namespace isoshard

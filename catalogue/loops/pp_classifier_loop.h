#pragma once

#include "catalogue/loops/device_loop.h"
#include "parallel/pipelines/pp_classifier.h"

namespace isoshard {

/// PPClassifier on one device: the stages of `mesh` one after another on all rows x, and what each gives as the logits.
/// The head of the last one sees the result, the others see zeros. `key` is that of dropout, which devices fold over
/// their position in the mesh; invalid where nothing is dropped.
DeviceValues device_pp_classifier(const DeviceLoop& stages, const PpClassifier& model, const Mesh& mesh, ValueId key,
                                  ValueId x);

}  // namespace isoshard

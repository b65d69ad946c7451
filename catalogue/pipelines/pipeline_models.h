#pragma once

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"

namespace isoshard {

/// What the settings that all models of pipelines have say.
struct PipelineCase {
  explicit PipelineCase(const ModelSettings& s);

  const ModelSettings& settings;
  Group axis;  ///< of the stages
  int64_t stages, micro_batches;
  ViewEntry rows;  ///< how the batch is split: over `data` where that axis has no stages

  /// How the results of all stages, [rows, features] each, are one array.
  Layout stacked() const;
  /// The stages, in a program without a mesh.
  DeviceLoop loop(ModelBuilder& m, const Params& params) const { return {m, params, settings.mesh, axis}; }
};
/// Axes and settings of such a model, by default of that many micro-batches.
ModelInfo pipeline_info(std::string name, std::string doc, int64_t micro_batches = 3);

}  // namespace isoshard

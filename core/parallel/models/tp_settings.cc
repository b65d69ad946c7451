#include "core/parallel/models/models.h"

namespace isoshard {

SettingInfo layer_axis_setting() {
  return SettingInfo{"axis", 0, "", {"model", "data_model"}, "of the layer: model or (data, model)"};
}

Group layer_axis(const ModelSettings& settings) {
  const AxisId data = *settings.mesh->find("data"), model = *settings.mesh->find("model");
  return settings.word("axis") == "model" ? Group{{model}} : Group{{data, model}};
}

}  // namespace isoshard

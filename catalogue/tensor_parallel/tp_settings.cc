#include "catalogue/models.h"

namespace isoshard {

SettingInfo layer_axis_setting(const std::string& inner, const std::string& outer) {
  return SettingInfo{
      "axis", 0, "", {inner, outer + "_" + inner}, "of the layer: " + inner + " or (" + outer + ", " + inner + ")"};
}

Group layer_axis(const ModelSettings& settings, const std::string& inner, const std::string& outer) {
  const AxisId first = *settings.mesh->find(outer), second = *settings.mesh->find(inner);
  return settings.word("axis") == inner ? Group{{second}} : Group{{first, second}};
}

}  // namespace isoshard

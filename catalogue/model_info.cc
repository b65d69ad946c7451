#include "catalogue/model_info.h"

namespace isoshard {

std::string SettingInfo::default_text() const {
  if (is_word()) return choices.front();
  return std::to_string(value) + (per_axis.empty() ? "" : "*size(" + per_axis + ")");
}

}  // namespace isoshard

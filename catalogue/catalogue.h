#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/model_info.h"
#include "core/ir/module.h"

namespace isoshard {

/// A setting as written by the user.
struct SettingValue {
  std::string name;
  std::string value;
};

/// Which model, and what differs from its defaults.
struct ModelRequest {
  std::string name;
  std::vector<MeshAxis> mesh;  ///< sizes that replace defaults; axes that are not named keep theirs
  std::vector<SettingValue> settings;
};

/// Every model, in the order in which `isoshard models` lists them.
const std::vector<ModelInfo>& catalogue();

/// The model called `name`, or null.
const ModelInfo* find_model(std::string_view name);

/// Builds the sharded program, its dense reference (without a mesh) and the `check` between them.
///
/// Reports unknown names, axes and settings with the nearest known one (C-model, C-axis, C-setting), values that do not
/// parse or are out of range (C-size, C-value), names given twice (C-twice) and sizes that do not divide (C-divide).
std::optional<Module> make_model(const ModelRequest& request, DiagnosticSink& sink);

}  // namespace isoshard

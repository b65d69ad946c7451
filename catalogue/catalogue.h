#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace isoshard {

/// An axis of a model's mesh.
struct AxisInfo {
  std::string name;
  int64_t size = 1;  ///< the default
  std::string doc;
};

/// A number or a word that shapes a model, set by `--set NAME=VALUE`.
struct SettingInfo {
  std::string name;
  int64_t value = 0;                 ///< the default of a number
  std::string per_axis;              ///< not empty: the default is `value` times the size of this axis
  std::vector<std::string> choices;  ///< not empty: a word, the first is the default
  std::string doc;

  bool is_word() const { return !choices.empty(); }
  /// `840`, `4*size(data)` or `gelu`.
  std::string default_text() const;
};

/// A named model of the catalogue.
struct ModelInfo {
  std::string name;
  std::string doc;  ///< one line
  std::vector<AxisInfo> axes;
  std::vector<SettingInfo> settings;
};

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

#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace isoshard

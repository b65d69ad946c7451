#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/ir/module.h"

/// The pieces that the JSON forms of Modules and Plans share.
namespace isoshard::text {

/// The version of both forms, the value of their `"isoshard"`.
inline constexpr int kJsonVersion = 1;

/// The fields of `op` by name, those with their default left out. Integers, lists and pairs are JSON's; axes, states,
/// dtypes and enumerators are their names; numbers are exact, as `1/3`; layout entries and index expressions are
/// written as in the language.
nlohmann::ordered_json fields_to_json(const OpData& op, const Mesh& mesh, const Module& module);
nlohmann::ordered_json fields_to_json(const OpData& op, const Mesh& mesh, const std::vector<Global>& globals);

/// `{"dtype": "f32", "shape": [8, 16]}`.
nlohmann::ordered_json type_to_json(const TensorType& type);
/// Name, axes in order and, where it is given, the device order.
nlohmann::ordered_json mesh_to_json(const Mesh& mesh);
/// Name, type, role and init.
nlohmann::ordered_json global_to_json(const Global& global);
/// `file:line:column`, or null.
nlohmann::ordered_json location_to_json(const Location& location);
/// The names of the axes, outermost first.
nlohmann::ordered_json group_to_json(const Group& group, const Mesh& mesh);
/// Indented by two, with a newline at the end; bytes that are not UTF-8 (of a path) become U+FFFD.
std::string json_to_text(const nlohmann::ordered_json& json);

}  // namespace isoshard::text

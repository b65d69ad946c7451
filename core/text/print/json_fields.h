#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/ir/module.h"

/// The pieces that the JSON forms of Modules and Plans share.
namespace isoshard::text {

using Json = nlohmann::ordered_json;

/// The version of both forms, the value of their `"isoshard"`.
inline constexpr int kJsonVersion = 1;

/// The fields of `op` by name, those with their default left out. Integers, lists and pairs are JSON's; axes, states,
/// dtypes and enumerators are their names; numbers are exact, as `1/3`; layout entries, index expressions and dimension
/// numbers are written as in the language.
Json fields_to_json(const OpData& op, const Mesh& mesh, const Module& module);
Json fields_to_json(const OpData& op, const Mesh& mesh, const std::vector<Global>& globals);

/// `{"dtype": "f32", "shape": [8, 16]}`.
Json type_to_json(const TensorType& type);
/// Name, axes in order and, where it is given, the device order.
Json mesh_to_json(const Mesh& mesh);
/// Name, type, role and init.
Json global_to_json(const Global& global);
/// `file:line:column`, or null.
Json location_to_json(const Location& location);
/// The names of the axes, outermost first.
Json group_to_json(const Group& group, const Mesh& mesh);
/// Indented by two, with a newline at the end; bytes that are not UTF-8 (of a path) become U+FFFD.
std::string json_to_text(const Json& json);

}  // namespace isoshard::text

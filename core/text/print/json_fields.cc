// Writes the fields of an op, and the types, meshes, globals and locations that several kinds of JSON share. As in
// print_fields.cc there is one `json` per type of member and no code per op. Names stand for axes and globals, indices
// for programs; constants are text, since rationals of any size do not fit the numbers of JSON. Bytes that are not
// UTF-8 are replaced, because names of files may hold them. Fields that may be left out and have their default are left
// out, so that JSON and text have the same fields.
#include "core/text/print/json_fields.h"

#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>

#include "core/ir/enum_names.h"

namespace isoshard::text {
namespace {

/// One `json` per type of member, as read_fields.cc has one `read`.
struct FieldJson {
  const Mesh& mesh;
  const std::vector<Global>& globals;

  Json json(int64_t value) const { return value; }
  Json json(const std::vector<int64_t>& value) const { return value; }
  Json json(const std::optional<int64_t>& value) const { return value ? Json(*value) : Json(nullptr); }
  Json json(const Rational& value) const { return value.to_string(); }
  Json json(const std::string& value) const { return value; }
  Json json(DType value) const { return name(value); }
  Json json(GlobalId value) const { return globals[value.index()].name; }
  Json json(const std::optional<State>& value) const {
    return value ? Json(std::string(1, letter(*value))) : Json(nullptr);
  }
  Json json(const Group& value) const { return group_to_json(value, mesh); }
  Json json(const AxisSet& value) const {
    Json names = Json::array();
    for (size_t i = 0; i < mesh.axis_count(); ++i) {
      if (value.contains(AxisId(i))) names.push_back(mesh.axes()[i].name);
    }
    return names;
  }
  Json json(const Layout& value) const {
    Json entries = Json::array();
    for (const ViewEntry& entry : value) entries.push_back(to_string(entry, mesh));
    return entries;
  }
  Json json(const DimPairs& value) const { return Json{{"lhs", value.lhs}, {"rhs", value.rhs}}; }
  Json json(const ConvolutionDims& value) const { return to_string(value); }
  Json json(const std::vector<IndexPair>& value) const {
    Json pairs = Json::array();
    for (const IndexPair& pair : value) pairs.push_back(Json::array({pair.first, pair.second}));
    return pairs;
  }
  Json json(const Coverage& value) const { return value.times; }
  Json json(const std::vector<BlockRange>& value) const {
    Json ranges = Json::array();
    for (const BlockRange& range : value) ranges.push_back(Json{{"start", range.start}, {"limit", json(range.limit)}});
    return ranges;
  }
  Json json(const std::vector<Owner>& value) const {
    Json owners = Json::object();
    for (const Owner& owner : value) owners[mesh.axis(owner.axis).name] = owner.coordinate;
    return owners;
  }
  template <class E>
  requires requires(E value) { enum_names(value); }
  Json json(E value) const {
    const std::string_view name = enum_name(value);
    return name.empty() ? Json(nullptr) : Json(name);
  }
};

template <class Op, class FieldOfOp>
void add_field(const Op& op, const FieldOfOp& field, const FieldJson& to, Json& json) {
  using T = typename std::decay_t<FieldOfOp>::Type;
  if (!field.required && op.*field.member == T{}) return;
  const std::string key(field.name);
  if constexpr (std::is_same_v<T, ProgramId>) {
    json[key] = (op.*field.member).index();
  } else {
    json[key] = to.json(op.*field.member);
  }
}

template <class Op>
Json fields_of(const Op& op, const FieldJson& to) {
  Json json = Json::object();
  // Ops may have a global and a layout that are no fields, because the text writes them elsewhere.
  if constexpr (requires { op.global; }) json["global"] = to.json(op.global);
  if constexpr (requires { op.layout; }) json["layout"] = to.json(op.layout);
  std::apply([&](const auto&... field) { (add_field(op, field, to, json), ...); }, Op::fields());
  return json;
}

}  // namespace

Json fields_to_json(const OpData& op, const Mesh& mesh, const std::vector<Global>& globals) {
  return std::visit([&](const auto& data) { return fields_of(data, FieldJson{mesh, globals}); }, op);
}

Json fields_to_json(const OpData& op, const Mesh& mesh, const Module& module) {
  return fields_to_json(op, mesh, module.globals);
}

Json type_to_json(const TensorType& type) { return Json{{"dtype", name(type.dtype)}, {"shape", type.shape}}; }

Json mesh_to_json(const Mesh& mesh) {
  Json json{{"name", mesh.name()}, {"axes", Json::array()}};
  for (const MeshAxis& axis : mesh.axes()) json["axes"].push_back(Json{{"name", axis.name}, {"size", axis.size}});
  if (!mesh.device_order().empty()) json["devices"] = mesh.device_order();
  return json;
}

Json global_to_json(const Global& global) {
  Json json{{"name", global.name}};
  json.update(type_to_json(global.type));
  json["role"] = name(global.role);
  if (global.range) {
    json["range"] = Json{{"low", global.range->low}, {"high", global.range->high}, {"others", global.range->others}};
  }
  const bool is_value = global.init.kind == InitKind::value;
  json["init"] = is_value ? global.init.value.to_string() : std::string(name(global.init.kind));
  return json;
}

Json location_to_json(const Location& location) {
  return location.known() ? Json(location.to_string()) : Json(nullptr);
}

Json group_to_json(const Group& group, const Mesh& mesh) {
  Json names = Json::array();
  for (const AxisId axis : group.axes) names.push_back(mesh.axis(axis).name);
  return names;
}

std::string json_to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace isoshard::text

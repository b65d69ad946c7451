// Writes a module, or one program with all that it calls, as JSON (docs/language.md, "JSON"). The JSON says everything
// that the module holds, with inferred types, states and locations, for other tools to read; isoshard does not read it
// back (docs/adr/0012-json.md). Programs stand at their index in the module and name each other by it, so that a
// program that is not wanted becomes null instead of moving the others. A region is written by recursion, a scan within
// its op. Cost: the length of the text.
#include "core/text/print/json_write.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/text/print/json_fields.h"

namespace isoshard::text {
namespace {

Json names_of(const Program& program, const std::vector<ValueId>& values) {
  Json names = Json::array();
  for (const ValueId id : values) names.push_back(program.value(id).name);
  return names;
}

/// Name, type and the state on every axis.
Json value_json(const Program& program, ValueId id) {
  const Value& value = program.value(id);
  Json json{{"name", value.name}};
  json.update(type_to_json(value.type.tensor));
  json["states"] = Json::object();
  for (size_t i = 0; i < value.type.states.size(); ++i) {
    json["states"][program.mesh().axes()[i].name] = std::string(1, letter(value.type.states[i]));
  }
  json["has_gradient"] = value.type.has_gradient;
  return json;
}

Json values_json(const Program& program, const std::vector<ValueId>& values) {
  Json json = Json::array();
  for (const ValueId id : values) json.push_back(value_json(program, id));
  return json;
}

Json errors_json(const std::vector<Diagnostic>& errors) {
  Json json = Json::array();
  for (const Diagnostic& error : errors) json.push_back(Json{{"rule", error.rule}, {"message", error.message}});
  return json;
}

Json region_json(const Module& module, const Program& program, const Region& region);

Json op_json(const Module& module, const Program& program, const Op& op) {
  Json json{{"op", op_name(op.data)}, {"operands", names_of(program, op.operands)}};
  json["fields"] = fields_to_json(op.data, program.mesh(), module);
  json["results"] = values_json(program, op.results);
  for (const Region& region : op.regions) json["regions"].push_back(region_json(module, program, region));
  if (!op.state_errors.empty()) json["state_errors"] = errors_json(op.state_errors);
  json["location"] = location_to_json(op.location);
  return json;
}

Json region_json(const Module& module, const Program& program, const Region& region) {
  Json json{{"arguments", values_json(program, region.arguments)}, {"ops", Json::array()}};
  for (const OpId id : region.ops) json["ops"].push_back(op_json(module, program, program.op(id)));
  json["results"] = names_of(program, region.results);
  return json;
}

Json layout_json(const Layout& layout, const Mesh& mesh) {
  Json json = Json::array();
  for (const ViewEntry& entry : layout) json.push_back(to_string(entry, mesh));
  return json;
}

/// Results or updates of a program; the name of an update is its global's.
Json outputs_json(const Program& program, const std::vector<Output>& outputs) {
  Json json = Json::array();
  for (const Output& output : outputs) {
    Json entry{{"name", output.name}};
    entry.update(type_to_json(output.type));
    entry["parts"] = Json::array();
    for (const ReturnPart& part : output.parts) {
      entry["parts"].push_back(Json{{"value", program.value(part.value).name},
                                    {"layout", layout_json(part.layout, program.mesh())},
                                    {"location", location_to_json(part.location)}});
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json program_json(const Module& module, const Program& program) {
  Json json{{"name", program.name()}};
  json["kind"] = program.kind() == ProgramKind::program ? "program" : "function";
  json["typed"] = program.typed();
  json["mesh"] = program.mesh() == Mesh() ? Json(nullptr) : mesh_to_json(program.mesh());
  json["location"] = location_to_json(program.location());
  json["body"] = region_json(module, program, program.body());
  if (program.kind() == ProgramKind::function) return json;
  json["outputs"] = outputs_json(program, program.outputs());
  json["updates"] = outputs_json(program, program.updates());
  return json;
}

Json check_json(const Module& module, const Check& check) {
  Json json{{"left", check.left.index()}, {"right", check.right.index()}, {"steps", check.steps}};
  json["maps"] = Json::array();
  for (const GlobalMap& map : check.maps) {
    json["maps"].push_back(Json{{"global", module.global(map.global).name},
                                {"source", module.global(map.source).name},
                                {"layout", layout_json(map.layout, Mesh())},
                                {"location", location_to_json(map.location)}});
  }
  json["location"] = location_to_json(check.location);
  return json;
}

/// `root` and everything it calls.
void add_callees(const Module& module, ProgramId root, std::set<ProgramId>& programs) {
  if (!programs.insert(root).second) return;
  const Program& program = module.program(root);
  for (size_t i = 0; i < program.op_count(); ++i) {
    for (const ProgramId callee : callees(program.op(OpId(i)).data)) add_callees(module, callee, programs);
  }
}

std::string print_module(const Module& module, const std::set<ProgramId>& programs, bool with_checks) {
  Json json{{"isoshard", kJsonVersion}, {"kind", "module"}, {"meshes", Json::array()}, {"globals", Json::array()}};
  for (const auto& mesh : module.meshes) json["meshes"].push_back(mesh_to_json(*mesh));
  for (const Global& global : module.globals) json["globals"].push_back(global_to_json(global));
  json["programs"] = Json::array();
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const bool wanted = programs.count(ProgramId(i)) != 0;
    json["programs"].push_back(wanted ? program_json(module, module.programs[i]) : Json(nullptr));
  }
  json["checks"] = Json::array();
  for (size_t i = 0; with_checks && i < module.checks.size(); ++i) {
    json["checks"].push_back(check_json(module, module.checks[i]));
  }
  return json_to_text(json);
}

}  // namespace

std::string print_json(const Module& module) {
  std::set<ProgramId> all;
  for (size_t i = 0; i < module.programs.size(); ++i) all.insert(ProgramId(i));
  return print_module(module, all, true);
}

std::string print_json(const Module& module, ProgramId program) {
  std::set<ProgramId> wanted;
  add_callees(module, program, wanted);
  return print_module(module, wanted, false);
}

}  // namespace isoshard::text

#include "core/text/json_read.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/support/quoted.h"
#include "core/text/json_fields.h"
#include "core/text/json_read_program.h"
#include "core/text/json_read_values.h"
#include "core/text/suggest.h"

namespace isoshard::text {
namespace {

/// `--mesh` and `--set` come too late.
bool check_options(const ElaborateOptions& options, const std::string& file, DiagnosticSink& sink) {
  if (options.mesh_sizes.empty() && options.settings.empty()) return true;
  sink.error("E-option", Location(),
             std::string(options.mesh_sizes.empty() ? "--set" : "--mesh") + " does not apply to " +
                 isoshard::quoted(file, 400) +
                 ": a JSON module is elaborated and its sizes are fixed; elaborate the .shard file anew, as in " +
                 "`isoshard show --json FILE.shard --mesh ...`");
  return false;
}

bool check_version(const JsonNode& root, const Scope& scope) {
  if (!json_is(root, JsonKind::object, "the JSON", "an object, as `isoshard show --json` prints", scope)) return false;
  const JsonNode *version = root.find("isoshard"), *kind = root.find("kind");
  const auto complain = [&](const JsonNode& at, const std::string& message) {
    scope.error("P-version", at.span, message);
    return false;
  };
  const std::string number = std::to_string(kJsonVersion);
  if (version == nullptr) {
    return complain(root, "the object has no key `isoshard`; expected `\"isoshard\": " + number +
                              "`, as `isoshard show --json` prints");
  }
  if (version->kind != JsonKind::number || version->text != number) {
    return complain(*version, "the version is " + show(*version) + "; this isoshard reads version " + number);
  }
  if (kind != nullptr && kind->kind == JsonKind::string && kind->text == "module") return true;
  return complain(kind != nullptr ? *kind : root,
                  "`kind` is " + (kind != nullptr ? show(*kind) : "missing") +
                      "; expected \"module\", as `isoshard show --json` prints; a plan is only written, never read");
}

// Meshes and globals: as items of a file.

std::optional<MeshSyntax> mesh_syntax(const JsonNode& node, const Scope& scope) {
  if (!json_has_keys(node, "a mesh", {"name", "axes"}, {"devices"}, scope)) return std::nullopt;
  const std::optional<Word> name = json_word(*node.find("name"), TokenKind::global, "`name`", scope);
  const std::vector<JsonNode>* axes = json_items(*node.find("axes"), "`axes`", scope);
  if (!name || axes == nullptr) return std::nullopt;
  MeshSyntax result;
  result.name = *name;
  for (const JsonNode& axis : *axes) {
    if (!json_has_keys(axis, "an axis", {"name", "size"}, {}, scope)) return std::nullopt;
    const std::optional<Word> word = json_word(*axis.find("name"), TokenKind::name, "`name`", scope);
    const std::optional<Expr> size = json_number_syntax(*axis.find("size"), "`size`", scope);
    if (!word || !size) return std::nullopt;
    result.axes.push_back({*word, *size});
  }
  const JsonNode* devices = node.find("devices");
  if (devices == nullptr) return result;
  const std::vector<JsonNode>* order = json_items(*devices, "`devices`", scope);
  if (order == nullptr) return std::nullopt;
  result.devices.emplace();
  for (const JsonNode& device : *order) {
    const std::optional<Expr> number = json_number_syntax(device, "an item of `devices`", scope);
    if (!number) return std::nullopt;
    result.devices->push_back(*number);
  }
  return result;
}

/// `{"low": 0, "high": 32, "others": [-100]}`
std::optional<ValueRangeSyntax> range_syntax(const JsonNode& node, const Scope& scope) {
  if (!json_has_keys(node, "`range`", {"low", "high", "others"}, {}, scope)) return std::nullopt;
  const std::optional<Expr> low = json_number_syntax(*node.find("low"), "`low`", scope);
  const std::optional<Expr> high = json_number_syntax(*node.find("high"), "`high`", scope);
  const std::vector<JsonNode>* others = json_items(*node.find("others"), "`others`", scope);
  if (!low || !high || others == nullptr) return std::nullopt;
  ValueRangeSyntax result{{*low, *high}, {}, node.span};
  for (const JsonNode& other : *others) {
    const std::optional<Expr> number = json_number_syntax(other, "an item of `others`", scope);
    if (!number) return std::nullopt;
    result.others.push_back(*number);
  }
  return result;
}

std::optional<GlobalSyntax> global_syntax(const JsonNode& node, const Scope& scope) {
  if (!json_has_keys(node, "a global", {"name", "dtype", "shape", "role", "init"}, {"range"}, scope))
    return std::nullopt;
  const std::optional<Word> name = json_word(*node.find("name"), TokenKind::global, "`name`", scope);
  const std::optional<Word> role = json_word(*node.find("role"), TokenKind::name, "`role`", scope);
  const std::optional<TypeSyntax> type = json_type_syntax(node, scope);
  const std::optional<Expr> init = json_expression(*node.find("init"), "`init`", scope);
  if (!name || !role || !type || !init) return std::nullopt;
  const JsonNode* range = node.find("range");
  if (range == nullptr) return GlobalSyntax{*name, *type, *role, std::nullopt, *init};
  const std::optional<ValueRangeSyntax> numbers = range_syntax(*range, scope);
  return numbers ? std::optional(GlobalSyntax{*name, *type, *role, numbers, *init}) : std::nullopt;
}

template <class Syntax>
bool add_items(const JsonNode& nodes, const std::string& subject, const Scope& scope,
               std::optional<Syntax> (*read)(const JsonNode&, const Scope&), FileSyntax& tree) {
  const std::vector<JsonNode>* items = json_items(nodes, subject, scope);
  if (items == nullptr) return false;
  for (const JsonNode& item : *items) {
    std::optional<Syntax> syntax = read(item, scope);
    if (!syntax) return false;
    tree.items.push_back(Item{std::move(*syntax), item.span});
  }
  return true;
}

// Programs.

/// Programs have names of their own; funcs of one name are the instances of one.
bool check_name(const JsonReading& reading, const Program& program, const JsonNode& node, const Scope& scope,
                std::map<std::string, std::pair<ProgramKind, const JsonNode*>>& taken) {
  const auto [it, is_new] = taken.insert({program.name(), {program.kind(), &node}});
  const bool function = program.kind() == ProgramKind::function;
  if (is_new || (function && it->second.first == ProgramKind::function)) return true;
  reading.elaboration.scope.sink
      .error("E-duplicate", scope.at(node.find("name")->span),
             (function ? "func @" : "program @") + program.name() + " is declared twice; expected a new name")
      .note(scope.at(it->second.second->find("name")->span), "it is first declared here");
  return false;
}

bool read_programs(JsonReading& reading, const JsonNode& node, const Scope& scope) {
  reading.nodes = json_items(node, "`programs`", scope);
  if (reading.nodes == nullptr) return false;
  std::map<std::string, std::pair<ProgramKind, const JsonNode*>> taken;
  const size_t before = scope.file().sink.error_count();
  for (const JsonNode& item : *reading.nodes) {
    if (reading.elaboration.too_many_errors()) return false;
    const std::optional<ProgramId> id = item.kind == JsonKind::null ? std::nullopt : read_json_program(reading, item);
    reading.programs.push_back(id);
    if (id) check_name(reading, reading.elaboration.module.program(*id), item, scope, taken);
  }
  return scope.file().sink.error_count() == before;
}

// Checks.

std::optional<CheckSyntax> check_syntax(const JsonNode& node, const Scope& scope) {
  if (!json_has_keys(node, "a check", {"left", "right", "steps", "maps"}, {"location"}, scope)) return std::nullopt;
  CheckSyntax result;
  result.steps = json_number_syntax(*node.find("steps"), "`steps`", scope);
  const std::vector<JsonNode>* maps = json_items(*node.find("maps"), "`maps`", scope);
  if (!result.steps || maps == nullptr) return std::nullopt;
  for (const JsonNode& map : *maps) {
    if (!json_has_keys(map, "a map", {"global", "source", "layout"}, {"location"}, scope)) return std::nullopt;
    const std::optional<Word> global = json_word(*map.find("global"), TokenKind::global, "`global`", scope);
    const std::optional<Word> source = json_word(*map.find("source"), TokenKind::global, "`source`", scope);
    const std::optional<LayoutSyntax> layout = json_layout_syntax(*map.find("layout"), "`layout`", scope);
    if (!global || !source || !layout) return std::nullopt;
    result.maps.push_back(MapSyntax{*global, *source, *layout, map.span});
  }
  return result;
}

void read_check(JsonReading& reading, const JsonNode& node, const Scope& scope) {
  const std::optional<CheckSyntax> syntax = check_syntax(node, scope);
  if (!syntax) return;
  const auto side = [&](const char* key) {
    return find_json_program(reading, *node.find(key), ProgramKind::program, "`" + std::string(key) + "`", scope);
  };
  const std::optional<ProgramId> left = side("left"), right = side("right");
  if (!left || !right) return;
  std::optional<Check> made = elaborate_check(reading.elaboration, *syntax, *left, *right, node.span);
  if (!made) return;
  made->location = json_location(node, scope);
  for (size_t i = 0; i < made->maps.size(); ++i) {
    made->maps[i].location = json_location(node.find("maps")->items[i], scope);
  }
  reading.elaboration.module.checks.push_back(std::move(*made));
}

}  // namespace

std::shared_ptr<const Mesh> find_json_mesh(JsonReading& reading, const JsonNode& node) {
  Elaboration& elaboration = reading.elaboration;
  const Scope scope(elaboration.scope);
  if (node.kind == JsonKind::null) return elaboration.find_mesh(std::nullopt, scope);
  const std::optional<MeshSyntax> syntax = mesh_syntax(node, scope);
  std::shared_ptr<const Mesh> known = syntax ? elaboration.find_mesh(syntax->name, scope) : nullptr;
  if (known == nullptr) return nullptr;
  const auto number = [&](const Expr& expr) { return scope.integer(expr).value_or(0); };
  std::vector<MeshAxis> axes;
  for (const auto& [axis, size] : syntax->axes) axes.push_back(MeshAxis{axis.text, number(size)});
  std::vector<int64_t> devices;
  if (syntax->devices)
    std::transform(syntax->devices->begin(), syntax->devices->end(), std::back_inserter(devices), number);
  if (axes == known->axes() && devices == known->device_order()) return known;
  scope.error("E-differs", node.span,
              "this is not the mesh @" + known->name() + " of `meshes`; expected the same axes, sizes and devices");
  return nullptr;
}

std::optional<ProgramId> find_json_program(const JsonReading& reading, const JsonNode& node, ProgramKind kind,
                                           const std::string& subject, const Scope& scope) {
  const std::optional<int64_t> index = json_integer(node, subject, scope);
  if (!index) return std::nullopt;
  const bool function = kind == ProgramKind::function;
  const auto complain = [&](const std::string& what) {
    scope.error("E-program", node.span,
                subject + " is " + std::to_string(*index) + what + "; expected the index of a " +
                    (function ? "function that stands before its caller in `programs`" : "program in `programs`"));
    return std::nullopt;
  };
  if (*index < 0 || *index >= static_cast<int64_t>(reading.programs.size())) {
    return complain(", and there are " + std::to_string(reading.programs.size()) + (function ? " before it" : ""));
  }
  const size_t at = static_cast<size_t>(*index);
  if ((*reading.nodes)[at].kind == JsonKind::null) return complain(", which is null");
  const std::optional<ProgramId> id = reading.programs[at];
  if (!id) return std::nullopt;  // reported
  const Program& program = reading.elaboration.module.program(*id);
  if (program.kind() == kind) return id;
  return complain(std::string(", the ") + (function ? "program @" : "function @") + program.name());
}

std::optional<Module> parse_json_module(const std::shared_ptr<const SourceFile>& file, const ElaborateOptions& options,
                                        DiagnosticSink& sink) {
  if (!check_options(options, file->name, sink)) return std::nullopt;
  const std::optional<JsonNode> root = read_json_tree(file, sink);
  if (!root) return std::nullopt;
  JsonReading reading{Elaboration(file, options.max_ops, sink)};
  const Scope scope(reading.elaboration.scope);
  if (!check_version(*root, scope)) return std::nullopt;
  if (!json_has_keys(*root, "the module", {"isoshard", "kind", "meshes", "globals", "programs", "checks"}, {}, scope))
    return std::nullopt;
  FileSyntax tree;
  if (!add_items<MeshSyntax>(*root->find("meshes"), "`meshes`", scope, mesh_syntax, tree)) return std::nullopt;
  if (!add_items<GlobalSyntax>(*root->find("globals"), "`globals`", scope, global_syntax, tree)) return std::nullopt;
  std::optional<Module> items = elaborate(tree, file, {}, sink);
  if (!items) return std::nullopt;
  Elaboration& elaboration = reading.elaboration;
  elaboration.scope.meshes = items->meshes;
  elaboration.module = std::move(*items);
  for (size_t i = 0; i < elaboration.module.globals.size(); ++i) {
    elaboration.globals[elaboration.module.globals[i].name] = GlobalId(i);
  }
  const size_t before = sink.error_count();
  if (!read_programs(reading, *root->find("programs"), scope)) return std::nullopt;
  const std::vector<JsonNode>* checks = json_items(*root->find("checks"), "`checks`", scope);
  for (size_t i = 0; checks != nullptr && i < checks->size(); ++i) read_check(reading, (*checks)[i], scope);
  if (sink.error_count() != before) return std::nullopt;
  return std::move(elaboration.module);
}

}  // namespace isoshard::text

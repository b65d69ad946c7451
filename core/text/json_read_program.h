#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/elaboration.h"
#include "core/text/json_read_tree.h"

/// Programs and funcs of a JSON module. Functions report errors (E-..., P-..., and the Builder's) and then return
/// nothing.
namespace isoshard::text {

/// What is known of a JSON module while its programs are read, in their order.
struct JsonReading {
  Elaboration elaboration;                           ///< its meshes, globals and the programs so far
  const std::vector<JsonNode>* nodes = nullptr;      ///< the items of `programs`
  std::vector<std::optional<ProgramId>> programs{};  ///< of the items read so far; nothing for null and after errors
  std::vector<size_t> depths{};                      ///< per program of the module: how deep its calls nest
};

/// The program or func with the index `node` in `programs`; it must have been read.
std::optional<ProgramId> find_json_program(const JsonReading& reading, const JsonNode& node, ProgramKind kind,
                                           const std::string& subject, const Scope& scope);

/// The mesh of a program: that of `meshes` which `node` repeats, or one device for null.
std::shared_ptr<const Mesh> find_json_mesh(JsonReading& reading, const JsonNode& node);

/// The op that the string `name` names, with its fields as in the object `fields`.
std::optional<OpData> read_json_op(const JsonReading& reading, const JsonNode& name, const JsonNode& fields,
                                   const Scope& scope);

/// Builds one program or func through the Builder and compares what it infers with what is written.
std::optional<ProgramId> read_json_program(JsonReading& reading, const JsonNode& node);

/// Reports where types, states and rules of state errors of `program` are not those that `node` says (E-differs), and
/// calls whose operands are not what the func was made for.
void compare_json_program(const Module& module, const Program& program, const JsonNode& node, const Scope& scope);

}  // namespace isoshard::text

// Prints a module, or one program of it, as a `.shard` file (docs/language.md, "Items"). Two passes are made. The first
// one decides what is printed: programs, and before each the funcs that it calls, since callees must stand before
// callers; with one program only, also the globals that are used. The second one writes the items in a fixed order, so
// that equal modules give equal text, and what is printed reads back to the same text. Lets, `for` loops and indices of
// names are gone by then: every value has its own name.
//
// A module holds a func once per set of operand states. Such instances whose texts are equal become one func of the
// file; a second text under the same name gets a number behind the name. Instances that nothing calls, of which only
// the derivative is used, are left out. Cost: the length of the text.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/support/check.h"
#include "core/text/elaborate/fields.h"
#include "core/text/print/print_items.h"
#include "core/text/print/value_names.h"
#include "core/text/text.h"

namespace isoshard::text {
namespace {

/// Prints a module, or one of its programs, item by item in a canonical order.
///
/// Functions are stored once per set of operand states. Those of one name and one text are one func of the file; a
/// second text under the same name gets a name of its own.
class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const PrintOptions& options) : module_(module), options_(options) {}

  std::string print(std::optional<ProgramId> only) {
    for (size_t i = 0; i < module_.programs.size(); ++i) {
      const bool is_program = module_.programs[i].kind() == ProgramKind::program;
      if (is_program && (!only || *only == ProgramId(i))) add_program(ProgramId(i));
    }
    if (only && module_.program(*only).kind() == ProgramKind::function) visit_function(*only);
    for (size_t i = 0; !only && i < module_.programs.size(); ++i) {
      const Program& program = module_.programs[i];
      if (program.kind() == ProgramKind::function && !is_instance(program)) visit_function(ProgramId(i));
    }
    name_meshes(only);
    for (const Program& program : module_.programs) {
      if (options_.names) names_[&program] = value_names(module_, program);
    }
    std::string bodies;
    for (const ProgramId id : functions_) bodies += print_function(id);
    for (const ProgramId id : programs_) bodies += print_program(module_.program(id));
    return "isoshard 1\n" + print_meshes() + print_globals(only) + bodies + (only ? "" : print_checks());
  }

 private:
  // What is printed, in which order.

  void add_program(ProgramId id) {
    visit_callees(id);
    programs_.push_back(id);
    body_names_.insert(module_.program(id).name());
  }

  void visit_callees(ProgramId id) {
    const Program& program = module_.program(id);
    for (const Output& update : program.updates()) used_globals_.insert(update.updates);
    for (size_t i = 0; i < program.op_count(); ++i) {
      const OpData& data = program.op(OpId(i)).data;
      for (const ProgramId callee : callees(data)) visit_function(callee);
      if (const View* view = std::get_if<View>(&data)) used_globals_.insert(view->global);
      if (const BlockSize* size = std::get_if<BlockSize>(&data)) used_globals_.insert(size->global);
    }
  }

  /// Made for the operands of a call: where nothing calls it, only its derivative is used. Funcs that are never called
  /// have no states.
  static bool is_instance(const Program& function) {
    const auto known = [&](ValueId argument) {
      const States& states = function.value(argument).type.states;
      return std::any_of(states.begin(), states.end(), [](State state) { return state != State::unknown; });
    };
    return std::any_of(function.body().arguments.begin(), function.body().arguments.end(), known);
  }

  /// Callees first.
  void visit_function(ProgramId id) {
    if (!visited_.insert(id).second) return;
    visit_callees(id);
    functions_.push_back(id);
  }

  static std::string unique_name(const std::string& wanted, std::set<std::string>& taken) {
    std::string name = wanted;
    for (int i = 2; !taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
  }

  void name_mesh(const Mesh& mesh) {
    if ((mesh.name().empty() && mesh.axis_count() == 0) || find_mesh(mesh) != nullptr) return;
    meshes_.push_back({mesh, unique_name(mesh.name().empty() ? "m" : mesh.name(), mesh_names_)});
  }

  void name_meshes(const std::optional<ProgramId>& only) {
    for (const auto& mesh : module_.meshes) {
      if (!only) name_mesh(*mesh);
    }
    for (const ProgramId id : functions_) name_mesh(module_.program(id).mesh());
    for (const ProgramId id : programs_) name_mesh(module_.program(id).mesh());
  }

  const std::string* find_mesh(const Mesh& mesh) const {
    for (const auto& [known, name] : meshes_) {
      if (known == mesh) return &name;
    }
    return nullptr;
  }

  // Items.

  std::string print_meshes() const {
    std::string text;
    for (const auto& [mesh, name] : meshes_) {
      text += "mesh @" + name + " " + print_axes_of(mesh) + "\n";
    }
    return text.empty() ? "" : "\n" + text;
  }

  std::string print_globals(const std::optional<ProgramId>& only) const {
    std::string text;
    for (size_t i = 0; i < module_.globals.size(); ++i) {
      if (only && used_globals_.count(GlobalId(i)) == 0) continue;
      text += print_global(module_.globals[i]);
    }
    return text.empty() ? "" : "\n" + text;
  }

  /// ` {steps=2, map @W = @V [-]}`, or nothing.
  std::string print_options(const Check& check) const {
    std::string text = check.steps == 1 ? "" : "steps=" + std::to_string(check.steps);
    for (const GlobalMap& map : check.maps) {
      text += (text.empty() ? "map @" : ", map @") + module_.global(map.global).name + " = @" +
              module_.global(map.source).name + " " + to_string(map.layout, Mesh());
    }
    return text.empty() ? "" : " {" + text + "}";
  }

  std::string print_checks() const {
    std::string text;
    for (const Check& check : module_.checks) {
      text += "check @" + module_.program(check.left).name() + " == @" + module_.program(check.right).name() +
              print_options(check) + "\n";
    }
    return text.empty() ? "" : "\n" + text;
  }

  std::string on_mesh(const Program& program) const {
    const std::string* name = find_mesh(program.mesh());
    return name == nullptr ? "" : " on @" + *name;
  }

  std::string print_program(const Program& program) const {
    const std::string kind = program.typed() ? "\nprogram @" : "\nuntyped program @";
    return kind + program.name() + on_mesh(program) + " {\n" + print_body(program) + "}\n";
  }

  /// The item, or nothing when one with this name and text is printed already.
  std::string print_function(ProgramId id) {
    const Program& function = module_.program(id);
    std::string text = "(";
    for (size_t i = 0; i < function.body().arguments.size(); ++i) {
      const ValueId argument = function.body().arguments[i];
      text += (i ? ", " : "") + print_values(function, {argument}) + ": " +
              print_type(function.value(argument), function.mesh());
    }
    text += ')';
    text += on_mesh(function) + " ->";
    for (size_t i = 0; i < function.body().results.size(); ++i) {
      text += i ? ", " : " ";
      text += to_string(function.value(function.body().results[i]).type.tensor);
    }
    text += " {\n";
    text += print_body(function) + "}\n";
    const auto [known, is_new] = texts_.insert({{function.name(), text}, ""});
    if (is_new) known->second = unique_name(function.name(), body_names_);
    function_names_[id] = known->second;
    return is_new ? "\nfunc @" + known->second + text : "";
  }

  // Bodies.

  std::string print_type(const Value& value, const Mesh& mesh) const {
    return options_.types ? to_string(value.type, mesh) : to_string(value.type.tensor);
  }

  std::string print_values(const Program& program, const std::vector<ValueId>& values) const {
    const auto named = names_.find(&program);
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) {
      text += i ? ", %" : "%";
      text += named == names_.end() ? program.value(values[i]).name : named->second[values[i].index()];
    }
    return text;
  }

  std::string print_types(const Program& program, const std::vector<ValueId>& values) const {
    std::string text;
    for (size_t i = 0; options_.types && i < values.size(); ++i) {
      text += (i ? ", " : " : ") + to_string(program.value(values[i]).type, program.mesh());
    }
    return text;
  }

  /// `(%c = %h0, %d = %g0)`: what stands inside for what outside.
  std::string print_bindings(const Program& program, const std::vector<ValueId>& inside,
                             const std::vector<ValueId>& outside, size_t first, size_t end) const {
    const size_t shift = inside.size() - outside.size();  // the index comes first
    std::string text = "(";
    for (size_t i = first; i < end; ++i) {
      const ValueId argument = inside[i + shift];
      text += (i > first ? ", " : "") + print_values(program, {argument}) + " = " +
              print_values(program, {outside[i]}) + print_types(program, {argument});
    }
    return text + ")";
  }

  std::string print_scan(const Program& program, const Op& op, const Scan& scan, const std::string& indent) const {
    const Region& region = op.regions[0];
    const size_t carries = static_cast<size_t>(scan.carries), operands = op.operands.size();
    std::string text = print_values(program, op.results) + " = scan";
    if (carries > 0) text += " " + print_bindings(program, region.arguments, op.operands, 0, carries);
    if (operands > carries)
      text += " over " + print_bindings(program, region.arguments, op.operands, carries, operands);
    if (region.arguments.size() > operands) text += " index " + print_values(program, {region.arguments[0]});
    if (operands == carries) text += " trips " + std::to_string(scan.trips);
    const auto middle = region.results.begin() + static_cast<std::ptrdiff_t>(carries);
    text += " {\n" + print_ops(program, region.ops, indent + "  ") + indent + "  yield";
    if (carries > 0) text += " (" + print_values(program, {region.results.begin(), middle}) + ")";
    if (region.results.size() > carries)
      text += " stack (" + print_values(program, {middle, region.results.end()}) + ")";
    return text + "\n" + indent + "}" + print_types(program, op.results);
  }

  std::string print_ops(const Program& program, const std::vector<OpId>& ops, const std::string& indent) const {
    std::string text;
    for (const OpId id : ops) {
      const Op& op = program.op(id);
      const Scan* scan = std::get_if<Scan>(&op.data);
      text += indent + (scan != nullptr ? print_scan(program, op, *scan, indent) : print_op(program, op)) + "\n";
    }
    return text;
  }

  static bool is_uneven(const Layout& layout) {
    return std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.split == Split::uneven; });
  }

  /// ` @f(%x, %y)`.
  std::string print_applied(ProgramId function, const Program& program, const std::vector<ValueId>& operands) const {
    const auto name = function_names_.find(function);
    ISOSHARD_CHECK(name != function_names_.end(), "callees are printed before their callers");
    return " @" + name->second + "(" + print_values(program, operands) + ")";
  }

  std::string print_op(const Program& program, const Op& op) const {
    std::string text = print_values(program, op.results) + " = " + std::string(op_name(op.data));
    const std::string operands = print_values(program, op.operands);
    if (const View* view = std::get_if<View>(&op.data)) {
      text += " @" + module_.global(view->global).name + " " + to_string(view->layout, program.mesh());
      text += print_view_part(*view, program.mesh());
    } else if (const BlockSize* size = std::get_if<BlockSize>(&op.data)) {
      text += " @" + module_.global(size->global).name + " " + to_string(size->layout, program.mesh()) + " " +
              print_fields(op.data, program.mesh());
    } else if (const Call* call = std::get_if<Call>(&op.data)) {
      text += print_applied(call->callee, program, op.operands);
      if (call->vjp.valid()) text += " {vjp=@" + printed_name(call->vjp) + "}";
    } else if (const PipelineRun* pipeline = std::get_if<PipelineRun>(&op.data)) {
      const auto middle =
          op.operands.begin() + static_cast<std::ptrdiff_t>(pipeline->functions(module_).stage_operands());
      text += print_applied(pipeline->stage, program, {op.operands.begin(), middle}) +
              print_applied(pipeline->loss, program, {middle, op.operands.end()}) + " " +
              print_fields(op.data, program.mesh());
    } else {
      const std::string fields = print_fields(op.data, program.mesh());
      text += (operands.empty() ? "" : " " + operands) + (fields.empty() ? "" : " " + fields);
    }
    return text + print_types(program, op.results);
  }

  const std::string& printed_name(ProgramId function) const {
    const auto known = function_names_.find(function);
    ISOSHARD_CHECK(known != function_names_.end(), "callees are printed before their callers");
    return known->second;
  }

  std::string print_parts(const Program& program, const std::string& statement, const Output& output) const {
    std::string text;
    for (const ReturnPart& part : output.parts) {
      text += "  " + statement + " @" + output.name + " = " + print_values(program, {part.value}) + " " +
              to_string(part.layout, program.mesh()) +
              (is_uneven(part.layout) && !output.updates.valid() ? " : " + to_string(output.type) + "\n" : "\n");
    }
    return text;
  }

  std::string print_body(const Program& program) const {
    std::string text;
    text += print_ops(program, program.body().ops, "  ");
    for (const Output& output : program.outputs()) text += print_parts(program, "return", output);
    for (const Output& update : program.updates()) text += print_parts(program, "update", update);
    if (program.kind() == ProgramKind::function) {
      text += "  return " + print_values(program, program.body().results) + "\n";
    }
    return text;
  }

  const Module& module_;
  const PrintOptions& options_;
  std::vector<ProgramId> programs_, functions_;
  std::set<ProgramId> visited_;
  std::set<GlobalId> used_globals_;
  std::vector<std::pair<Mesh, std::string>> meshes_;
  std::set<std::string> mesh_names_, body_names_;
  std::map<std::pair<std::string, std::string>, std::string> texts_;  ///< name and text -> name in the file
  std::map<ProgramId, std::string> function_names_;
  std::map<const Program*, std::vector<std::string>> names_;  ///< of values, where not their own
};

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  return ModulePrinter(module, options).print(std::nullopt);
}

std::string print(const Module& module, ProgramId program, const PrintOptions& options) {
  return ModulePrinter(module, options).print(program);
}

}  // namespace isoshard::text

#include "core/text/json_read_program.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/text/json_read_names.h"
#include "core/transform/pipeline_parts.h"

namespace isoshard::text {
namespace {

constexpr size_t kMaxCallDepth = 256;

/// Hands the ops of one body to a Builder.
///
/// The Builder's ops have the locations that the JSON says; its errors are told at the places in the JSON text.
class ProgramReader {
 public:
  ProgramReader(JsonReading& reading, const JsonNode& node, std::shared_ptr<const Mesh> mesh, Word name,
                ProgramKind kind, bool typed)
      : reading_(reading),
        node_(node),
        kind_(kind),
        typed_(typed),
        scope_(reading.elaboration.scope, mesh.get()),
        names_(scope_),
        builder_(reading.elaboration.module, std::move(name.text), mesh, found_,
                 BuilderOptions{kind, typed, json_location(node, scope_)}) {}

  std::optional<ProgramId> run() {
    const size_t before = sink().error_count();
    if (!body(*node_.find("body")) || sink().error_count() != before) return std::nullopt;
    compare_json_program(reading_.elaboration.module, builder_.program(), node_, scope_);
    if (sink().error_count() != before) return std::nullopt;
    const std::optional<ProgramId> made = builder_.finish();
    forward(node_, true);
    if (made) reading_.depths.push_back(depth_);
    return made;
  }

 private:
  DiagnosticSink& sink() const { return reading_.elaboration.scope.sink; }

  /// Tells what the Builder found since the last time, at `node`; what finish() found at the op with that location.
  void forward(const JsonNode& node, bool at_the_end = false) {
    for (; forwarded_ < found_.diagnostics().size(); ++forwarded_) {
      Diagnostic found = found_.diagnostics()[forwarded_];
      const auto place = places_.find(found.location.to_string());
      const JsonNode& at = at_the_end && place != places_.end() ? *place->second : node;
      if (found.location.known() && found.location.file() != scope_.file().file->name) {
        found.notes.insert(found.notes.begin(), Note{found.location, "it was written here"});
      }
      found.location = scope_.at(at.span);
      sink().add(std::move(found));
    }
  }

  Location location(const JsonNode& node) {
    Location result = json_location(node, scope_);
    if (result.known()) places_.insert({result.to_string(), &node});
    return result;
  }

  // Bodies.

  bool body(const JsonNode& node) {
    if (!json_has_keys(node, "a body", {"arguments", "ops", "results"}, {}, scope_)) return false;
    const std::vector<JsonNode>* arguments = json_items(*node.find("arguments"), "`arguments`", scope_);
    if (arguments == nullptr || !parameters(*arguments) || !ops(*node.find("ops"))) return false;
    const std::optional<std::vector<ValueId>> results = names_.values(*node.find("results"), "`results`");
    if (!results) return false;
    if (kind_ == ProgramKind::program && !results->empty()) {
      scope_.error("P-value", node.find("results")->span,
                   "`results` of a program has values; expected none, they stand under `outputs`");
      return false;
    }
    if (kind_ == ProgramKind::program) return outputs(*node_.find("outputs")) && updates(*node_.find("updates"));
    builder_.results(*results, location(node_));
    forward(node);
    return true;
  }

  bool parameters(const std::vector<JsonNode>& nodes) {
    for (const JsonNode& node : nodes) {
      if (kind_ == ProgramKind::program) {
        scope_.error("P-value", node.span, "a program has an argument; expected none, it reads globals through views");
        return false;
      }
      const std::optional<ValueType> type = json_value_type(node, scope_);
      const std::optional<Word> name = type ? names_.new_name(node) : std::nullopt;
      if (!name || !check_states(*type, name->text, node)) return false;
      names_.define(name->text, builder_.argument(name->text, *type, scope_.at(node.span)));
      forward(node);
    }
    return true;
  }

  /// What no value can be: the states of parameters are not inferred.
  bool check_states(const ValueType& type, const std::string& name, const JsonNode& node) {
    const auto has = [&](State state) {
      return std::find(type.states.begin(), type.states.end(), state) != type.states.end();
    };
    const bool reduced = has(State::replicated) || has(State::invariant);
    std::string problem;
    if (type.has_gradient && !is_float(type.tensor.dtype)) {
      problem = "has a gradient; expected none, its dtype is " + std::string(isoshard::name(type.tensor.dtype));
    } else if (!type.has_gradient && reduced) {
      problem = "is R or I and has no gradient; expected =, R and I differ in the gradient only";
    } else if (!typed_ && (reduced || has(State::partial))) {
      problem =
          "is " + isoshard::to_string(type.states, builder_.mesh()) + "; expected = and V only, the func is untyped";
    }
    if (problem.empty()) return true;
    scope_.error("P-value", node.span, "%" + name + " " + problem);
    return false;
  }

  /// False after an error, which ends the body: what follows may depend on it.
  bool ops(const JsonNode& node) {
    const std::vector<JsonNode>* items = json_items(node, "`ops`", scope_);
    if (items == nullptr) return false;
    return std::all_of(items->begin(), items->end(), [&](const JsonNode& item) { return op(item); });
  }

  bool op(const JsonNode& node) {
    if (!reading_.elaboration.step(scope_, node.span)) return false;
    if (!json_has_keys(node, "an op", {"op", "operands", "fields", "results"}, {"regions", "state_errors", "location"},
                       scope_))
      return false;
    std::optional<OpData> data = read_json_op(reading_, *node.find("op"), *node.find("fields"), scope_);
    std::optional<std::vector<ValueId>> operands = names_.values(*node.find("operands"), "`operands`");
    std::optional<std::vector<std::string>> names = names_.new_names(*node.find("results"));
    if (!data || !operands || !names) return false;
    if (names->empty()) {
      scope_.error("P-value", node.find("results")->span, "`results` is empty; every op has at least one");
      return false;
    }
    const size_t errors = sink().error_count();
    std::vector<ValueId> results;
    if (const Scan* data_of_scan = std::get_if<Scan>(&*data)) {
      results = scan(node, *data_of_scan, *operands, *names);
    } else if (const JsonNode* regions = node.find("regions")) {
      scope_.error("P-key", regions->span, std::string(op_name(*data)) + " has no regions; only scan has");
    } else if (can_call(*data, node)) {
      results = append(std::move(*data), std::move(*operands), *names, location(node));
    }
    forward(node);
    for (size_t i = 0; i < results.size() && i < names->size(); ++i) names_.define((*names)[i], results[i]);
    return sink().error_count() == errors && !results.empty();
  }

  /// A pipeline must have derivatives where it is to give gradients.
  std::vector<ValueId> append(OpData data, std::vector<ValueId> operands, const std::vector<std::string>& names,
                              const Location& location) {
    const OpData copy = data;
    std::vector<ValueId> results = builder_.append(std::move(data), std::move(operands), names, location);
    const PipelineRun* pipeline = std::get_if<PipelineRun>(&copy);
    if (pipeline != nullptr && !results.empty() && results.front().valid()) {
      check_pipeline(builder_.module(), *pipeline, sink(), location);
    }
    return results;
  }

  /// A call needs a func on its own mesh, and calls nest to a limit.
  bool can_call(const OpData& data, const JsonNode& node) {
    for (const ProgramId function : callees(data)) {
      if (!can_call(function, node)) return false;
    }
    return true;
  }

  bool can_call(ProgramId function, const JsonNode& node) {
    const Program& callee = builder_.module().program(function);
    depth_ = std::max(depth_, reading_.depths[function.index()] + 1);
    const auto complain = [&](const char* rule, const std::string& message) {
      scope_.error(rule, node.span, message);
      return false;
    };
    if (!(callee.mesh() == builder_.mesh())) {
      return complain("E-mesh", "the func @" + callee.name() + " is on another mesh than its caller @" +
                                    builder_.program().name() + "; expected the same mesh");
    }
    if (callee.typed() != typed_) {
      return complain("E-differs", "call: @" + callee.name() + " is " + (typed_ ? "untyped" : "typed") +
                                       " and its caller is not; expected both alike");
    }
    if (depth_ <= kMaxCallDepth) return true;
    return complain("E-recursion", "calls are nested deeper than 256 funcs; expected fewer");
  }

  // Scans.

  std::vector<ValueId> scan(const JsonNode& node, const Scan& data, const std::vector<ValueId>& values,
                            const std::vector<std::string>& names) {
    const JsonNode* region = region_of(node);
    if (region == nullptr) return {};
    const JsonNode& arguments = *region->find("arguments");
    const std::optional<std::vector<std::string>> inside = names_.new_names(arguments);
    if (!inside) return {};
    if (data.carries < 0 || data.carries > static_cast<int64_t>(values.size())) {
      scope_.error("E-field-value", node.find("fields")->span,
                   "scan: `carries` is " + std::to_string(data.carries) + "; expected 0 to the number of operands, " +
                       std::to_string(values.size()));
      return {};
    }
    if (inside->size() != values.size() && inside->size() != values.size() + 1) {
      scope_.error("P-value", arguments.span,
                   "the region has " + std::to_string(inside->size()) + " arguments; expected one per operand, " +
                       std::to_string(values.size()) + ", or the index and these");
      return {};
    }
    const ScanOperands operands = scan_operands(data, values, names, *inside);
    return builder_.scan(
        operands, [&](const ScanArguments& args, bool) { return scan_body(*region, operands, args); }, location(node));
  }

  const JsonNode* region_of(const JsonNode& node) {
    const JsonNode* regions = node.find("regions");
    const bool one = regions != nullptr && regions->kind == JsonKind::array && regions->items.size() == 1;
    if (!one) {
      scope_.error("P-value", (regions != nullptr ? *regions : node).span, "scan needs `regions` with one region");
      return nullptr;
    }
    const JsonNode& region = regions->items[0];
    return json_has_keys(region, "a region", {"arguments", "ops", "results"}, {}, scope_) ? &region : nullptr;
  }

  static ScanOperands scan_operands(const Scan& data, const std::vector<ValueId>& values,
                                    const std::vector<std::string>& names, const std::vector<std::string>& inside) {
    const auto carries = static_cast<std::ptrdiff_t>(data.carries);
    ScanOperands result;
    result.initial = {values.begin(), values.begin() + carries};
    result.stacked = {values.begin() + carries, values.end()};
    result.trips = data.trips;
    result.with_index = inside.size() > values.size();
    if (result.with_index) result.index_name = inside[0];
    const auto first = inside.begin() + (result.with_index ? 1 : 0);
    result.carry_names = {first, first + carries};
    result.slice_names = {first + carries, inside.end()};
    result.result_names = names;
    return result;
  }

  /// One run of a body; the Builder may want several.
  std::optional<ScanYield> scan_body(const JsonNode& region, const ScanOperands& operands,
                                     const ScanArguments& arguments) {
    names_.open_body();
    if (operands.with_index) names_.define(operands.index_name, arguments.index);
    for (size_t i = 0; i < arguments.carries.size(); ++i) names_.define(operands.carry_names[i], arguments.carries[i]);
    for (size_t i = 0; i < arguments.slices.size(); ++i) names_.define(operands.slice_names[i], arguments.slices[i]);
    std::optional<std::vector<ValueId>> results;
    forward(region);
    if (ops(*region.find("ops"))) results = names_.values(*region.find("results"), "`results`");
    names_.close_body();
    if (!results) return std::nullopt;
    ScanYield yield;
    const auto carries = static_cast<std::ptrdiff_t>(std::min(results->size(), arguments.carries.size()));
    yield.carries = {results->begin(), results->begin() + carries};
    yield.stacked = {results->begin() + carries, results->end()};
    yield.location = scope_.at(region.find("results")->span);
    return yield;
  }

  // Outputs and updates.

  struct Part {
    ValueId value;
    Layout layout;
    Location location;
  };

  /// The parts of one output, which says its `name` and whole type.
  std::optional<std::vector<Part>> parts(const JsonNode& output, const std::string& subject) {
    if (!json_has_keys(output, subject, {"name", "dtype", "shape", "parts"}, {}, scope_)) return std::nullopt;
    const std::vector<JsonNode>* nodes = json_items(*output.find("parts"), "`parts`", scope_);
    if (nodes == nullptr) return std::nullopt;
    std::vector<Part> result;
    for (const JsonNode& node : *nodes) {
      if (!json_has_keys(node, "a part", {"value", "layout"}, {"location"}, scope_)) return std::nullopt;
      const std::optional<ValueId> value = names_.find(*node.find("value"), "`value`");
      const std::optional<Layout> layout = json_layout(*node.find("layout"), "`layout`", scope_);
      if (!value || !layout) return std::nullopt;
      result.push_back(Part{*value, *layout, location(node)});
    }
    return result;
  }

  bool outputs(const JsonNode& node) {
    const std::vector<JsonNode>* items = json_items(node, "`outputs`", scope_);
    if (items == nullptr) return false;
    return std::all_of(items->begin(), items->end(), [&](const JsonNode& item) { return output(item); });
  }

  bool output(const JsonNode& node) {
    const std::optional<std::vector<Part>> found = parts(node, "an output");
    if (!found) return false;
    const std::optional<Word> name = json_word(*node.find("name"), TokenKind::global, "`name`", scope_);
    const std::optional<TypeSyntax> syntax = json_type_syntax(node, scope_);
    const std::optional<TensorType> type = syntax ? scope_.type(*syntax) : std::nullopt;
    if (!name || !type) return false;
    if (found->size() != 1) {
      scope_.error("P-value", node.find("parts")->span,
                   "the output @" + name->text + " has " + std::to_string(found->size()) + " parts; expected one");
      return false;
    }
    const Part& part = found->front();
    const size_t errors = sink().error_count();
    builder_.output(name->text, part.value, part.layout, part.location, *type);
    forward(node);
    return sink().error_count() == errors;
  }

  bool updates(const JsonNode& node) {
    const std::vector<JsonNode>* items = json_items(node, "`updates`", scope_);
    if (items == nullptr) return false;
    return std::all_of(items->begin(), items->end(), [&](const JsonNode& item) { return update(item); });
  }

  bool update(const JsonNode& node) {
    const std::optional<std::vector<Part>> found = parts(node, "an update");
    if (!found) return false;
    const std::optional<Word> name = json_word(*node.find("name"), TokenKind::global, "`name`", scope_);
    const std::optional<TypeSyntax> syntax = json_type_syntax(node, scope_);
    const std::optional<TensorType> type = syntax ? scope_.type(*syntax) : std::nullopt;
    const std::optional<GlobalId> global = name ? reading_.elaboration.find_global(*name, scope_) : std::nullopt;
    if (!type || !global) return false;
    const TensorType& declared = builder_.module().global(*global).type;
    if (!(*type == declared)) {
      scope_.error("E-differs", node.span,
                   "@" + name->text + " is " + to_string(declared) + "; its update says " + to_string(*type));
      return false;
    }
    const bool repeated = std::any_of(builder_.program().updates().begin(), builder_.program().updates().end(),
                                      [&](const Output& other) { return other.updates == *global; });
    if (found->empty() || repeated) {
      scope_.error(
          "P-value", node.span,
          "the update of @" + name->text +
              (repeated ? " is given twice; expected one with all parts" : " has no parts; expected at least one"));
      return false;
    }
    const size_t errors = sink().error_count();
    for (const Part& part : *found) builder_.update(*global, part.value, part.layout, part.location);
    forward(node);
    return sink().error_count() == errors;
  }

  JsonReading& reading_;
  const JsonNode& node_;
  ProgramKind kind_;
  bool typed_;
  Scope scope_;
  JsonNames names_;
  DiagnosticSink found_;  ///< by the Builder
  size_t forwarded_ = 0;
  Builder builder_;
  std::map<std::string, const JsonNode*> places_;
  size_t depth_ = 0;
};

}  // namespace

std::optional<ProgramId> read_json_program(JsonReading& reading, const JsonNode& node) {
  const Scope scope(reading.elaboration.scope);
  const JsonNode* kind_node = node.find("kind");
  const bool is_function = kind_node != nullptr && kind_node->kind == JsonKind::string && kind_node->text == "function";
  std::vector<std::string> keys{"name", "kind", "typed", "mesh", "body"};
  if (!is_function) keys.insert(keys.end(), {"outputs", "updates"});
  if (!json_has_keys(node, is_function ? "a function" : "a program", keys, {"location"}, scope)) return std::nullopt;
  if (!is_function && !(kind_node->kind == JsonKind::string && kind_node->text == "program")) {
    scope.error("P-value", kind_node->span, "`kind` is " + show(*kind_node) + "; expected \"program\" or \"function\"");
    return std::nullopt;
  }
  std::optional<Word> name = json_word(*node.find("name"), TokenKind::global, "`name`", scope);
  const std::optional<bool> typed = json_boolean(*node.find("typed"), "`typed`", scope);
  const std::shared_ptr<const Mesh> mesh = find_json_mesh(reading, *node.find("mesh"));
  if (!name || !typed || mesh == nullptr) return std::nullopt;
  const ProgramKind kind = is_function ? ProgramKind::function : ProgramKind::program;
  return ProgramReader(reading, node, mesh, std::move(*name), kind, *typed).run();
}

}  // namespace isoshard::text

// Items of a file: meshes, lets and globals in order, then programs, funcs and checks.
// Declarations are made in the order of the file, since sizes and lets may use what stands before them; --mesh and
// --set take the place of what is written. Then come programs, and with them the funcs that they call; funcs that
// nothing calls are elaborated for their errors alone, without states. Checks come last, as they name programs, and
// make the programs of gradients and references that they ask for. An item with an error stands in by its name and,
// where possible, its shape, so that one mistake is reported once. Any error in the file means no module.
#include "core/text/elaborate/elaborate.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "core/support/quoted.h"
#include "core/text/elaborate/elaborate_global.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/imports.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/elaborate/unused_lets.h"
#include "core/text/syntax/suggest.h"
#include "core/transform/pipeline/pipeline_reference.h"
#include "core/value/integers.h"

namespace isoshard::text {
namespace {

/// A name that is taken, and where.
using Taken = std::map<std::string, Location>;

class ItemElaborator {
 public:
  ItemElaborator(const std::vector<PlacedItem>& items, const std::shared_ptr<const SourceFile>& file,
                 const ElaborateOptions& options, DiagnosticSink& sink)
      : items_(items), options_(options), sink_(sink), elaboration_(file, options.max_ops, sink) {}

  std::optional<Module> run() {
    const size_t before = sink_.error_count();
    check_given_twice();
    for (const PlacedItem& item : items_) {
      place_ = &item;
      if (!elaboration_.too_many_errors()) declare(*item.item);
    }
    place_ = nullptr;
    check_options();
    for (const PlacedItem& item : items_) {
      if (!elaboration_.too_many_errors()) program(*item.item);
    }
    for (const auto& [name, pipeline] : elaboration_.pipelines) check_funcs(*pipeline);
    for (const auto& [name, function] : functions_) {
      if (!elaboration_.was_called(name)) elaboration_.check_uncalled(*function);
    }
    for (const PlacedItem& item : items_) {
      const CheckSyntax* syntax = std::get_if<CheckSyntax>(&item.item->data);
      if (syntax != nullptr && !elaboration_.too_many_errors()) check(*syntax, item.item->span);
    }
    if (sink_.error_count() != before) return std::nullopt;
    elaboration_.module.meshes = elaboration_.scope.meshes;
    elaboration_.module.remarks = unused_lets(items_);
    return std::move(elaboration_.module);
  }

 private:
  /// That of the file, or of the import that is being declared.
  Scope scope() const {
    if (place_ == nullptr || !place_->import.known()) return Scope(elaboration_.scope);
    Scope result(elaboration_.scope, nullptr, place_->file);
    result.reach_from(place_->import, "imported from here");
    return result;
  }
  void option_error(std::string rule, std::string message) {
    sink_.error(std::move(rule), Location(), std::move(message));
  }

  template <class Pairs>
  void check_twice(const Pairs& pairs, const std::string& option) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (pairs[i].first != pairs[j].first) continue;
        option_error("E-option", option + " gives `" + pairs[i].first + "` twice; expected once");
      }
    }
  }

  void check_given_twice() {
    check_twice(options_.mesh_sizes, "--mesh");
    check_twice(options_.settings, "--set");
  }

  /// Names that no mesh or let of the file has.
  void check_options() {
    std::vector<std::string> axes, lets;
    for (const auto& mesh : elaboration_.scope.meshes) {
      for (const MeshAxis& axis : mesh->axes()) {
        if (std::find(axes.begin(), axes.end(), axis.name) == axes.end()) axes.push_back(axis.name);
      }
    }
    for (const auto& [name, value] : elaboration_.scope.lets) lets.push_back(name);
    for (const auto& [name, word] : elaboration_.scope.words) lets.push_back(name);
    for (const auto& [axis, size] : options_.mesh_sizes) {
      if (failed_meshes_ || std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
      std::string end = suggestion(axis, axes, "", "axes");
      if (elaboration_.scope.lets.count(axis) != 0) end = "; it is a let, which --set sets and --sweep-set sweeps";
      option_error("E-axis", "--mesh " + axis + "=" + std::to_string(size) + ": no mesh of the file has the axis `" +
                                 axis + "`" + end);
    }
    for (const auto& [name, value] : options_.settings) {
      if (std::find(lets.begin(), lets.end(), name) != lets.end()) continue;
      option_error("E-set", "--set " + name + "=" + value + ": the file has no `let " + name + "`" +
                                suggestion(name, lets, "", "lets"));
    }
  }

  template <class Pairs>
  static auto find_option(const Pairs& pairs, const std::string& name) {
    return std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
  }

  // Declarations.

  bool claim(Taken& taken, const Word& name, const std::string& kind) {
    const auto [it, is_new] = taken.insert({name.text, scope().at(name.span)});
    if (is_new) return true;
    sink_.error("E-duplicate", scope().at(name.span), kind + name.text + " is declared twice; expected a new name")
        .note(it->second, "it is first declared here");
    return false;
  }

  void declare(const Item& item) {
    if (const MeshSyntax* mesh_item = std::get_if<MeshSyntax>(&item.data)) mesh(*mesh_item);
    if (const LetSyntax* let_item = std::get_if<LetSyntax>(&item.data)) let(*let_item);
    if (const GlobalSyntax* global_item = std::get_if<GlobalSyntax>(&item.data)) globals(*global_item);
    const PipelineSyntax* pipeline = std::get_if<PipelineSyntax>(&item.data);
    if (pipeline != nullptr && claim(bodies_, pipeline->name, "pipeline @")) {
      elaboration_.pipelines[pipeline->name.text] = pipeline;
    }
    const BodySyntax* body = std::get_if<BodySyntax>(&item.data);
    if (body == nullptr) return;
    const bool is_new = claim(bodies_, body->name, body->is_function ? "func @" : "program @");
    if (is_new) first_bodies_.insert(body);
    if (!is_new || !body->is_function) return;
    elaboration_.functions[body->name.text] = body;
    if (!place_->import.known()) functions_.push_back({body->name.text, body});
  }

  /// The size of an axis: as written, or as given by --mesh.
  std::optional<int64_t> axis_size(const Word& axis, const Expr& written) {
    const auto given = find_option(options_.mesh_sizes, axis.text);
    const bool from_option = given != options_.mesh_sizes.end();
    const std::optional<int64_t> size = from_option ? std::optional(given->second) : read_integer(written, scope());
    if (!size || (*size >= 1 && *size <= kMaxDevices)) return size;
    const std::string expected =
        "; expected 1 to " + std::to_string(kMaxDevices) + " devices, and as many for the whole mesh";
    if (from_option) {
      option_error("E-size", "--mesh " + axis.text + "=" + std::to_string(*size) + ": the size of `" + axis.text +
                                 "` is " + std::to_string(*size) + expected);
    } else {
      scope().error("E-size", written.span, "the size of `" + axis.text + "` is " + std::to_string(*size) + expected);
    }
    return std::nullopt;
  }

  std::optional<std::vector<MeshAxis>> axes(const MeshSyntax& syntax) {
    std::vector<MeshAxis> result;
    Taken taken;
    int64_t devices = 1;
    bool good = true;
    for (const auto& [axis, written] : syntax.axes) {
      good &= claim(taken, axis, "the axis ");
      if (elaboration_.scope.lets.count(axis.text) != 0) {
        scope().error("E-duplicate", axis.span, "the axis `" + axis.text + "` has the name of a let; rename one");
        good = false;
      }
      const std::optional<int64_t> size = axis_size(axis, written);
      good &= size.has_value();
      devices *= size && devices <= kMaxDevices ? *size : 1;
      result.push_back(MeshAxis{axis.text, size.value_or(1)});
    }
    if (good && result.size() > AxisSet::kMaxAxes) {
      scope().error("E-axis", syntax.name.span,
                    "the mesh @" + syntax.name.text + " has " + std::to_string(result.size()) +
                        " axes; expected at most " + std::to_string(AxisSet::kMaxAxes));
      return std::nullopt;
    }
    if (good && devices > kMaxDevices) {
      scope().error("E-size", syntax.name.span,
                    "the mesh @" + syntax.name.text + " has more than " + std::to_string(kMaxDevices) +
                        " devices; expected smaller axes");
      return std::nullopt;
    }
    return good ? std::optional(std::move(result)) : std::nullopt;
  }

  void mesh(const MeshSyntax& syntax) {
    const bool is_new = claim(mesh_names_, syntax.name, "mesh @");
    const std::optional<std::vector<MeshAxis>> sizes = axes(syntax);
    failed_meshes_ |= !sizes;
    if (!is_new) return;
    Mesh result(syntax.name.text, sizes.value_or(std::vector<MeshAxis>()));
    std::vector<int64_t> order;
    if (sizes && syntax.devices && device_order(syntax, result.device_count(), order)) {
      result = Mesh(syntax.name.text, *sizes, std::move(order));
    }
    // A mesh with errors stands in with the axes as written, so that their names are known below.
    if (!sizes) {
      std::vector<MeshAxis> named;
      for (const auto& [axis, written] : syntax.axes) {
        if (named.size() < AxisSet::kMaxAxes) named.push_back(MeshAxis{axis.text, 1});
      }
      result = Mesh(syntax.name.text, std::move(named));
    }
    elaboration_.scope.meshes.push_back(std::make_shared<const Mesh>(std::move(result)));
  }

  bool device_order(const MeshSyntax& syntax, int64_t count, std::vector<int64_t>& order) {
    std::vector<bool> seen(static_cast<size_t>(count));
    for (const Expr& written : *syntax.devices) {
      const std::optional<int64_t> device = read_integer(written, scope());
      if (!device) return false;
      const bool fits = *device >= 0 && *device < count && !seen[static_cast<size_t>(*device)];
      if (!fits) {
        scope().error("E-devices", written.span,
                      "the device " + std::to_string(*device) + " is out of range or repeated; expected each of 0 to " +
                          std::to_string(count - 1) + " once");
        return false;
      }
      seen[static_cast<size_t>(*device)] = true;
      order.push_back(*device);
    }
    if (static_cast<int64_t>(order.size()) == count) return true;
    scope().error("E-devices", syntax.name.span,
                  "devices lists " + std::to_string(order.size()) + " devices and the mesh @" + syntax.name.text +
                      " has " + std::to_string(count) + "; expected one per position, or leave `devices` out");
    return false;
  }

  void let(const LetSyntax& syntax) {
    const std::string& name = syntax.name.text;
    const bool is_new = claim(let_names_, syntax.name, "let ");
    for (const auto& known : elaboration_.scope.meshes) {
      if (!known->find(name)) continue;
      scope().error("E-duplicate", syntax.name.span,
                    "the let `" + name + "` has the name of an axis of @" + known->name() + "; rename one");
      break;
    }
    const auto given = find_option(options_.settings, name);
    if (!syntax.words.empty()) return word(syntax, given == options_.settings.end() ? nullptr : &given->second, is_new);
    const std::optional<int64_t> value =
        given != options_.settings.end() ? setting(name, given->second) : read_integer(syntax.value, scope());
    if (is_new) elaboration_.scope.lets[name] = value;
  }

  void word(const LetSyntax& syntax, const std::string* given, bool is_new) {
    WordLet let{given != nullptr ? *given : syntax.words.front().text, {}};
    for (const Word& choice : syntax.words) let.words.push_back(choice.text);
    if (std::find(let.words.begin(), let.words.end(), let.value) == let.words.end()) {
      option_error("E-set", "--set " + syntax.name.text + ": the value is " + isoshard::quoted(let.value) +
                                "; expected one of " + list_names(let.words, ""));
    }
    if (is_new) elaboration_.scope.words.insert({syntax.name.text, std::move(let)});
  }

  std::optional<int64_t> setting(const std::string& name, const std::string& text) {
    int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status == std::errc() && end == text.data() + text.size()) return value;
    option_error("E-set",
                 "--set " + name + ": the value is " + isoshard::quoted(text) + "; expected an integer of 64 bits");
    return std::nullopt;
  }

  /// What is wrong with what several globals share is told once.
  void globals(const GlobalSyntax& syntax) {
    const std::optional<TensorType> type = read_type(syntax.type, scope());
    const std::optional<Role> role_found = elaborate_role(syntax.role, scope());
    const std::optional<Init> init_found = syntax.init ? elaborate_init(*syntax.init, type, scope()) : Init{};
    const bool is_whole = type && role_found && init_found;
    for (const Word& name : syntax.names) {
      if (!claim(global_names_, name, "global @")) continue;
      std::optional<GlobalId>& id = elaboration_.globals[name.text];
      if (is_whole) id = global(syntax, Global{name.text, *type, *role_found, *init_found, scope().at(name.span)});
    }
  }

  std::optional<GlobalId> global(const GlobalSyntax& syntax, Global made) {
    if (made.role == Role::key && made.type.dtype != DType::key) {
      scope().error("E-role", syntax.role.span,
                    "@" + made.name + " is " + to_string(made.type) + "; the role `key` is for the dtype key");
      return std::nullopt;
    }
    if (syntax.range) {
      made.range = elaborate_range(*syntax.range, made, scope());
      if (!made.range) return std::nullopt;
    }
    elaboration_.module.globals.push_back(std::move(made));
    return GlobalId(elaboration_.module.globals.size() - 1);
  }

  // Programs and checks.

  void program(const Item& item) {
    const BodySyntax* body = std::get_if<BodySyntax>(&item.data);
    if (body == nullptr || body->is_function) return;
    const std::optional<ProgramId> made = elaboration_.program(*body);
    if (first_bodies_.contains(body)) programs_[body->name.text] = made;
  }

  /// Those of a pipeline that no program applies are looked up, too.
  void check_funcs(const PipelineSyntax& pipeline) const {
    std::vector<std::string> names;
    for (const auto& [known, function] : elaboration_.functions) names.push_back(known);
    for (const Word* func : {&pipeline.stage, &pipeline.loss}) {
      if (elaboration_.functions.count(func->text) != 0 || elaboration_.too_many_errors()) continue;
      scope().error("E-func", func->span,
                    "there is no func @" + func->text + suggestion(func->text, names, "@", "funcs"));
    }
  }

  /// `@p.reference` of a program with a pipeline is made when a check names it first.
  void make_reference(const Word& name) {
    constexpr std::string_view kSuffix = ".reference";
    if (!name.text.ends_with(kSuffix) || programs_.contains(name.text)) return;
    const auto base = programs_.find(name.text.substr(0, name.text.size() - kSuffix.size()));
    if (base == programs_.end() || !base->second || !has_pipeline(elaboration_.module.program(*base->second))) return;
    programs_[name.text] = build_pipeline_reference(elaboration_.module, *base->second, sink_);
  }

  void check(const CheckSyntax& syntax, const Span& span) {
    make_reference(syntax.left);
    make_reference(syntax.right);
    const auto sides = elaborate_sides(elaboration_, syntax, programs_);
    if (!sides) return;
    std::optional<Check> made = elaborate_check(elaboration_, syntax, sides->first, sides->second, span);
    if (made) elaboration_.module.checks.push_back(std::move(*made));
  }

  const std::vector<PlacedItem>& items_;
  const PlacedItem* place_ = nullptr;  ///< of the item that is being declared
  const ElaborateOptions& options_;
  DiagnosticSink& sink_;
  Elaboration elaboration_;
  Taken mesh_names_, let_names_, global_names_, bodies_;
  std::set<const BodySyntax*> first_bodies_;                          ///< those whose name no item before has
  std::vector<std::pair<std::string, const BodySyntax*>> functions_;  ///< of the file itself, in its order
  ProgramNames programs_;
  bool failed_meshes_ = false;
};

}  // namespace

std::optional<Module> elaborate(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file,
                                const ElaborateOptions& options, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  const PlacedItems placed = place_items(tree, file, options.read, sink);
  if (sink.error_count() != before) return std::nullopt;
  return ItemElaborator(placed.items, file, options, sink).run();
}

std::optional<Module> parse_module(const std::shared_ptr<const SourceFile>& file, const ElaborateOptions& options,
                                   DiagnosticSink& sink) {
  const std::optional<FileSyntax> tree = parse(file, sink);
  if (!tree) return std::nullopt;
  return elaborate(*tree, file, options, sink);
}

}  // namespace isoshard::text

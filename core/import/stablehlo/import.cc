// From texts to a Module: the mesh, one global for each argument of main, the program, and for two texts the claim that
// they are equal. Both programs read the same globals, so their arguments are paired: by position, or by name where JAX
// has dropped those that one of them does not use. Cost: that of lowering.
#include "core/import/stablehlo/import.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/import/stablehlo/analysis/places.h"
#include "core/import/stablehlo/index_ranges.h"
#include "core/import/stablehlo/lower/lower_main.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// Of two texts without names: x + b and x + c are the same text where JAX has dropped c and b.
constexpr const char* kSamePlaces =
    "that arguments without names are the same, one by one, in both texts (JAX drops those that a program does not "
    "use: keep_unused=True, debug_info=True or --args say it)";

/// `params['w1'][0]` as `params.w1.0`, what a name of the language may be.
std::string as_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '.') {
      name += '.';
    }
  }
  while (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

/// The name, or with a number behind it where it is taken.
std::string unique(std::string name, std::set<std::string>& taken) {
  const std::string stem = name;
  for (int i = 2; !taken.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  return name;
}

const Function* main_of(const ModuleText& text, DiagnosticSink& sink) {
  const Function* main = text.find_function("main");
  if (main == nullptr && text.functions.size() == 1) main = &text.functions[0];
  if (main == nullptr) {
    sink.error("M-call", text.location({0, 1}), "no function @main; expected the text of a whole jit(f).lower(...)");
  }
  return main;
}

/// What is said of each argument, or what the text says; empty where nothing does.
std::vector<std::string> argument_names(const NamedText& source, const Function& main) {
  std::vector<std::string> names;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    const std::string_view written = name_of(source.text, main.body.arguments[i].location);
    names.push_back(as_name(i < source.arguments.size() ? std::string_view(source.arguments[i]) : written));
  }
  return names;
}

/// The same as they are written, which tells apart more than names of the language do.
std::vector<std::string> written_names(const NamedText& source, const Function& main) {
  std::vector<std::string> names;
  for (const BlockArgument& argument : main.body.arguments) names.emplace_back(name_of(source.text, argument.location));
  return names;
}

/// Names that are given are as many as the arguments, all different, and names of the language; false after an error.
bool accept_names(const NamedText& source, const Function& main, DiagnosticSink& sink) {
  if (source.arguments.empty()) return true;
  const auto fail = [&](const std::string& message) {
    sink.error("M-arguments", source.text.location(main.span), message);
    return false;
  };
  if (source.arguments.size() != main.body.arguments.size()) {
    return fail("--args has " + std::to_string(source.arguments.size()) + " names, and main " +
                std::to_string(main.body.arguments.size()) + " arguments; expected a name for each, in order");
  }
  std::set<std::string> seen;
  for (const std::string& name : source.arguments) {
    if (as_name(name) != name || name.empty() || (name[0] >= '0' && name[0] <= '9')) {
      return fail("--args: " + quoted(name) + " is no name; expected letters, digits, _ and . between them");
    }
    if (!seen.insert(name).second) return fail("--args: two arguments are called " + quoted(name));
  }
  return true;
}

std::vector<std::string> result_names(const Function& main) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const FunctionResult& result : main.results) {
    const Attribute* path = result.attributes.find("jax.result_info");
    std::string name = path == nullptr ? "" : as_name(path->text);
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = name.empty() ? "result" : "result." + name;
    names.push_back(unique(std::move(name), taken));
  }
  return names;
}

/// Whether a text has a mesh, or calls that say shardings.
bool is_sharded(const NamedText& source) {
  const std::vector<MeshText>& meshes = source.text.meshes;
  const bool has_axes = std::any_of(meshes.begin(), meshes.end(), [](const MeshText& m) { return !m.axes.empty(); });
  return has_axes || source.text.has_custom_calls;
}

class Importer {
 public:
  explicit Importer(DiagnosticSink& sink) : sink_(sink) {}

  /// Adds globals for the arguments of a text.
  std::vector<GlobalId> declare(const NamedText& source, const Function& main) {
    const std::vector<std::string> names = argument_names(source, main);
    std::vector<GlobalId> ids;
    for (size_t i = 0; i < names.size(); ++i) {
      const BlockArgument& argument = main.body.arguments[i];
      Global global;
      global.name = unique(names[i].empty() ? "arg" + std::to_string(i) : names[i], taken_);
      global.type = argument.type;
      global.location = source.text.location(argument.span);
      ids.emplace_back(module_.globals.size());
      module_.globals.push_back(std::move(global));
    }
    return ids;
  }

  /// Gives arguments the ranges that are said of them; false after an error.
  bool set_ranges(const std::vector<ArgumentRange>& ranges) {
    for (const ArgumentRange& said : ranges) {
      const auto global = std::find_if(module_.globals.begin(), module_.globals.end(),
                                       [&](const Global& g) { return g.name == said.argument; });
      if (global == module_.globals.end() || !is_integer(global->type.dtype)) {
        sink_.error("M-range", {},
                    "--range " + said.argument + ": " +
                        (global == module_.globals.end() ? "no argument has this name"
                                                         : "the argument is " + to_string(global->type)) +
                        "; expected one of the integers " + integer_arguments());
        return false;
      }
      std::string wrong = wrong_range(said.range, global->type);
      if (!said_.insert(said.argument).second) wrong = "a second range; expected one for each argument";
      if (!wrong.empty()) {
        sink_.error("M-range", {}, "--range " + said.argument + ": " + wrong);
        return false;
      }
      global->range = said.range;
    }
    return true;
  }

  std::optional<ProgramId> add(const NamedText& source, const Function& main, const std::vector<GlobalId>& globals,
                               const std::vector<std::string>& results) {
    return lower_main(source.text, main, MainNames{source.name, results, globals, source.mesh}, module_, sink_);
  }

  /// The ranges of integers that the reference, a program without a mesh, uses as indices. It is made once more when
  /// they are known, since guards of indices depend on them.
  bool infer_ranges(const NamedText& source, const Function& main, const std::vector<GlobalId>& globals) {
    if (is_sharded(source)) return true;
    Module draft = module_;
    DiagnosticSink said;  // of which the program itself says the warnings again
    const auto program =
        lower_main(source.text, main, MainNames{source.name, result_names(main), globals, {}}, draft, said);
    if (!program) {
      for (const Diagnostic& diagnostic : said.diagnostics()) sink_.add(diagnostic);
      return false;
    }
    give_index_ranges(draft, *program);
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      if (said_.count(module_.globals[g].name) == 0) module_.globals[g].range = draft.globals[g].range;
    }
    return true;
  }

  /// Comparisons and choices are decided by ranges, of which nothing may be left then.
  std::vector<GlobalId> ranged() const {
    std::vector<GlobalId> result;
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      if (module_.globals[g].range) result.emplace_back(g);
    }
    return result;
  }

  Module take() { return std::move(module_); }
  Module& module() { return module_; }

 private:
  std::string integer_arguments() const {
    std::string names;
    for (const Global& global : module_.globals) {
      if (is_integer(global.type.dtype)) names += (names.empty() ? "" : ", ") + global.name;
    }
    return names.empty() ? "of the text, which has none" : names;
  }

  DiagnosticSink& sink_;
  Module module_;
  std::set<std::string> taken_;
  std::set<std::string> said_;  ///< arguments with a range that was given
};

/// Whether both were lowered for the same arrays, of which JAX has dropped none; then the place of an argument says
/// what it is, and names are those of parameters, which two functions need not share.
bool same_arrays(const NamedText& left_source, const Function& left, const NamedText& right_source,
                 const Function& right) {
  const size_t arrays = left_source.arrays;
  return arrays > 0 && right_source.arrays == arrays && left.body.arguments.size() == arrays &&
         right.body.arguments.size() == arrays;
}

/// Which argument of `left` each argument of `right` is; nothing after an error.
std::optional<std::vector<size_t>> paired(const NamedText& left_source, const Function& left,
                                          const NamedText& right_source, const Function& right, DiagnosticSink& sink) {
  const ModuleText &left_text = left_source.text, &right_text = right_source.text;
  const bool given = !left_source.arguments.empty() || !right_source.arguments.empty();
  const auto names_of = given ? argument_names : written_names;
  std::vector<std::string> left_names = names_of(left_source, left), right_names = names_of(right_source, right);
  if (same_arrays(left_source, left, right_source, right)) {
    left_names.assign(left_names.size(), "");
    right_names = left_names;
  }
  std::vector<size_t> result;
  for (size_t i = 0; i < right.body.arguments.size(); ++i) {
    size_t at = i;
    bool by_name = false;
    const bool named = !left_names[std::min(i, left_names.size() - 1)].empty() && !right_names[i].empty();
    if (left_names.size() != right_names.size() || (named && left_names[i] != right_names[i])) {
      const auto found = std::find(left_names.begin(), left_names.end(), right_names[i]);
      at = static_cast<size_t>(found - left_names.begin());
      by_name = true;
      if (right_names[i].empty() || found == left_names.end()) {
        sink.error("M-arguments", right_text.location(right.span),
                   "main has " + std::to_string(right_names.size()) + " arguments and that of the other text " +
                       std::to_string(left_names.size()) + "; argument " + std::to_string(i) + ", " +
                       (right_names[i].empty() ? "without a name" : quoted(as_name(right_names[i]))) +
                       ", is none of these: lower both with keep_unused=True and print them with debug_info=True, "
                       "or name the arguments of each text with --args");
        return std::nullopt;
      }
    }
    const bool twice = by_name && std::count(left_names.begin(), left_names.end(), right_names[i]) > 1;
    if (twice || std::find(result.begin(), result.end(), at) != result.end()) {
      sink.error("M-arguments", right_text.location(right.body.arguments[i].span),
                 "argument " + std::to_string(i) + ", " + quoted(as_name(right_names[i])) +
                     ", pairs with one of the other text that another argument has; expected names that differ");
      return std::nullopt;
    }
    const TensorType &a = left.body.arguments[at].type, &b = right.body.arguments[i].type;
    if (a != b) {
      sink.error("M-arguments", right_text.location(right.body.arguments[i].span),
                 "argument " + std::to_string(i) + " is " + to_string(b) + " and that of the other text " +
                     to_string(a) + "; expected the same arguments in the same order")
          .note(left_text.location(left.body.arguments[at].span), "there");
      return std::nullopt;
    }
    result.push_back(at);
  }
  return result;
}

/// Whether nothing tells the arguments of a main apart but their order.
bool no_names(const NamedText& source, const Function& main) {
  const std::vector<std::string> names = argument_names(source, main);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
}

}  // namespace

std::optional<Module> import_program(const NamedText& text, const std::vector<ArgumentRange>& ranges,
                                     DiagnosticSink& sink) {
  const Function* main = main_of(text.text, sink);
  if (main == nullptr || !accept_names(text, *main, sink)) return std::nullopt;
  Importer importer(sink);
  const std::vector<GlobalId> globals = importer.declare(text, *main);
  if (!importer.set_ranges(ranges) || !importer.add(text, *main, globals, result_names(*main))) return std::nullopt;
  return importer.take();
}

std::optional<Module> import_pair(const NamedText& left, const NamedText& right,
                                  const std::vector<ArgumentRange>& ranges, DiagnosticSink& sink) {
  const Function* left_main = main_of(left.text, sink);
  const Function* right_main = left_main == nullptr ? nullptr : main_of(right.text, sink);
  if (right_main == nullptr || !accept_names(left, *left_main, sink) || !accept_names(right, *right_main, sink)) {
    return std::nullopt;
  }
  if (left_main->results.size() != right_main->results.size()) {
    sink.error("M-results", right.text.location(right_main->span),
               "main has " + std::to_string(right_main->results.size()) + " results and that of the other text " +
                   std::to_string(left_main->results.size()) + "; expected the same results in the same order")
        .note(left.text.location(left_main->span), "there");
    return std::nullopt;
  }
  const bool more_on_the_right = right_main->body.arguments.size() > left_main->body.arguments.size();
  const NamedText &most = more_on_the_right ? right : left, &least = more_on_the_right ? left : right;
  const Function &most_main = more_on_the_right ? *right_main : *left_main,
                 &least_main = more_on_the_right ? *left_main : *right_main;
  const auto pairs = paired(most, most_main, least, least_main, sink);
  if (!pairs) return std::nullopt;
  Importer importer(sink);
  const std::vector<GlobalId> globals = importer.declare(most, most_main);
  if (!importer.set_ranges(ranges)) return std::nullopt;
  std::vector<GlobalId> fewer;
  for (const size_t at : *pairs) fewer.push_back(globals[at]);
  const std::vector<std::string> results = result_names(*left_main);
  const std::vector<GlobalId>&of_left = more_on_the_right ? fewer : globals,
        &of_right = more_on_the_right ? globals : fewer;
  const bool left_is_reference = is_sharded(right) && !is_sharded(left);
  if (left_is_reference ? !importer.infer_ranges(left, *left_main, of_left)
                        : !importer.infer_ranges(right, *right_main, of_right)) {
    return std::nullopt;
  }
  const auto first = importer.add(left, *left_main, of_left, results);
  if (!first) return std::nullopt;
  const auto second = importer.add(right, *right_main, of_right, results);
  if (!second) return std::nullopt;
  Check claim{*first, *second, left.text.location(left_main->span)};
  const bool unnamed = no_names(left, *left_main) || no_names(right, *right_main);
  if (unnamed && !same_arrays(left, *left_main, right, *right_main)) claim.assumes.emplace_back(kSamePlaces);
  claim.ranged = importer.ranged();
  importer.module().checks.push_back(std::move(claim));
  return importer.take();
}

}  // namespace isoshard::stablehlo

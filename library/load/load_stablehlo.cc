// StableHLO texts: what is said of them on the command line, which texts themselves cannot say, and their import. A
// text that names its mesh is for that mesh only, since its shapes are. Cost: that of the import.
#include "library/load/load_stablehlo.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/import/stablehlo/import.h"
#include "core/import/stablehlo/text/parse.h"
#include "core/support/quoted.h"

namespace isoshard::library {
namespace {

/// `sharded` of `cases/sharded.mlir`, as far as a name of the language allows.
std::string program_name(const std::string& path) {
  const size_t begin = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  std::string name;
  for (const char c : path.substr(begin, path.find('.', begin) - begin)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "main" + name : name;
}

/// A text that names its mesh is for that one; one of an older version of JAX needs it.
bool refuse_mesh(const stablehlo::ModuleText& text, const std::vector<MeshAxis>& mesh, DiagnosticSink& sink) {
  if (mesh.empty() || text.meshes.empty()) return false;
  sink.error("M-mesh", text.location(text.meshes[0].span),
             "--mesh: the text has a mesh, for which its shapes are; lower the program for another mesh instead");
  return true;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// `0..32000,-100`
std::optional<ValueRange> range_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  const size_t dots = parts[0].find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::optional<int64_t> low = whole_number(std::string_view(parts[0]).substr(0, dots)),
                               high = whole_number(std::string_view(parts[0]).substr(dots + 2));
  if (!low || !high || *low >= *high) return std::nullopt;
  ValueRange range{*low, *high};
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::optional<int64_t> other = whole_number(parts[i]);
    if (!other) return std::nullopt;
    range.add({*other});
  }
  return range;
}

std::optional<std::vector<stablehlo::ArgumentRange>> ranges_of(const LoadRequest& request, DiagnosticSink& sink) {
  std::vector<stablehlo::ArgumentRange> ranges;
  for (const std::string& text : request.ranges) {
    const size_t equals = text.find('=');
    const std::optional<ValueRange> range =
        equals == std::string::npos || equals == 0 ? std::nullopt : range_of(text.substr(equals + 1));
    if (!range) {
      sink.error("M-range", {},
                 "--range " + quoted(text) +
                     ": expected NAME=LOW..HIGH, from LOW to before HIGH, and further numbers behind commas, as in "
                     "--range labels=0..32000,-100");
      return std::nullopt;
    }
    ranges.push_back({text.substr(0, equals), *range});
  }
  return ranges;
}

/// The names of the arguments of text `i` of `texts`: said once for all of them, or once each.
std::vector<std::string> arguments_of(const LoadRequest& request, size_t i) {
  if (request.arguments.empty()) return {};
  return split(request.arguments[std::min(i, request.arguments.size() - 1)], ',');
}

bool accept_arguments(const LoadRequest& request, size_t texts, DiagnosticSink& sink) {
  if (request.arguments.size() <= texts) return true;
  sink.error("M-arguments", {},
             "--args is given " + std::to_string(request.arguments.size()) + " times for " + std::to_string(texts) +
                 (texts == 1 ? " text" : " texts") + "; expected it once for all texts, or once for each, in order");
  return false;
}

}  // namespace

std::optional<Module> load_stablehlo(const Source& text, const std::vector<MeshAxis>& mesh, const LoadRequest& request,
                                     DiagnosticSink& sink) {
  const std::optional<stablehlo::ModuleText> program = stablehlo::parse(text, sink);
  if (!program || refuse_mesh(*program, mesh, sink) || !accept_arguments(request, 1, sink)) return std::nullopt;
  const auto ranges = ranges_of(request, sink);
  if (!ranges) return std::nullopt;
  return stablehlo::import_program({*program, program_name(text->name), mesh, arguments_of(request, 0)}, *ranges, sink);
}

std::optional<Module> load_stablehlo_pair(const Source& left, const Source& right, const std::vector<MeshAxis>& mesh,
                                          const LoadRequest& request, DiagnosticSink& sink) {
  const std::optional<stablehlo::ModuleText> first = stablehlo::parse(left, sink);
  const std::optional<stablehlo::ModuleText> second = first ? stablehlo::parse(right, sink) : std::nullopt;
  if (!second || refuse_mesh(*first, mesh, sink) || refuse_mesh(*second, mesh, sink)) return std::nullopt;
  const auto ranges = ranges_of(request, sink);
  if (!ranges || !accept_arguments(request, 2, sink)) return std::nullopt;
  const std::string left_name = program_name(left->name);
  std::string right_name = program_name(right->name);
  if (right_name == left_name) right_name += "_2";
  return stablehlo::import_pair({*first, left_name, mesh, arguments_of(request, 0), request.arrays},
                                {*second, right_name, mesh, arguments_of(request, 1), request.arrays}, *ranges, sink);
}

bool refuse_settings(const LoadRequest& request, DiagnosticSink& sink) {
  if (request.set.empty()) return false;
  sink.error("", {}, "--set: a StableHLO text has no `let` and no setting; lower the program for other sizes instead");
  return true;
}

bool refuse_text_options(const std::string& input, const LoadRequest& request, DiagnosticSink& sink) {
  if (request.ranges.empty() && request.arguments.empty()) return false;
  const std::string option = request.ranges.empty() ? "--args" : "--range";
  sink.error(
      request.ranges.empty() ? "M-arguments" : "M-range", {},
      option + ": " + input + " is no StableHLO text, and names its globals itself; expected " +
          (request.ranges.empty() ? "no --args" : "the range there, as in `global @ids : i32[8] input in 0..32`"));
  return true;
}

}  // namespace isoshard::library

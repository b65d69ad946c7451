#include "apps/isoshard/arrays.h"

#include <algorithm>

#include "core/support/quoted.h"
#include "sim/draw.h"

namespace isoshard::app {
namespace {

std::string list_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

std::vector<std::string> names_of(const std::vector<Global>& globals) {
  std::vector<std::string> names;
  for (const Global& global : globals) names.push_back(global.name);
  return names;
}

std::vector<std::string> names_of(const std::vector<NamedTensor>& archive) {
  std::vector<std::string> names;
  for (const NamedTensor& array : archive) names.push_back(array.name);
  return names;
}

void check_unknown(const std::vector<Global>& globals, const std::vector<NamedTensor>& archive, const std::string& path,
                   DiagnosticSink& sink) {
  const std::vector<std::string> known = names_of(globals);
  for (const NamedTensor& array : archive) {
    if (std::find(known.begin(), known.end(), array.name) != known.end()) continue;
    const std::string close = closest_name(array.name, known);
    sink.error(
        "I-unknown", {},
        path + ": the array " + quoted(array.name) + " is no global of the program; " +
            (close.empty() ? "expected names among " + list_names(known) : "did you mean " + quoted(close) + "?"));
  }
}

/// The archive's array for `global`, or nothing after an error or when a param is to be drawn.
const Tensor* find_array(const Global& global, const std::vector<NamedTensor>& archive, const std::string& path,
                         DiagnosticSink& sink) {
  for (const NamedTensor& array : archive) {
    if (array.name != global.name) continue;
    const TensorType type{array.tensor.dtype(), array.tensor.shape()};
    if (type == global.type) return &array.tensor;
    sink.error("I-type", {},
               path + ": the array " + quoted(global.name) + " is " + to_string(type) + "; expected " +
                   to_string(global.type) + ", the type of global @" + global.name);
    return nullptr;
  }
  if (global.role != Role::param) {
    sink.error("I-missing", {},
               path + ": has no array " + quoted(global.name) + " for the " + std::string(name(global.role)) +
                   " global @" + global.name + " : " + to_string(global.type) + "; it has " +
                   list_names(names_of(archive)) + " (leave --inputs out to draw everything)");
  }
  return nullptr;
}

}  // namespace

std::optional<std::vector<Tensor>> gather_arrays(const std::vector<Global>& globals,
                                                 const std::optional<std::vector<NamedTensor>>& archive,
                                                 const std::string& path, uint64_t seed, DiagnosticSink& sink) {
  if (archive) check_unknown(globals, *archive, path, sink);
  std::vector<Tensor> result;
  for (const Global& global : globals) {
    const Tensor* given = archive ? find_array(global, *archive, path, sink) : nullptr;
    result.push_back(given != nullptr ? *given : sim::draw_global(global, seed));
  }
  if (sink.has_errors()) return std::nullopt;
  return result;
}

}  // namespace isoshard::app

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

/// The array as one of the type of `global`; nothing if it is none. A key may also be written as JAX has it, two u32.
std::optional<Tensor> of_type(const Global& global, const Tensor& array) {
  if (TensorType{array.dtype(), array.shape()} == global.type) return array;
  Shape words = global.type.shape;
  words.push_back(2);
  const bool is_key = global.type.dtype == DType::key && array.dtype() == DType::u32 && array.shape() == words;
  return is_key ? std::optional(Tensor::from_bytes(DType::key, global.type.shape, array.bytes())) : std::nullopt;
}

/// The archive's array for `global`, or nothing after an error or when a param is to be drawn.
std::optional<Tensor> find_array(const Global& global, const std::vector<NamedTensor>& archive, const std::string& path,
                                 DiagnosticSink& sink) {
  for (const NamedTensor& array : archive) {
    if (array.name != global.name) continue;
    if (std::optional<Tensor> fitting = of_type(global, array.tensor)) return fitting;
    sink.error("I-type", {},
               path + ": the array " + quoted(global.name) + " is " +
                   to_string(array.tensor.dtype(), array.tensor.shape()) + "; expected " + to_string(global.type) +
                   ", the type of global @" + global.name);
    return std::nullopt;
  }
  if (global.role != Role::param) {
    sink.error("I-missing", {},
               path + ": has no array " + quoted(global.name) + " for the " + std::string(name(global.role)) +
                   " global @" + global.name + " : " + to_string(global.type) + "; it has " +
                   list_names(names_of(archive)) + " (leave --inputs out to draw everything)");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Tensor>> gather_arrays(const std::vector<Global>& globals,
                                                 const std::optional<std::vector<NamedTensor>>& archive,
                                                 const std::string& path, uint64_t seed, DiagnosticSink& sink) {
  if (archive) check_unknown(globals, *archive, path, sink);
  std::vector<Tensor> result;
  for (const Global& global : globals) {
    const std::optional<Tensor> given = archive ? find_array(global, *archive, path, sink) : std::nullopt;
    result.push_back(given ? *given : sim::draw_global(global, seed));
  }
  if (sink.has_errors()) return std::nullopt;
  return result;
}

}  // namespace isoshard::app

// Finds the array of each global for a run: from the archive, from an init program, or drawn from the seed, in this
// order. Arrays are found by the name of the global, or by the path of a parameter with slashes, as JAX writes
// checkpoints; keys may be two u32. An array that no global has is an error with the closest name, since it is probably
// misspelled; one that is missing is an error only for inputs that the program reads, since parameters may be drawn.
// Types and declared ranges are checked. All errors of an archive are told at once. Cost: globals times arrays, and one
// pass over integers with a range.
#include "library/load/arrays.h"

#include <algorithm>

#include "core/support/quoted.h"
#include "core/value/integers.h"
#include "sim/run/draw.h"

namespace isoshard::library {
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
    const auto meant = [&](const std::string& name) { return names_global(array.name, name); };
    if (std::any_of(known.begin(), known.end(), meant)) continue;
    const std::string close = closest_name(array.name, known);
    sink.error("I-unknown", {},
               path + ": the array " + isoshard::quoted(array.name) + " is no global of the program; " +
                   (close.empty() ? "expected names among " + list_names(known)
                                  : "did you mean " + isoshard::quoted(close) + "?"));
  }
}

/// The array as one of the type of `global`; nothing if it is none. A key may also be written as JAX has it, two u32;
/// archives have one name for both floats of 8 bits, and one for u64 and keys.
std::optional<Tensor> of_type(const Global& global, const Tensor& array) {
  if (TensorType{array.dtype(), array.shape()} == global.type) return array;
  const bool same_in_archives = info(array.dtype()).numpy == info(global.type.dtype).numpy;
  if (same_in_archives && array.shape() == global.type.shape) {
    return Tensor::from_bytes(global.type.dtype, array.shape(), array.bytes());
  }
  Shape words = global.type.shape;
  words.push_back(2);
  const bool is_key = global.type.dtype == DType::key && array.dtype() == DType::u32 && array.shape() == words;
  return is_key ? std::optional(Tensor::from_bytes(DType::key, global.type.shape, array.bytes())) : std::nullopt;
}

/// The archive's array for `global`, or nothing after an error or when a param is to be drawn.
std::optional<Tensor> find_array(const Global& global, bool is_read, const std::vector<NamedTensor>& archive,
                                 const std::string& path, DiagnosticSink& sink) {
  for (const NamedTensor& array : archive) {
    if (!names_global(array.name, global.name)) continue;
    if (std::optional<Tensor> fitting = of_type(global, array.tensor)) {
      const std::string outside = outside_range(global, *fitting);
      if (outside.empty()) return fitting;
      sink.error("I-range", global.location,
                 path + ": the array " + isoshard::quoted(global.name) + " has " + outside + "; expected integers in " +
                     global.range->to_string() + ", the range of global @" + global.name);
      return std::nullopt;
    }
    sink.error("I-type", {},
               path + ": the array " + isoshard::quoted(global.name) + " is " +
                   to_string(array.tensor.dtype(), array.tensor.shape()) + "; expected " + to_string(global.type) +
                   ", the type of global @" + global.name);
    return std::nullopt;
  }
  if (global.role != Role::param && is_read) {
    sink.error("I-missing", {},
               path + ": has no array " + isoshard::quoted(global.name) + " for the " + std::string(name(global.role)) +
                   " global @" + global.name + " : " + to_string(global.type) + "; it has " +
                   list_names(names_of(archive)) + " (leave --inputs out to draw everything)");
  }
  return std::nullopt;
}

/// `[1, 3]` of the row-major `position` in an array of this shape.
std::string index_in_words(int64_t position, const Shape& shape) {
  std::string words;
  for (size_t d = shape.size(); d-- > 0; position /= shape[d]) {
    words = std::to_string(position % shape[d]) + (words.empty() ? "" : ", ") + words;
  }
  return "[" + words + "]";
}

}  // namespace

bool names_global(std::string array, const std::string& global) {
  if (array == global) return true;
  std::replace(array.begin(), array.end(), '/', '.');
  return array == global;
}

std::vector<bool> globals_program_reads(const Module& module, ProgramId id) {
  std::vector<bool> result(module.globals.size());
  const Program& program = module.program(id);
  for (size_t i = 0; i < program.op_count(); ++i) {
    if (const View* view = std::get_if<View>(&program.op(OpId(i)).data)) result[view->global.index()] = true;
  }
  return result;
}

std::vector<bool> globals_plan_reads(const Plan& plan) {
  std::vector<bool> result(plan.globals.size());
  for (const Instruction& instruction : plan.instructions) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&instruction.data())) result[load->global.index()] = true;
  }
  return result;
}

std::string outside_range(const Global& global, const Tensor& array) {
  if (!global.range) return "";
  for (int64_t i = 0; i < element_count(array.shape()); ++i) {
    const int64_t number = integer_at(array, static_cast<size_t>(i));
    if (global.range->contains(number)) continue;
    return integer_text(array.dtype(), number) + " at " + index_in_words(i, array.shape());
  }
  return "";
}

std::optional<std::vector<Tensor>> gather_arrays(const std::vector<Global>& globals, const std::vector<bool>& reads,
                                                 const std::optional<std::vector<NamedTensor>>& archive,
                                                 const std::string& path, const GivenArrays& first, uint64_t seed,
                                                 DiagnosticSink& sink) {
  if (archive) check_unknown(globals, *archive, path, sink);
  std::vector<Tensor> result;
  for (size_t i = 0; i < globals.size(); ++i) {
    const auto own = first.find(i);
    const bool needed = reads[i] && own == first.end();
    std::optional<Tensor> given = archive ? find_array(globals[i], needed, *archive, path, sink) : std::nullopt;
    if (!given && own != first.end()) given = own->second;
    result.push_back(given ? *given : sim::draw_global(globals[i], seed));
  }
  if (sink.has_errors()) return std::nullopt;
  return result;
}

}  // namespace isoshard::library

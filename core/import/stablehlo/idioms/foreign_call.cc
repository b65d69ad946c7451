// Custom calls run code that is not in the text: functions of Python, and LAPACK or a GPU's library for cholesky, eigh
// or lu. What people wrote stands in the location, as `jit(step)/cholesky` or `debug_print:`; the target of the call is
// a word of XLA's, which they never saw. A callback without results can be left out, since no value depends on it; the
// values that it is given are computed for nothing then. Cost: none.
#include "core/import/stablehlo/idioms/foreign_call.h"

#include <string>

#include "core/import/stablehlo/analysis/places.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// `cholesky` of `jit(step)/cholesky`, `debug_print` of `debug_print:`; empty where the text has no names.
std::string_view primitive_of(std::string_view path) {
  while (path.ends_with(':')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

/// What people write for a primitive; empty for one that has the name of its function.
std::string_view function_of(std::string_view primitive) {
  if (primitive == "debug_print") return "jax.debug.print";
  if (primitive == "debug_callback") return "jax.debug.callback or jax.debug.print";
  if (primitive == "io_callback") return "jax.experimental.io_callback";
  if (primitive == "pure_callback") return "jax.pure_callback";
  return {};
}

bool is_callback(std::string_view target) {
  return target.find("python") != std::string_view::npos && target.find("callback") != std::string_view::npos;
}

}  // namespace

std::vector<Wire> foreign_call(Lowering& lowering, const Operation& op, std::string_view target) {
  const std::string_view primitive = primitive_of(name_of(lowering.text(), op.location));
  const std::string_view function = function_of(primitive);
  const std::string call = "custom_call @" + std::string(target);
  if (is_callback(target) && op.result_count == 0) {
    const std::string what(function.empty() ? "a callback" : function);
    lowering.left_out(op, what + " is left out: it gives nothing back, so no result depends on it");
    return {};
  }
  if (is_callback(target)) {
    const std::string what(function.empty() ? "a callback" : function);
    lowering.unsupported(op, what + " (" + call + "): nothing says what the Python function computes; " +
                                 "pass its result as an argument of both programs");
  }
  if (primitive.empty()) lowering.unsupported(op, "the " + call);
  lowering.unsupported(op, quoted(std::string(primitive)) + " of JAX (" + call +
                               "), code outside of the text; pass its result as an argument of both programs, or write "
                               "it with ops that docs/jax.md lists");
}

}  // namespace isoshard::stablehlo

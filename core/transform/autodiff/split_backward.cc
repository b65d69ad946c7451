#include "core/transform/autodiff/split_backward.h"

#include <string>

#include "core/transform/split_function.h"

namespace isoshard::autodiff {

std::optional<SplitBackward> split_backward(Module& module, const Vjp& vjp, const std::vector<size_t>& inputs,
                                            DiagnosticSink& sink, const Location& location) {
  if (inputs.empty() || inputs.size() >= vjp.wrt.size()) {
    sink.error("A-wrt", location,
               "@" + module.program(vjp.backward).name() + " in parts: " + std::to_string(inputs.size()) + " of " +
                   std::to_string(vjp.wrt.size()) +
                   " gradients are those of inputs; expected at least one input and one weight, otherwise the backward "
                   "part as it is");
    return std::nullopt;
  }
  const std::optional<SplitFunction> parts = split_function(module, vjp.backward, inputs, sink);
  if (!parts) return std::nullopt;
  return SplitBackward{parts->first,         parts->second,         parts->first_arguments, parts->second_arguments,
                       parts->first_results, parts->second_results, parts->handed};
}

}  // namespace isoshard::autodiff

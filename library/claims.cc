// How claims are asked, for the command line and for users of the library. A target below what is asked leaves room for
// the sum of several rungs.
#include "library/claims.h"

#include <map>
#include <string>
#include <utility>

#include "core/transform/autodiff/gradient_check.h"

namespace isoshard::library {

bool claim_gradients(Module& module, DiagnosticSink& sink) {
  std::map<std::string, ProgramId> made;
  for (Check& claim : module.checks) {
    std::optional<Check> gradients = autodiff::gradient_check(module, claim, made, sink);
    if (!gradients) return false;
    claim = std::move(*gradients);
  }
  return true;
}

void bound_error(int exponent, verify::CheckOptions& options) {
  constexpr int kRungs = 3;  // log2 of how many rungs' errors may add up
  options.lanes.worst = -exponent;
  options.lanes.target = options.lanes.worst - kRungs;
}

}  // namespace isoshard::library

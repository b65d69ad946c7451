#include "verify/warnings/warnings.h"

#include <algorithm>
#include <iterator>

#include "verify/warnings/claims.h"
#include "verify/warnings/long_sums.h"
#include "verify/warnings/unused.h"
#include "verify/warnings/zero_gradients.h"

namespace isoshard::verify {

std::vector<Diagnostic> module_warnings(const Module& module) {
  std::vector<Diagnostic> all = module.remarks;
  for (const auto& find : {unused_values, unused_globals, checks_of_the_same, unchecked_programs, empty_globals,
                           long_sums, zero_gradients}) {
    std::vector<Diagnostic> found = find(module);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.location.line(), a.location.column()) < std::pair(b.location.line(), b.location.column());
  });
  return all;
}

}  // namespace isoshard::verify

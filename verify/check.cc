#include "verify/check.h"

#include <chrono>

#include "verify/check_claim.h"
#include "verify/user_backward.h"

namespace isoshard::verify {

CheckReport check(const Module& module, const Check& check, const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  CheckReport report = check_claim(module, check, options);
  if (options.backwards && report.bad_input.empty()) report.backwards = compare_backwards(module, check, options);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace isoshard::verify

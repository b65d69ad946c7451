// Sums of so many f32 terms that rounding may show. Added in any order, as libraries may, n terms have an error of at
// most (n-1)u / (1 - (n-1)u) times the sum of their sizes, u = 2^-24 (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 4.2). Terms are counted per device: what an all_reduce adds to that is a few members.
// The verdict does not say it, as it speaks of formulas. Cost: one visit per op.
#include "verify/warnings/long_sums.h"

#include <cstdio>
#include <map>
#include <string>
#include <tuple>

namespace isoshard::verify {
namespace {

int64_t size_along(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= shape[static_cast<size_t>(dim)];
  return product;
}

/// How many terms each sum of `op` has; 1 where it sums nothing in f32.
int64_t terms_added(const Program& program, const Op& op) {
  if (op.operands.empty()) return 1;
  const TensorType& operand = program.value(op.operands[0]).type.tensor;
  if (operand.dtype != DType::f32) return 1;
  if (const DotGeneral* dot = std::get_if<DotGeneral>(&op.data)) return size_along(operand.shape, dot->contract.lhs);
  const Reduce* reduce = std::get_if<Reduce>(&op.data);
  return reduce != nullptr && reduce->op == Reducer::add ? size_along(operand.shape, reduce->dims) : 1;
}

double error_of_sum(int64_t terms) {
  const double rounding = static_cast<double>(terms - 1) * 0x1p-24;
  return rounding < 1 ? rounding / (1 - rounding) : 1;
}

}  // namespace

std::vector<Diagnostic> long_sums(const Module& module) {
  std::map<std::tuple<std::string, uint32_t, uint32_t>, Diagnostic> found;
  for (const Program& program : module.programs) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      const int64_t terms = terms_added(program, op);
      if (terms < 2 || error_of_sum(terms) <= kMostOfASum || op.location.source_line().empty()) continue;
      char bound[32];
      std::snprintf(bound, sizeof bound, "%.2g", error_of_sum(terms));
      found.try_emplace({std::string(op.location.file()), op.location.line(), op.location.column()},
                        Diagnostic{Severity::warning,
                                   "W-sum",
                                   op.location,
                                   "a sum of " + std::to_string(terms) +
                                       " terms in f32: in some order of adding its error is up to " + bound +
                                       " of the sum of their sizes, more than 1e-3; `convert` to f64 before it, or add "
                                       "the sums of parts",
                                   {}});
    }
  }
  std::vector<Diagnostic> result;
  for (auto& [place, warning] : found) result.push_back(std::move(warning));
  return result;
}

}  // namespace isoshard::verify

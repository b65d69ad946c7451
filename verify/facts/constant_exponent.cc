// Looks for the constant that an exponent is, through broadcasts: rings make a product of x^n for a constant integer n
// of at most kMaxPower, and everything else by exponentials of logarithms. Cost: one search per broadcast on the way;
// powers are few.
#include "verify/facts/constant_exponent.h"

#include <cmath>

#include "sim/domains/residues/ring_numbers.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {

std::optional<double> constant_exponent(const Plan& plan, PlanValueId id) {
  for (const Instruction& i : plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    if (local == nullptr || i.results.empty() || i.results[0] != id) continue;
    if (std::holds_alternative<BroadcastInDim>(local->op)) return constant_exponent(plan, i.operands[0]);
    const Constant* constant = std::get_if<Constant>(&local->op);
    if (constant == nullptr || !constant->value.is_integer()) return std::nullopt;
    const double value = constant->value.to_double();
    if (std::abs(value) > static_cast<double>(sim::kMaxPower)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

bool is_power_of_data(const Plan& plan, const Instruction& i) {
  return op_of<Power>(i) != nullptr && !constant_exponent(plan, i.operands[1]);
}

}  // namespace isoshard::verify

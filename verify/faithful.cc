#include "verify/faithful.h"

#include <utility>

#include "core/support/rational_gmp.h"
#include "sim/constants.h"

namespace isoshard::verify {
namespace {

/// Whether the dtype makes 0, 1 or -1 of another number.
bool is_lost(const Rational& constant, DType dtype) {
  if (!constant.finite() || constant.is_integer()) return false;
  const double rounded = sim::rounded_to(dtype, constant);
  return rounded == 0 || rounded == 1 || rounded == -1;
}

/// Why `constant` has no faithful image in the ring, or nothing.
std::string unfaithful(const Rational& constant, DType dtype, const RingOptions& options) {
  if (!is_float(dtype)) return "";
  if (is_lost(constant, dtype)) {
    return "the constant " + constant.to_string() + " is " +
           Rational::from_double(sim::rounded_to(dtype, constant)).to_string() + " in " + std::string(name(dtype)) +
           ": write that, or give it a wider dtype";
  }
  const sim::ConstantReading reading = options.constants.of(constant, dtype);
  if (options.exponential && (reading.factor.finite() || (!constant.is_nan() && constant.negative()))) return "";
  if (!reading.factor.finite()) return "rung " + options.rung() + " has no " + constant.to_string();
  const mpz_class p = 2147483647;
  const mpq_class& value = to_mpq(reading.factor);
  if (value != 0 && (value.get_num() % p == 0 || value.get_den() % p == 0)) {
    return "the constant " + constant.to_string() + " is 0 or infinite modulo 2^31-1";
  }
  return "";
}

}  // namespace

std::optional<Unfaithful> unfaithful_number(const Pair& pair, const RingOptions& options) {
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    for (const Instruction& i : plan->instructions) {
      const LocalOp* local = std::get_if<LocalOp>(&i.data);
      const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
      std::string why = constant == nullptr ? "" : unfaithful(constant->value, constant->dtype, options);
      if (!why.empty()) return Unfaithful{std::move(why), i.location};
    }
  }
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const std::optional<Rational> value = exact_value(global);
    std::string why = pair.used[g] && value ? unfaithful(*value, global.type.dtype, options) : "";
    if (!why.empty()) return Unfaithful{std::move(why), global.location};
  }
  return std::nullopt;
}

}  // namespace isoshard::verify

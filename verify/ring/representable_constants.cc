// Which constants a ring can hold. A fraction that its dtype rounds to 0, 1 or -1 means something else in floats than
// as written, and infinities and NaN have no residue but in rings with exponentials; such a constant is named, with its
// place, as the reason why the rung cannot speak. `units_of` gives all numerators and denominators, so that primes can
// be drawn which divide none of them. Cost: one pass over both plans.
#include "verify/ring/representable_constants.h"

#include <set>
#include <utility>

#include "core/support/rational_gmp.h"
#include "sim/integers/constants.h"
#include "verify/facts/is_one_of.h"
#include "verify/pair_facts/infinities.h"

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
  if (options.exponential() && (reading.factor.finite() || (!constant.is_nan() && constant.negative()))) return "";
  if (!reading.factor.finite()) return rungs_in_words({options.rung}) + " has no " + constant.to_string();
  return "";
}

/// Calls use(number, dtype, location) for each constant, each extreme of nothing and each global of exact value.
template <class Use>
void for_each_number(const Pair& pair, const Use& use) {
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    for (const Instruction& i : plan->instructions) {
      const Constant* constant = op_of<Constant>(i);
      if (constant != nullptr) use(constant->value, constant->dtype, i.location());
      const std::optional<Rational> infinity = extreme_of_nothing(*plan, i);
      if (infinity) use(*infinity, plan->value(i.results[0]).type().dtype, i.location());
    }
  }
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const std::optional<Rational> value = exact_value(global);
    if (pair.used[g] && value) use(*value, global.type.dtype, global.location);
  }
}

}  // namespace

Reason unfaithful_number(const Pair& pair, const RingOptions& options) {
  Reason first;
  for_each_number(pair, [&](const Rational& number, DType dtype, const Location& location) {
    if (!first.empty()) return;
    std::string why = unfaithful(number, dtype, options);
    if (!why.empty()) first = Reason{std::move(why), location};
  });
  return first;
}

std::vector<mpz_class> units_of(const Pair& pair, const RingOptions& options) {
  std::set<mpz_class> units;
  for_each_number(pair, [&](const Rational& number, DType dtype, const Location&) {
    const Rational factor = is_float(dtype) ? options.constants.of(number, dtype).factor : Rational(0);
    if (!factor.finite()) return;
    units.insert(to_mpq(factor).get_num());
    units.insert(to_mpq(factor).get_den());
  });
  return {units.begin(), units.end()};
}

}  // namespace isoshard::verify

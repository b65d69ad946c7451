// |x| of what is not negative is x, and the sign of what is positive is 1 (ADR 110): rings have no signs, and
// jax.nn.logsumexp takes log |s| of a sum of exponentials. What counts as positive is what partial functions are
// allowed to rest on (facts/signs/positive.h), where exponentials of what may be infinite are not. A sign is a number
// where what it asks of is none, or infinite, and no rung would see what it asks of any more: it is known only of what
// is a number for all inputs (pair_facts/settled.h), in one step. Only rings see it: floats calculate what is written.
// Costs a copy of both plans and two walks over each, where one has such an op at all, and those of settled.h for
// signs.
#include "verify/ring/known_signs.h"

#include <algorithm>
#include <vector>

#include "verify/facts/is_one_of.h"
#include "verify/facts/signs/positive.h"
#include "verify/pair_facts/infinities.h"
#include "verify/pair_facts/masks.h"
#include "verify/pair_facts/settled.h"

namespace isoshard::verify {
namespace {

bool asks_for_sign(const Plan& plan, const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  return local != nullptr && is_one_of<Abs, Sign>(local->op) && is_float(plan.value(i.operands[0]).type().dtype);
}

bool asks_for_signs(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                     [&](const Instruction& i) { return asks_for_sign(plan, i); });
}

/// Per value whether it is a number for all inputs; none where nobody asks for more than a magnitude, which is nan and
/// infinite where its operand is.
std::vector<bool> sure_numbers(const Plan& plan, int64_t steps) {
  const bool asked = std::any_of(plan.instructions.begin(), plan.instructions.end(),
                                 [](const Instruction& i) { return is_one_of<Sign>(local_op(i)); });
  return asked && steps == 1 ? settled_zeros(plan).finite : std::vector<bool>(plan.values.size(), false);
}

/// As exponentials of what may be infinite have them; positive only where it is a number for all inputs.
std::vector<KnownSign> sure_signs(const Plan& plan, int64_t steps) {
  std::vector<bool> infinite = made_of_infinity(plan, steps).at_all;
  const std::vector<bool> masks = made_of_masks(plan, steps), numbers = sure_numbers(plan, steps);
  for (size_t v = 0; v < infinite.size(); ++v) infinite[v] = infinite[v] || masks[v] || !numbers[v];
  std::vector<KnownSign> signs = signs_of(plan, infinite);
  for (size_t v = 0; v < signs.size(); ++v) {
    if (!numbers[v]) signs[v] = std::min(signs[v], KnownSign::nonnegative);
  }
  return signs;
}

void put_sign(const TensorType& type, KnownSign sign, NewInstruction& i) {
  const bool magnitude = is_one_of<Abs>(std::get<LocalOp>(i.data()).op);
  if (magnitude && sign >= KnownSign::nonnegative) i.own_data() = LocalOp{Reshape{type.shape}};
  if (!magnitude && sign == KnownSign::positive) i.own_data() = LocalOp{Constant{Rational(1), type.dtype, type.shape}};
}

/// Whether something has changed.
bool put_signs(Plan& plan, int64_t steps) {
  if (!asks_for_signs(plan)) return false;
  const std::vector<KnownSign> signs = sure_signs(plan, steps);
  bool changed = false;
  for (size_t n = 0; n < plan.instructions.size(); ++n) {
    const InstructionId id(n);
    if (!asks_for_sign(plan, plan.instruction(id))) continue;
    plan.instructions.change(
        id, [&](NewInstruction& i) { put_sign(plan.value(i.results[0]).type(), signs[i.operands[0].index()], i); });
    changed |= !asks_for_sign(plan, plan.instruction(id));
  }
  return changed;
}

}  // namespace

std::optional<Pair> with_known_signs(const Pair& pair) {
  if (!asks_for_signs(pair.sharded.plan) && !asks_for_signs(pair.reference.plan)) return std::nullopt;
  Pair known = pair;
  const bool sharded = put_signs(known.sharded.plan, pair.steps),
             reference = put_signs(known.reference.plan, pair.steps);
  return sharded || reference ? std::optional(std::move(known)) : std::nullopt;
}

}  // namespace isoshard::verify

// Says why outputs stayed open: formulas differ, and yet f64 shows no difference. The functions in the cones of these
// outputs are collected, and the sentence names the laws that no rung knows of them, order before exponentials; if
// there is none, the difference may be smaller than rounding, or where a step begins outside of its declared range. It
// is a guess about the cause, for people, and changes no verdict. Cost: one cone per open output.
#include "verify/ladder/missing_law.h"

#include "verify/facts/cones.h"
#include "verify/facts/order_facts.h"

namespace isoshard::verify {
namespace {

/// The functions in some cone whose laws a ring does not know.
struct Functions {
  bool exponential = false, tanh = false, logistic = false, order = false, finite = false;

  void collect(const Plan& plan, uint32_t output, int64_t steps) {
    const std::vector<bool> cone = cone_over_steps(plan, output, steps);
    for (size_t i = 0; i < cone.size(); ++i) {
      const LocalOp* local = cone[i] ? std::get_if<LocalOp>(&plan.instructions[i].data()) : nullptr;
      const bool asks = local != nullptr && std::holds_alternative<IsFinite>(local->op);
      order |= cone[i] && !asks && compares_floats(plan, plan.instructions[i]);
      finite |= asks;
      if (local == nullptr) continue;
      exponential |= std::holds_alternative<Exponential>(local->op);
      tanh |= std::holds_alternative<Tanh>(local->op);
      logistic |= std::holds_alternative<Logistic>(local->op);
    }
  }
};

/// States whose ranges steps must begin in: a step that does not shows no difference.
std::string outside_of_ranges(const Pair& pair) {
  std::string words;
  for (size_t i = 0; i < pair.used.size() && pair.steps > 1; ++i) {
    const Global& global = pair.module->globals[i];
    if (!pair.used[i] || global.role == Role::input || !global.range) continue;
    words += (words.empty() ? ", or where a step begins with @" : ", @") + global.name + " outside of " +
             global.range->to_string();
  }
  return words;
}

}  // namespace

std::string missing_law(const Pair& pair, const RingOutcome& outcome) {
  Functions f;
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    if (outcome.outputs[o].equal) continue;
    f.collect(pair.sharded.plan, static_cast<uint32_t>(o), pair.steps);
    f.collect(pair.reference.plan, static_cast<uint32_t>(pair.reference_output[o]), pair.steps);
  }
  if (!outcome.order_undecidable.empty()) return outcome.order_undecidable;
  if (f.finite) {
    return "rings know is_finite of a value as some function of it, not where it holds, so that what guards a value is "
           "no "
           "more and no less than what it is taken of: both programs have to ask it of equal values";
  }
  if (f.order) {
    return "rungs B and Eh compare by some total order, so they know no law between order and arithmetic: relu(2x) = 2 "
           "relu(x), argmax(softmax(x)) = argmax(x), min(1, c/n) by cases";
  }
  if (f.exponential) {
    return "rung E knows exp(a+b) = exp(a)exp(b), that log and exp are inverse, and logistic and tanh as quotients of "
           "exponentials, and no other law of them; the formulas differ, by less than f64 can show at scales 2^-8, 1 "
           "and 2^8, or need such a law";
  }
  return "the formulas differ, by less than f64 can show at scales 2^-8, 1 and 2^8" + outside_of_ranges(pair);
}

}  // namespace isoshard::verify

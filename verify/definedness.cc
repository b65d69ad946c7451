// A denominator of the sharded program is harmless where the reference divides by the same, wherever that is, and no
// result of a division cancels. The first is seen by fingerprints (defined_watch.h), the second by another run with
// f(d) in the place of each such d, f some function: n s / f(s) is not n. Denominators that are 0 on a thin set only,
// such as x - 3, become a condition beside EQUAL; f64 looks for such inputs. Costs one more run of programs that have
// such denominators, none of others.
#include "verify/definedness.h"

#include <algorithm>

#include "verify/is_one_of.h"
#include "verify/steps.h"
#include "verify/words.h"

namespace isoshard::verify {

namespace {

/// A number has no other value, and maxima are compared by their arguments only.
bool must_not_cancel(const PartialUse& use) {
  return use.wide && !use.number && use.arguments[0].needs != Needs::finite;
}

}  // namespace

Definedness::Definedness(const Pair& pair)
    : pair_(pair),
      reference_(pair.reference.plan),
      sharded_(pair.sharded.plan, positive_globals(pair.reference.plan, reference_.uses())) {}

void Definedness::observe(const sim::Domain& domain) {
  sharded_.observe(domain);
  reference_.observe(domain);
}

std::string Definedness::in_words(const PartialUse& use) const {
  const Instruction& i = pair_.sharded.plan.instruction(use.use);
  return pair_.sharded.name(use.arguments[0].value) + " " + std::string(verify::in_words(use.arguments[0].needs)) +
         " (" + i.op + " at " + i.location.to_string() + ")";
}

std::vector<std::string> Definedness::conditions() {
  beyond_.assign(sharded_.uses().size(), false);
  std::vector<std::string> result;
  for (const size_t u : sharded_.beyond(reference_)) {
    beyond_[u] = true;
    if (!sharded_.uses()[u].wide) add_once(in_words(sharded_.uses()[u]), result);
  }
  return result;
}

bool Definedness::any_wide() const {
  return std::any_of(sharded_.uses().begin(), sharded_.uses().end(), [](const PartialUse& use) { return use.wide; });
}

bool Definedness::may_cancel(bool exponential) const {
  return std::any_of(sharded_.uses().begin(), sharded_.uses().end(), [&](const PartialUse& use) {
    if (!must_not_cancel(use)) return false;
    const Instruction& i = pair_.sharded.plan.instruction(use.use);
    // Where a result is an opaque function of the operand already, another function of it tells nothing more.
    return exponential || is_one_of<Divide, Remainder, Rsqrt, Power>(local_op(i));
  });
}

OpaqueArguments Definedness::opaque_arguments() const {
  OpaqueArguments result;
  const auto add = [](const Plan& plan, const DefinedWatch& watch, auto& operands) {
    for (const PartialUse& use : watch.uses()) {
      if (must_not_cancel(use)) operands.emplace(&plan.instruction(use.use), use.operand);
    }
  };
  add(pair_.sharded.plan, sharded_, result.sharded);
  add(pair_.reference.plan, reference_, result.reference);
  return result;
}

std::string Definedness::rests_on(size_t output, bool cancels) const {
  const std::vector<PartialUse>& uses = sharded_.uses();
  const auto counts = [&](size_t u) { return uses[u].wide && (beyond_[u] || (cancels && must_not_cancel(uses[u]))); };
  std::vector<bool> cone;
  for (const bool only_beyond : {true, false}) {
    for (size_t u = 0; u < uses.size(); ++u) {
      if (!counts(u) || (only_beyond && !beyond_[u])) continue;
      if (cone.empty()) cone = cone_over_steps(pair_.sharded.plan, static_cast<uint32_t>(output), pair_.steps);
      if (cone[uses[u].use.index()]) return in_words(uses[u]);
    }
  }
  return "";
}

}  // namespace isoshard::verify

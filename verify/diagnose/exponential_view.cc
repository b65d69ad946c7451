// How programs with exponentials are shown to a diagnosis: on rung E, with 0 for all maxima that cancel, and with
// opaque identities where exponentials are nested deeply. In rung A's ring the running maxima and partial softmaxes of
// a blockwise attention have no counterpart in a plain one, because they are relative to another maximum; with 0 for
// both they have. Where the outputs agree so, some maximum does not cancel, and softmax_scales.cc looks for it. Nothing
// where the programs hold no exponential or the machine has no memory for rung E. Costs two or three comparisons on two
// lanes.
#include "verify/diagnose/exponential_view.h"

#include <algorithm>

#include "sim/domains/tower/tower_domain.h"
#include "sim/run/machine_memory.h"
#include "verify/abstraction/exponential_cuts.h"
#include "verify/bounds/memory.h"
#include "verify/causes/cancelling_maxima.h"
#include "verify/causes/softmax_scales.h"
#include "verify/facts/is_one_of.h"
#include "verify/ring/ring_run.h"
#include "verify/ring/ring_size.h"

namespace isoshard::verify {
namespace {

constexpr size_t kViewLanes = 2;  // enough to tell values apart

template <class Op>
bool has_op(const Pair& pair) {
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    for (const Instruction& i : plan->instructions) {
      if (op_of<Op>(i) != nullptr) return true;
    }
  }
  return false;
}

bool fits(const Pair& pair, const RingOptions& options) {
  const sim::TowerDomain most(choose_size(pair, options).lanes, 0);
  return !sim::exceeds_memory("a rung", estimate_memory(pair, most, options.workers.count),
                              options.memory ? *options.memory : sim::machine_memory());
}

/// On soft predicates, or else with a hard order.
RingOutcome compare_soft_or_hard(const Pair& pair, RingOptions& options) {
  RingOutcome soft = compare_in_ring(pair, options);
  if (soft.speaks() || options.hard_order()) return soft;
  options.rung = Rung::eh;
  return compare_in_ring(pair, options);
}

std::string names_of_maxima(const Pair& pair) {
  std::string text;
  for (size_t v = 0; v < pair.reference.maximum_stand_ins.size(); ++v) {
    if (pair.reference.maximum_stand_ins[v] == MaximumStandIn::none) continue;
    text += (text.empty() ? "" : ", ") + pair.reference.plan.values[v].in_words();
  }
  return text;
}

/// Where exponentials are nested deeply the ring tells values apart only between opaque identities; false where some
/// stay nested too deeply.
bool add_cuts(ExponentialView& view) {
  const std::vector<bool> all(view.pair.sharded.plan.outputs.size(), true);
  const Cuts cuts = place_cuts(view.pair, view.options, view.outcome.last_draw, all, kCutDepth);
  if (cuts.pair) view.pair = *cuts.pair;
  return cuts.reason.empty();
}

/// The view without the maxima that cancel; nothing where it shows nothing.
std::optional<ExponentialView> without_maxima(const ExponentialView& plain) {
  std::optional<Pair> fixed = without_cancelling_maxima(plain.pair, plain.options, plain.outcome.last_draw);
  if (!fixed) return std::nullopt;
  const std::string names = names_of_maxima(*fixed), reference = "@" + fixed->reference.plan.program;
  ExponentialView view = plain;
  view.pair = std::move(*fixed);
  const bool certain = add_cuts(view);
  view.outcome = compare_in_ring(view.pair, view.options);
  if (!view.outcome.speaks() || (view.outcome.equal() && !certain)) return std::nullopt;
  if (!view.outcome.equal()) {
    view.facts.push_back("compared with 0 in the place of maxima that cancel" +
                         (names.empty() ? "" : ", as " + names + " of " + reference + " does"));
    return view;
  }
  view.diagnosis = find_mixed_scales(view.pair, view.options, view.outcome.last_draw);
  if (!view.diagnosis) view.diagnosis.emplace();
  view.diagnosis->facts.push_back("with 0 for all maxima the outputs are equal");
  return view;
}

}  // namespace

std::optional<ExponentialView> view_exponentials(const Pair& pair, const RingOptions& options) {
  if (options.domain || !(has_op<Exponential>(pair) || has_op<Log>(pair))) return std::nullopt;
  ExponentialView view;
  view.pair = pair;
  view.options = options;
  view.options.rung = Rung::e;
  view.options.soft_predicates = false;
  view.options.tower_height = kCutDepth + 1;
  if (!fits(pair, view.options)) return std::nullopt;
  view.outcome = compare_soft_or_hard(pair, view.options);
  if (!view.outcome.speaks() || view.outcome.equal()) return std::nullopt;
  if (std::optional<ExponentialView> fixed = without_maxima(view)) {
    view = std::move(*fixed);
  } else {
    ExponentialView cut = view;
    add_cuts(cut);
    cut.outcome = compare_in_ring(cut.pair, cut.options);
    if (cut.outcome.speaks() && !cut.outcome.equal()) view = std::move(cut);
  }
  view.outcome.terms.lanes = std::min(view.outcome.terms.lanes, kViewLanes);
  return view;
}

}  // namespace isoshard::verify

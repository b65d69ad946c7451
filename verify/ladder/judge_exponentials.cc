// Asks rung E or Eh: chooses the tower's height from the nesting of exponentials, sees to it that the machine has
// memory for it, runs, and then doubts what the run cannot vouch for. Equal values are no equal formulas where the
// error bound is missed, where an even fraction of a logarithm is known up to the sign of its argument only, or where
// x^z counted as exp(z log x) and x is not positive by its construction (docs/spec/verdict.md, "Rings"). Outputs that
// are nested too deeply, or too imprecise, are asked about again with opaque identities (exponential_cuts.cc); a hard
// order adds no law of exponentials, so it does not try that twice. Costs one comparison, and a second one with cuts.
#include "verify/ladder/judge_exponentials.h"

#include <algorithm>
#include <utility>

#include "sim/domains/tower/tower_domain.h"
#include "sim/run/machine_memory.h"
#include "verify/abstraction/compare_with_cuts.h"
#include "verify/abstraction/exponential_cuts.h"
#include "verify/answers/words.h"
#include "verify/bounds/memory.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/cones.h"
#include "verify/facts/constant_exponent.h"
#include "verify/facts/exp_depth.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/signs/positive.h"
#include "verify/pair_facts/contents.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/ring_run.h"
#include "verify/ring/ring_size.h"

namespace isoshard::verify {
namespace {

/// Gives `why` as the doubt of all `wanted` outputs.
void doubt(RingOutcome& ring, const std::vector<bool>& wanted, const std::string& why, const Location& location) {
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (wanted[o]) ring.outputs[o].doubt = Reason{rungs_in_words(ring.terms.deciding) + " " + why, location};
  }
}

/// Of both programs, per output of the sharded one.
std::vector<ExpDepth> depths_of(const Pair& pair, bool by_exponentials) {
  std::vector<ExpDepth> result = exp_depths(pair.sharded.plan, pair.steps, {}, by_exponentials);
  const std::vector<ExpDepth> of_reference = exp_depths(pair.reference.plan, pair.steps, {}, by_exponentials);
  for (size_t o = 0; o < result.size(); ++o) {
    const ExpDepth& other = of_reference[pair.reference_output[o]];
    if (other.depth > result[o].depth) result[o] = other;
  }
  return result;
}

/// As high as the programs nest exponentials; where that is too high, as what cuts leave.
size_t choose_height(const std::vector<ExpDepth>& depths) {
  int deepest = kCutDepth;
  for (const ExpDepth& d : depths) deepest = std::max(deepest, d.depth);
  return static_cast<size_t>(deepest > kMostExpDepth ? kCutDepth : deepest) + 1;
}

/// That the machine has no memory for the run; empty where it has.
std::string memory_lacks(const Pair& pair, const RingOptions& options) {
  const RingSize size = choose_size(pair, options);
  sim::TowerDomain::Options tower;
  tower.height = options.tower_height;
  const std::optional<Diagnostic> exceeds =
      sim::exceeds_memory(rungs_in_words({options.rung}),
                          estimate_memory(pair, sim::TowerDomain(size.lanes, 0, tower), options.workers.count),
                          options.memory ? *options.memory : sim::machine_memory());
  return exceeds ? exceeds->message : "";
}

/// The first instruction in the cone of `output` that takes an operand as positive, by `takes`, which may not be so.
template <class Takes>
std::optional<Instruction> first_unsigned(const Plan& plan, size_t output, int64_t steps, const Takes& takes) {
  const std::vector<KnownSign> signs = signs_of(plan);
  const std::vector<bool> cone = cone_over_steps(plan, static_cast<uint32_t>(output), steps);
  for (size_t i = 0; i < cone.size(); ++i) {
    const Instruction& instruction = plan.instructions[i];
    if (!cone[i] || !takes(plan, instruction)) continue;
    if (signs[instruction.operands[0].index()] != KnownSign::positive) return instruction;
  }
  return std::nullopt;
}

/// Doubts equal outputs, where one side takes an operand as positive that is not shown to be so.
template <class Takes>
void doubt_signs(const Pair& pair, const std::vector<bool>& equal, const std::string& why, const Takes& takes,
                 RingOutcome& ring) {
  for (size_t o = 0; o < equal.size(); ++o) {
    if (!equal[o]) continue;
    const Plan* plan = &pair.sharded.plan;
    std::optional<Instruction> found = first_unsigned(*plan, o, pair.steps, takes);
    if (!found) {
      plan = &pair.reference.plan;
      found = first_unsigned(*plan, pair.reference_output[o], pair.steps, takes);
    }
    if (!found) continue;
    ring.outputs[o].doubt = Reason{rungs_in_words(ring.terms.deciding) + why + ", and " +
                                       plan->value(found->operands[0]).in_words() + " is not shown to be positive",
                                   found->location()};
  }
}

/// Of outputs that are equal up to the signs of the arguments of logarithms.
void doubt_logarithms(const Pair& pair, const std::vector<bool>& equal, RingOutcome& ring) {
  const auto takes = [](const Plan&, const Instruction& i) { return is_one_of<Log>(local_op(i)); };
  doubt_signs(pair, equal, " knows an even fraction of a logarithm up to the sign of its argument only", takes, ring);
}

/// Of outputs that are equal where each power is exp(z log x): what holds where x is positive.
void doubt_powers(const Pair& pair, std::vector<bool> equal, RingOutcome& ring) {
  for (size_t o = 0; o < equal.size(); ++o) equal[o] = equal[o] && ring.outputs[o].doubt.empty();
  doubt_signs(pair, equal, " takes x^z for exp(z log x)", is_power_of_data, ring);
}

/// Asks again about the `open` outputs, with cuts; outputs that are not open stay what they are.
void ask_with_cuts(const Pair& pair, const RingOptions& options, const std::vector<bool>& open, RingOutcome& ring) {
  CutOutcome cut = compare_with_cuts(pair, options, ring, open);
  for (size_t o = 0; o < open.size(); ++o) {
    Reason& doubt = ring.outputs[o].doubt;
    if (open[o] && !cut.reason.empty() && !doubt.empty()) doubt.text += "; " + cut.reason;
    if (!open[o] && cut.ring) cut.ring->outputs[o] = ring.outputs[o];
  }
  if (cut.ring) {
    ring = std::move(*cut.ring);
  } else {
    ring.open.text = cut.reason;
  }
}

/// Why a tower may have told outputs apart that are equal.
void note_depth(const std::vector<ExpDepth>& depths, const std::vector<bool>& deep, RingOutcome& ring) {
  const size_t first = static_cast<size_t>(std::find(deep.begin(), deep.end(), true) - deep.begin());
  if (first == deep.size() || !ring.speaks()) return;
  const std::string cuts = ring.open.empty() ? "" : "; " + ring.open.text;
  ring.open.text = "exponentials are nested more than " + std::to_string(kMostExpDepth) + " deep at " +
                   depths[first].value + ", where " + rungs_in_words(ring.terms.deciding) + " knows no law" + cuts;
  ring.open.location = depths[first].location;
}

}  // namespace

bool asks_by_exponentials(const Pair& pair) {
  constexpr uint64_t kMostElements = uint64_t{1} << 20;
  return contents_of(pair).by_exponentials && elements_computed(pair) <= kMostElements;
}

RingOutcome judge_exponentials(const Pair& pair, const RingOptions& wish, const std::vector<bool>& wanted) {
  const std::vector<ExpDepth> depths = depths_of(pair, wish.by_exponentials);
  RingOptions options = wish;
  options.tower_height = choose_height(depths);
  RingOutcome ring;
  ring.terms.deciding = {options.rung};
  ring.silent.text = memory_lacks(pair, options);
  if (ring.silent.empty()) ring = compare_in_ring(pair, options, wanted);
  if (!ring.speaks()) return ring;
  const bool imprecise = ring.terms.log2_error > options.lanes.worst;
  std::vector<bool> equal = wanted, deep = wanted, open = wanted;
  for (size_t o = 0; o < wanted.size(); ++o) {
    equal[o] = wanted[o] && ring.outputs[o].equal;
    deep[o] = wanted[o] && !equal[o] && depths[o].depth > kMostExpDepth;
    // A hard order adds no law of exponentials: cuts that did not help without it are not tried again.
    open[o] = (deep[o] && !options.hard_order()) || (equal[o] && imprecise);
  }
  if (ring.zero_denominator) {
    doubt(ring, equal, "cannot divide by " + ring.zero_denominator->value + ", which has no inverse in any draw",
          ring.zero_denominator->location);
    return ring;
  }
  if (imprecise) {
    doubt(ring, equal,
          "finds the outputs equal, but the formulas have so high a degree that it may err with a probability above " +
              power_of_2(options.lanes.worst),
          {});
  }
  if (ring.terms.even_roots) doubt_logarithms(pair, equal, ring);
  if (options.by_exponentials) doubt_powers(pair, equal, ring);
  if (any_output(open)) ask_with_cuts(pair, options, open, ring);
  for (size_t o = 0; o < deep.size(); ++o) deep[o] = deep[o] && !ring.outputs[o].equal;
  note_depth(depths, deep, ring);
  return ring;
}

}  // namespace isoshard::verify

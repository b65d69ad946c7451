// Compares both programs on one rung: draws inputs in the ring, runs both, compares all outputs with the reference's,
// step by step, and repeats that for each draw of integers or orders. An output is equal when it is in every draw, so
// an output that has differed needs no further ones. A lane in which a denominator in the cone of a difference was 0 by
// accident is drawn again, up to 8 times; the other lanes keep their inputs. Lanes are chosen beforehand from the
// degrees (ring_size.cc); how many factors logarithms have is known only after a run, so that a run on rung E may be
// made once more in a larger ring. Costs draws times steps times a run of both programs in all lanes.
#include "verify/ring/ring_run.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/support/rational_gmp.h"
#include "core/support/result.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/domains/tower/tower_domain.h"
#include "verify/answers/words.h"
#include "verify/bounds/order_outcomes.h"
#include "verify/compare/random.h"
#include "verify/facts/order_facts.h"
#include "verify/ring/compare_output.h"
#include "verify/ring/conditions.h"
#include "verify/ring/generic_parts.h"
#include "verify/ring/known_signs.h"
#include "verify/ring/order_key.h"
#include "verify/ring/representable_constants.h"
#include "verify/ring/ring_size.h"
#include "verify/watches/denominator_watch.h"
#include "verify/watches/judge_definedness.h"
#include "verify/watches/select_watch.h"

namespace isoshard::verify {
namespace {

constexpr uint32_t kDiscreteDraws = 8, kRedraws = 8;

/// A hard order: so many keys that outcomes of comparisons are seen, or why there are none.
void choose_orders(const Pair& pair, const LaneChoice& error, RingOutcome& outcome) {
  const OrderPlan orders = plan_orders(pair.sharded.plan, pair.reference.plan, error);
  if (orders.count == 0) {
    outcome.silent.text = rungs_in_words(outcome.terms.deciding) +
                          " cannot try as many orders as the comparisons need: an outcome may show in one of " +
                          std::to_string(static_cast<int64_t>(orders.rarest)) + " only";
    return;
  }
  outcome.terms.draws = std::max(outcome.terms.draws, orders.count);
  outcome.terms.decisions = orders.bits;
  outcome.terms.log2_error = std::min(0.0, log2_sum(outcome.terms.log2_error, -outcome.terms.decisions));
}

/// The observers of one program that have something to do.
class Observers final : public sim::ValueObserver {
 public:
  template <class Watch>
  void add(Watch& watch) {
    if (watch.needed()) all_.push_back(&watch);
  }

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override {
    for (sim::ValueObserver* watch : all_) watch->on_value(position, id, value);
  }
  bool looks_at_devices() const override {
    return std::any_of(all_.begin(), all_.end(), [](const auto* watch) { return watch->looks_at_devices(); });
  }
  sim::ValueObserver* if_needed() { return all_.empty() ? nullptr : this; }

 private:
  std::vector<sim::ValueObserver*> all_;
};

/// Compares the two programs on one draw after another.
class RingStage {
 public:
  RingStage(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted, bool ties_apart,
            RingOutcome& outcome)
      : pair_(pair),
        options_(options),
        wanted_(wanted),
        ties_apart_(ties_apart),
        outcome_(outcome),
        sharded_selects_(pair.sharded.plan),
        reference_selects_(pair.reference.plan) {
    if (options.hard_order()) constants_.emplace(pair);
  }

  /// Partial uses are watched in the first draw; both must outlive this.
  void watch(UseWatch& sharded, UseWatch& reference) {
    sharded_uses_ = &sharded;
    reference_uses_ = &reference;
  }

  void run() {
    for (uint32_t d = 0; d < outcome_.terms.draws && goes_on(); ++d) next_draw(d);
    outcome_.assumes.one_sided = sharded_selects_.one_sided();
    for (std::string& select : reference_selects_.one_sided()) outcome_.assumes.one_sided.push_back(std::move(select));
    if (!outcome_.failure && zero_everywhere_ && !zero_everywhere_->empty()) {
      const auto [in_reference, id] = *zero_everywhere_->begin();
      const Plan& plan = (in_reference ? pair_.reference : pair_.sharded).plan;
      const Instruction& division = plan.instruction(id);
      outcome_.zero_denominator = ZeroDenominator{plan.value(division.operands[1]).in_words(), division.location()};
    }
  }

  /// What equal outputs need of inputs, besides that the reference has a value.
  Definedness definedness() const {
    const auto again = [&] {
      std::unique_ptr<sim::Domain> domain = make_ring(options_, outcome_.terms.lanes, first_draw_);
      DrawGlobal draw = ring_draw(options_, *domain, first_draw_);
      return RingAgain{std::unique_ptr<sim::ExactRing>(&dynamic_cast<sim::ExactRing&>(*domain.release())),
                       std::move(draw), options_.hard_order()};
    };
    return judge_definedness(pair_, {*sharded_uses_, *reference_uses_}, again, options_.seed);
  }

 private:
  /// An output that has differed needs no more draws; the others are equal only if they are in every draw.
  bool goes_on() const {
    bool any_equal = false;
    const bool all = options_.settled.size() == outcome_.outputs.size();  // not a part of the pair
    for (size_t o = 0; o < outcome_.outputs.size(); ++o) {
      any_equal |= outcome_.outputs[o].equal && (wanted_.empty() || wanted_[o]) && !(all && options_.settled[o]);
    }
    return !outcome_.failure && outcome_.silent.empty() && any_equal;
  }

  /// Runs a draw; of each output the first draw that differs is kept, and of all of them that of the diagnosis.
  void next_draw(uint32_t index) {
    const std::vector<RingOutput> before = outcome_.outputs;
    const uint32_t first_step = outcome_.first_step;
    const Draw last_draw = outcome_.last_draw;
    const bool differed = !outcome_.equal();
    run_draw(index);
    for (size_t o = 0; o < before.size(); ++o) {
      if (!before[o].equal) outcome_.outputs[o] = before[o];
    }
    if (!differed) return;
    outcome_.first_step = first_step;
    outcome_.last_draw = last_draw;
  }

  void run_draw(uint32_t index) {
    Draw draw{options_.seed, index, std::vector<uint32_t>(outcome_.terms.lanes, 0)};
    draw.soft_predicates = options_.soft_predicates;
    draw.indices = pair_.indices;
    draw.covered = options_.covered;
    draw.order.ties_apart = ties_apart_;
    draw.order.max_of_sets = options_.max_of_sets;
    if (options_.hard_order() && !choose_order(draw)) return;
    for (uint32_t attempt = 0;; ++attempt) {
      const uint32_t chance_zeros = run_once(draw);
      if (index == 0) first_draw_ = draw;
      outcome_.last_draw = draw;
      outcome_.last_draw.covered = nullptr;  // what looks at residues again knows numbers only
      if (outcome_.failure || chance_zeros == 0 || attempt == kRedraws) return;
      for (size_t lane = 0; lane < outcome_.terms.lanes; ++lane) {
        if ((chance_zeros >> lane & 1U) == 0) continue;
        ++draw.redrawn[lane];
        ++outcome_.terms.redrawn_lanes;
      }
    }
  }

  /// Gives the draw an order key that leaves the constants in their order, or says that there is none.
  bool choose_order(Draw& draw) {
    const std::unique_ptr<sim::Domain> soft = make_ring(options_, outcome_.terms.lanes, draw);
    const RandomStream stream = RandomStream(draw.seed).part("order key").part(draw.index);
    const std::optional<uint64_t> key = constants_->key(pair_, dynamic_cast<const sim::ExactRing&>(*soft), stream);
    if (key) {
      draw.order.key = *key;
    } else {
      outcome_.silent.text = rungs_in_words(outcome_.terms.deciding) + " finds no order in which the " +
                             std::to_string(constants_->count(pair_)) +
                             " constants that are compared stand as real numbers do";
    }
    return key.has_value();
  }

  /// Lanes to draw again: those where a denominator in the cone of a difference was 0.
  uint32_t run_once(const Draw& draw) {
    const std::unique_ptr<sim::Domain> domain = make_ring(options_, outcome_.terms.lanes, draw);
    DenominatorWatch sharded(pair_.sharded.plan, pair_.steps, *domain);
    DenominatorWatch reference(pair_.reference.plan, pair_.steps, *domain);
    if (!options_.covered) {
      sharded_selects_.observe(*domain);
      reference_selects_.observe(*domain);
    }
    Observers of_sharded, of_reference;
    of_sharded.add(sharded);
    of_reference.add(reference);
    if (!options_.covered) {
      of_sharded.add(sharded_selects_);
      of_reference.add(reference_selects_);
    }
    options_.workers.begin_part(rungs_in_words({options_.rung}));
    PairRun run(pair_, *domain, ring_draw(options_, *domain, draw), options_.workers);
    run.make_opaque(options_.generic);
    if (draw.index == 0 && sharded_uses_ != nullptr) {
      sharded_uses_->observe(*domain);
      reference_uses_->observe(*domain);
      of_sharded.add(*sharded_uses_);
      of_reference.add(*reference_uses_);
    }
    outcome_.outputs.assign(outcome_.outputs.size(), RingOutput{});
    outcome_.first_step = 0;
    for (uint32_t step = 1; step <= pair_.steps; ++step) {
      const Result<void> ran = run.next({of_sharded.if_needed(), of_reference.if_needed()});
      if (!ran) {
        outcome_.failure = ran.error();
        return 0;
      }
      compare_step(step, run.result(), *domain);
    }
    if (!take_notes(*domain)) return 0;
    keep_common_zeros(sharded, reference);
    std::vector<bool> differ(outcome_.outputs.size()), differ_there(pair_.reference.plan.outputs.size());
    for (size_t o = 0; o < differ.size(); ++o) {
      differ_there[pair_.reference_output[o]] = differ[o] = !outcome_.outputs[o].equal;
    }
    const uint32_t redraw = sharded.lanes_in_cone(differ) | reference.lanes_in_cone(differ_there);
    const uint32_t all = (1U << outcome_.terms.lanes) - 1;
    return redraw == all ? 0 : redraw;  // in all lanes at once it is no accident
  }

  /// What the ring says of itself; false when it cannot speak about the programs.
  bool take_notes(const sim::Domain& domain) {
    const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain);
    if (ring == nullptr) return true;
    if (const auto* exponential = dynamic_cast<const sim::TowerDomain*>(&ring->calculating())) {
      outcome_.terms.factors = std::max(outcome_.terms.factors, static_cast<double>(exponential->most_factors()));
      outcome_.terms.even_roots = outcome_.terms.even_roots || exponential->even_roots();
      for (const mpq_class& x : exponential->infinities()) masks_.insert(x);
      outcome_.assumes.masks.clear();
      for (const mpq_class& x : masks_) outcome_.assumes.masks.push_back(from_mpq(x).to_string());
      if (const std::optional<Rational> x = ring->unrepresentable()) {
        outcome_.silent.text = rungs_in_words(outcome_.terms.deciding) + " cannot represent " + x->to_string();
      }
    }
    if (!ring->undecided().empty()) {
      outcome_.silent.text = rungs_in_words(outcome_.terms.deciding) + " cannot decide " + ring->undecided();
    }
    return outcome_.silent.empty();
  }

  /// Results count in every step, updates in the last one, where all copies must agree in every step: the next one
  /// goes on with the first copy.
  void compare_step(uint32_t step, const PairResult& result, const sim::Domain& domain) {
    for (size_t o = 0; o < outcome_.outputs.size(); ++o) {
      const Output& output = pair_.sharded.plan.outputs[o];
      RingOutput now = compare_output(result.sharded.outputs[o], result.reference.outputs[pair_.reference_output[o]],
                                      output.type, *pair_.sharded.plan.mesh, domain);
      if (!now.equal && outcome_.first_step == 0) outcome_.first_step = step;
      now.step = step;
      now.differs_first = outcome_.outputs[o].differs_first || (!now.equal && outcome_.first_step == step);
      const bool last = static_cast<int64_t>(step) == pair_.steps;
      const bool counts = !output.updates.valid() || last || !now.copies_agree;
      RingOutput& known = outcome_.outputs[o];
      if (known.equal && (counts || now.equal)) {
        known = std::move(now);
      } else {
        known.differs_first = now.differs_first;
      }
    }
  }

  /// A division by 0 counts as x/0 only when it happened in every draw.
  void keep_common_zeros(const DenominatorWatch& sharded, const DenominatorWatch& reference) {
    std::set<std::pair<bool, InstructionId>> now;
    for (const InstructionId id : sharded.zeros()) now.emplace(false, id);
    for (const InstructionId id : reference.zeros()) now.emplace(true, id);
    if (!zero_everywhere_) {
      zero_everywhere_ = std::move(now);
      return;
    }
    std::set<std::pair<bool, InstructionId>> both;
    std::set_intersection(now.begin(), now.end(), zero_everywhere_->begin(), zero_everywhere_->end(),
                          std::inserter(both, both.end()));
    zero_everywhere_ = std::move(both);
  }

  const Pair& pair_;
  const RingOptions& options_;
  const std::vector<bool>& wanted_;  ///< per output; empty: all
  bool ties_apart_;
  std::optional<OrderConstants> constants_;  ///< on rung B
  RingOutcome& outcome_;
  SelectWatch sharded_selects_, reference_selects_;
  Draw first_draw_;
  UseWatch *sharded_uses_ = nullptr, *reference_uses_ = nullptr;
  std::set<mpq_class> masks_;
  std::optional<std::set<std::pair<bool, InstructionId>>> zero_everywhere_;
};

}  // namespace

std::vector<std::string> discrete_inputs(const Pair& pair, bool soft_predicates) {
  std::vector<std::string> names;
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const bool soft = soft_predicates && global.type.dtype == DType::pred;
    if (pair.used[g] && !is_float(global.type.dtype) && !soft && !exact_value(global)) names.push_back(global.name);
  }
  return names;
}

namespace {

bool any_equal(const RingOutcome& ring) {
  return ring.speaks() &&
         std::any_of(ring.outputs.begin(), ring.outputs.end(), [](const RingOutput& output) { return output.equal; });
}

/// Compares once more with ties apart. What a condition is about may be a number only where ties are none: (x > y) +
/// (y > x) is 1 there, and 0 at a tie.
void compare_with_ties(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted,
                       RingOutcome with_ties, RingOutcome& ring) {
  UseWatch sharded_uses(pair.sharded.plan, pair.steps), reference_uses(pair.reference.plan, pair.steps);
  RingStage stage(pair, options, wanted, true, with_ties);
  stage.watch(sharded_uses, reference_uses);
  stage.run();
  std::vector<bool> holds(ring.outputs.size(), false);
  Definedness apart;
  apart.rests_on.resize(holds.size());
  if (with_ties.speaks()) {
    apart = stage.definedness();
    take_definedness({std::vector<std::string>(holds.size()), apart.conditions}, ring);
    for (size_t o = 0; o < holds.size(); ++o) holds[o] = with_ties.outputs[o].equal && apart.rests_on[o].empty();
  }
  take_ties(pair, options.seed, holds, apart, ring);
}

/// In a ring of this size.
RingOutcome compare_on(const Pair& pair, RingOptions options, const std::vector<bool>& wanted, const RingSize& size) {
  options.primes = size.primes;
  if (options.exponential()) {
    options.towers = sim::draw_towers(size.lanes, options.tower_height, size.primes, options.seed);
  } else {
    options.units = units_of(pair, options);
  }
  RingOutcome outcome;
  outcome.terms.deciding = {options.rung};
  outcome.outputs.resize(pair.sharded.plan.outputs.size());
  outcome.terms.lanes = size.lanes;
  outcome.terms.log2_error = size.log2_error;
  if (options.exponential())
    outcome.terms.log2_prime = sim::PrimeTower::log2_least(options.tower_height, options.primes);
  outcome.terms.soft_predicates = options.soft_predicates;
  outcome.assumes.opaque = generic_places(pair, options.generic);
  outcome.terms.discrete = !options.covered && !discrete_inputs(pair, options.soft_predicates).empty();
  if (outcome.terms.discrete) outcome.terms.draws = kDiscreteDraws;
  const OrderFacts sharded = order_facts(pair.sharded.plan), reference = order_facts(pair.reference.plan);
  if (options.hard_order()) choose_orders(pair, options.lanes, outcome);
  if (outcome.silent.empty()) outcome.silent = unfaithful_number(pair, options);
  if (outcome.silent.empty()) {
    // Ties are not rare between values that depend on integers; updates may be piecewise, too.
    const bool ties_apart = sharded.ties_apart || reference.ties_apart || pair.steps > 1 || options.covered != nullptr;
    RingOutcome with_ties = outcome;
    UseWatch sharded_uses(pair.sharded.plan, pair.steps), reference_uses(pair.reference.plan, pair.steps);
    RingStage stage(pair, options, wanted, ties_apart, outcome);
    if (!options.domain) stage.watch(sharded_uses, reference_uses);
    stage.run();
    if (!any_equal(outcome) || options.domain) return outcome;
    take_definedness(stage.definedness(), outcome);
    if (ties_apart || options.hard_order() || !(sharded.tells_ties || reference.tells_ties)) return outcome;
    compare_with_ties(pair, options, wanted, std::move(with_ties), outcome);
  }
  return outcome;
}

/// How many factors logarithms have is known after a run only: where they raise the error bound too much, the run is
/// repeated in a larger ring.
RingOutcome compare_sized(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted) {
  RingSize size = choose_size(pair, options);
  RingOutcome outcome = compare_on(pair, options, wanted, size);
  if (outcome.terms.factors <= 1) return outcome;
  const RingSize larger = choose_size(pair, options, outcome.terms.factors);
  if ((larger.lanes != size.lanes || larger.primes != size.primes) && outcome.speaks()) {
    size = larger;
    outcome = compare_on(pair, options, wanted, size);
  }
  RingOptions sized = options;
  sized.primes = size.primes;
  outcome.terms.log2_error =
      log2_error(bound_terms(pair, sized, std::max(1.0, outcome.terms.factors)), outcome.terms.lanes);
  if (options.hard_order())
    outcome.terms.log2_error = std::min(0.0, log2_sum(outcome.terms.log2_error, -outcome.terms.decisions));
  return outcome;
}

}  // namespace

RingOutcome compare_in_ring(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted) {
  const std::optional<Pair> known = with_known_signs(pair);
  return compare_sized(known ? *known : pair, options, wanted);
}

}  // namespace isoshard::verify

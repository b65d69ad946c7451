#include "verify/ring_stage.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "core/support/result.h"
#include "sim/constants.h"
#include "sim/domains/ring_a.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/domains/tower/tower_domain.h"
#include "verify/compare_output.h"
#include "verify/defined_watch.h"
#include "verify/denominator_watch.h"
#include "verify/generic_parts.h"
#include "verify/order_facts.h"
#include "verify/order_key.h"
#include "verify/order_outcomes.h"
#include "verify/pair_degrees.h"
#include "verify/random.h"
#include "verify/select_watch.h"

namespace isoshard::verify {
namespace {

constexpr uint32_t kDiscreteDraws = 8, kRedraws = 8;

/// Whether the dtype makes 0, 1 or -1 of another number.
bool is_lost(const Rational& constant, DType dtype) {
  if (!constant.finite() || constant.is_integer()) return false;
  const double rounded = sim::rounded_to(dtype, constant);
  return rounded == 0 || rounded == 1 || rounded == -1;
}

/// Why `constant` has no faithful image in the ring, or nothing. Rung E has -inf, and sees at run time what it
/// does not represent.
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

void scan_constants(const Side& side, const RingOptions& options, RingOutcome& outcome) {
  for (const Instruction& i : side.plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data);
    const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
    if (constant == nullptr || !outcome.undecidable.empty()) continue;
    outcome.undecidable = unfaithful(constant->value, constant->dtype, options);
    outcome.undecidable_location = i.location;
  }
}

void scan_globals(const Pair& pair, const RingOptions& options, RingOutcome& outcome) {
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const std::optional<Rational> value = exact_value(global);
    if (!pair.used[g] || !value || !outcome.undecidable.empty()) continue;
    outcome.undecidable = unfaithful(*value, global.type.dtype, options);
    outcome.undecidable_location = global.location;
  }
}

/// A hard order: so many keys that outcomes of comparisons are seen, or why there are none.
void choose_orders(const Pair& pair, const LaneChoice& error, RingOutcome& outcome) {
  const OrderPlan orders = plan_orders(pair.sharded.plan, pair.reference.plan, error);
  if (orders.count == 0) {
    outcome.undecidable = "rung " + outcome.rung +
                          " cannot try as many orders as the comparisons need: an outcome may show in one of " +
                          std::to_string(static_cast<int64_t>(orders.rarest)) + " only";
    return;
  }
  outcome.draws = std::max(outcome.draws, orders.count);
  outcome.decisions = orders.bits;
  outcome.log2_error = std::min(0.0, log2_sum(outcome.log2_error, -outcome.decisions));
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
    if (options.hard_order) constants_.emplace(pair);
  }

  void run() {
    for (uint32_t d = 0; d < outcome_.draws && goes_on(); ++d) next_draw(d);
    outcome_.one_sided = sharded_selects_.one_sided();
    for (std::string& select : reference_selects_.one_sided()) outcome_.one_sided.push_back(std::move(select));
    if (!outcome_.failure && zero_everywhere_ && !zero_everywhere_->empty()) {
      const auto [in_reference, id] = *zero_everywhere_->begin();
      const Plan& plan = (in_reference ? pair_.reference : pair_.sharded).plan;
      const Instruction& division = plan.instruction(id);
      outcome_.zero_denominator = ZeroDenominator{plan.value(division.operands[1]).name, division.location};
    }
  }

 private:
  /// An output that has differed needs no more draws; the others are equal only if they are in every draw.
  bool goes_on() const {
    bool any_equal = false;
    for (size_t o = 0; o < outcome_.outputs.size(); ++o) {
      any_equal |= outcome_.outputs[o].equal && (wanted_.empty() || wanted_[o]);
    }
    return !outcome_.failure && outcome_.undecidable.empty() && any_equal;
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
    Draw draw{options_.seed, index, std::vector<uint32_t>(outcome_.lanes, 0)};
    draw.soft_predicates = options_.soft_predicates;
    draw.indices = pair_.indices;
    draw.covered = options_.covered;
    draw.order.ties_apart = ties_apart_;
    draw.order.max_of_sets = options_.max_of_sets;
    if (options_.hard_order && !choose_order(draw)) return;
    for (uint32_t attempt = 0;; ++attempt) {
      const uint32_t chance_zeros = run_once(draw);
      outcome_.last_draw = draw;
      outcome_.last_draw.covered = nullptr;  // what looks at residues again knows numbers only
      if (outcome_.failure || chance_zeros == 0 || attempt == kRedraws) return;
      for (size_t lane = 0; lane < outcome_.lanes; ++lane) {
        if ((chance_zeros >> lane & 1U) == 0) continue;
        ++draw.redrawn[lane];
        ++outcome_.redrawn_lanes;
      }
    }
  }

  /// Gives the draw an order key that leaves the constants in their order, or says that there is none.
  bool choose_order(Draw& draw) {
    const std::unique_ptr<sim::Domain> soft = make_ring(options_, outcome_.lanes, draw);
    const RandomStream stream = RandomStream(draw.seed).part("order key").part(draw.index);
    const std::optional<uint64_t> key = constants_->key(pair_, dynamic_cast<const sim::ExactRing&>(*soft), stream);
    if (key) {
      draw.order.key = *key;
    } else {
      outcome_.undecidable = "rung " + outcome_.rung + " finds no order in which the " +
                             std::to_string(constants_->count(pair_)) +
                             " constants that are compared stand as real numbers do";
    }
    return key.has_value();
  }

  /// Lanes to draw again: those where a denominator in the cone of a difference was 0.
  uint32_t run_once(const Draw& draw) {
    const std::unique_ptr<sim::Domain> domain = make_ring(options_, outcome_.lanes, draw);
    DenominatorWatch sharded(pair_.sharded.plan, pair_.steps, *domain);
    DenominatorWatch reference(pair_.reference.plan, pair_.steps, *domain);
    DefinedWatch sharded_arguments(pair_.sharded.plan, *domain), reference_arguments(pair_.reference.plan, *domain);
    if (!options_.covered) {
      sharded_selects_.observe(*domain);
      reference_selects_.observe(*domain);
    }
    Observers of_sharded, of_reference;
    of_sharded.add(sharded);
    of_reference.add(reference);
    if (options_.covered) {
      of_sharded.add(sharded_arguments);
      of_reference.add(reference_arguments);
    } else {
      of_sharded.add(sharded_selects_);
      of_reference.add(reference_selects_);
    }
    PairRun run(pair_, *domain, ring_draw(options_, *domain, draw), options_.workers);
    run.make_opaque(options_.generic);
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
    if (!take_notes(*domain) || !is_defined(sharded_arguments, reference_arguments)) return 0;
    keep_common_zeros(sharded, reference);
    uint32_t redraw = 0;
    for (size_t o = 0; o < outcome_.outputs.size(); ++o) {
      const size_t r = pair_.reference_output[o];
      if (outcome_.outputs[o].equal) continue;
      redraw |= sharded.lanes_in_cone(static_cast<uint32_t>(o)) | reference.lanes_in_cone(static_cast<uint32_t>(r));
    }
    const uint32_t all = (1U << outcome_.lanes) - 1;
    return redraw == all ? 0 : redraw;  // in all lanes at once it is no accident
  }

  /// Whether the sharded program divides, and takes roots and logarithms, only where the reference does, or of what is
  /// positive, as far as integers have a say: no draw of floats shows that it is undefined for some of them.
  bool is_defined(const DefinedWatch& sharded, const DefinedWatch& reference) {
    const InstructionId use = options_.covered ? sharded.beyond(reference) : InstructionId();
    if (!use.valid()) return true;
    const Instruction& i = pair_.sharded.plan.instruction(use);
    const PlanValueId argument = i.operands[partial_argument(i).value_or(0)];
    outcome_.undecidable = "rung " + outcome_.rung + " cannot say that the program is defined for all integers for " +
                           "which the reference is, as far as %" + pair_.sharded.plan.value(argument).name + " goes";
    outcome_.undecidable_location = i.location;
    return false;
  }

  /// What the ring says of itself; false when it cannot speak about the programs.
  bool take_notes(const sim::Domain& domain) {
    const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain);
    if (ring == nullptr) return true;
    if (const auto* exponential = dynamic_cast<const sim::TowerDomain*>(&ring->calculating())) {
      outcome_.factors = std::max(outcome_.factors, static_cast<double>(exponential->most_factors()));
      outcome_.even_roots = outcome_.even_roots || exponential->even_roots();
      for (const mpq_class& x : exponential->infinities()) masks_.insert(x);
      outcome_.masks.clear();
      for (const mpq_class& x : masks_) outcome_.masks.push_back(from_mpq(x).to_string());
      if (const std::optional<Rational> x = ring->unrepresentable()) {
        outcome_.undecidable = "rung " + outcome_.rung + " cannot represent " + x->to_string();
      }
    }
    if (!ring->undecided().empty()) {
      outcome_.undecidable = "rung " + outcome_.rung + " cannot decide " + ring->undecided();
    }
    return outcome_.undecidable.empty();
  }

  /// Results count in every step, updates in the last one, where all copies must agree in every step: the next one
  /// goes on with the first copy.
  void compare_step(uint32_t step, const PairResult& result, const sim::Domain& domain) {
    for (size_t o = 0; o < outcome_.outputs.size(); ++o) {
      const Output& output = pair_.sharded.plan.outputs[o];
      RingOutput now = compare_output(result.sharded.outputs[o], result.reference.outputs[pair_.reference_output[o]],
                                      output.type, *pair_.sharded.plan.mesh, domain);
      ISOSHARD_CHECK(now.covered_once, "a layout stores each element of its output exactly once");
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
  std::set<mpq_class> masks_;
  std::optional<std::set<std::pair<bool, InstructionId>>> zero_everywhere_;
};

}  // namespace

bool has_discrete_inputs(const Pair& pair, bool soft_predicates) {
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    const bool soft = soft_predicates && global.type.dtype == DType::pred;
    if (pair.used[g] && !is_float(global.type.dtype) && !soft && !exact_value(global)) return true;
  }
  return false;
}

bool RingOutcome::equal() const {
  return std::all_of(outputs.begin(), outputs.end(), [](const RingOutput& o) { return o.equal; });
}

std::unique_ptr<sim::Domain> make_ring(const RingOptions& options, size_t lanes, const Draw& draw) {
  const uint64_t key = RandomStream(draw.seed).part("ring key").word(draw.index);
  if (options.domain) return options.domain(lanes, key);
  if (draw.covered) {
    Draw inner = draw;
    inner.covered = nullptr;
    std::unique_ptr<sim::Domain> ring = make_ring(options, lanes, inner);
    auto soft = std::make_unique<sim::SoftDomain>(
        std::unique_ptr<sim::ExactRing>(&dynamic_cast<sim::ExactRing&>(*ring.release())), key,
        sim::SoftDomain::Options{options.tabled, sim::SoftIntegers::Weights::random, options.cases, options.places});
    soft->pad_with(sim::IntegerDomain::special_numbers(draw.indices.numbers));
    return soft;
  }
  if (options.exponential) {
    sim::TowerDomain::Options tower;
    tower.order = draw.order;
    tower.height = options.tower_height;
    tower.primes = options.primes;
    tower.towers = options.towers;
    tower.constants = options.constants;
    return std::make_unique<sim::TowerDomain>(lanes, key, tower);
  }
  return std::make_unique<sim::RingDomain>(lanes, key, draw.order, options.generic.reciprocals, options.constants);
}

DrawGlobal ring_draw(const RingOptions& options, const sim::Domain& domain, const Draw& draw) {
  return [inputs = options.inputs, &domain, draw](const Global& global, uint32_t step) {
    Draw at = draw;
    at.step = step;
    return inputs ? inputs(global, domain, at) : draw_ring(global, domain, at);
  };
}

BoundTerms bound_terms(const Pair& pair, const RingOptions& options, double factors) {
  std::optional<ExpDegrees> exponential;
  if (options.exponential) exponential = ExpDegrees{factors};
  Generic generic = options.generic;
  generic.integers = options.covered != nullptr;
  generic.places = static_cast<double>(options.places);
  const PairDegrees degrees = count_degrees(pair, exponential, generic);
  BoundTerms terms = bound_terms(degrees.sharded, degrees.reference, pair.reference_output);
  if (exponential) terms.log2_prime = sim::PrimeTower::log2_least(options.tower_height, options.primes);
  // The mean of a table has the product of the denominators of all entries.
  if (options.tabled) terms.multiply_degrees(static_cast<double>(sim::SoftIntegers::kMostEntries));
  // A maximum of n elements hashes the members of all sets on the way: n log2 n elements, where n - 1 were counted.
  if (options.max_of_sets) terms.evaluations *= 64;
  return terms;
}

namespace {

/// In a ring of this size.
RingOutcome compare_on(const Pair& pair, RingOptions options, const std::vector<bool>& wanted, const RingSize& size) {
  options.primes = size.primes;
  if (options.exponential) {
    options.towers = sim::draw_towers(size.lanes, options.tower_height, size.primes, options.seed);
  }
  RingOutcome outcome;
  outcome.rung = options.rung();
  outcome.outputs.resize(pair.sharded.plan.outputs.size());
  outcome.lanes = size.lanes;
  outcome.log2_error = size.log2_error;
  if (options.exponential) outcome.log2_prime = sim::PrimeTower::log2_least(options.tower_height, options.primes);
  outcome.soft_predicates = options.soft_predicates;
  outcome.opaque = generic_places(pair, options.generic);
  outcome.discrete = !options.covered && has_discrete_inputs(pair, options.soft_predicates);
  if (outcome.discrete) outcome.draws = kDiscreteDraws;
  const OrderFacts sharded = order_facts(pair.sharded.plan), reference = order_facts(pair.reference.plan);
  if (options.hard_order) choose_orders(pair, options.lanes, outcome);
  scan_constants(pair.sharded, options, outcome);
  scan_constants(pair.reference, options, outcome);
  scan_globals(pair, options, outcome);
  if (outcome.undecidable.empty()) {
    // Ties are not rare between values that depend on integers; updates may be piecewise, too.
    const bool ties_apart = sharded.ties_apart || reference.ties_apart || pair.steps > 1 || options.covered != nullptr;
    RingStage(pair, options, wanted, ties_apart, outcome).run();
  }
  return outcome;
}

}  // namespace

std::string RingOptions::rung() const {
  if (!exponential) return hard_order || (max_of_sets && !covered) ? "B" : "A";
  return hard_order ? "Eh" : "E";
}

void RingOptions::take_rung(std::string_view name) {
  exponential = name[0] == 'E';
  hard_order = name == "B" || name.back() == 'h';
}

RingSize choose_size(const Pair& pair, const RingOptions& options, double factors) {
  constexpr size_t kFewLanes = 4;  // of small primes; two of large ones take the time of eight
  const auto with = [&](sim::PrimeSize primes) {
    RingOptions sized = options;
    sized.primes = primes;
    const BoundTerms terms = bound_terms(pair, sized, factors);
    const size_t lanes = choose_lanes(terms, options.lanes);
    return RingSize{lanes, primes, log2_error(terms, lanes)};
  };
  const RingSize small = with(sim::PrimeSize::small);
  if (!options.exponential || (small.lanes <= kFewLanes && small.log2_error <= options.lanes.target)) return small;
  const RingSize large = with(sim::PrimeSize::large);
  if (large.log2_error <= options.lanes.worst) return large;
  if (small.log2_error <= options.lanes.worst) return small;
  return RingSize{options.lanes.least, sim::PrimeSize::small, small.log2_error};  // it may still tell them apart
}

/// How many factors logarithms have is known after a run only: where they raise the error bound too much, the run is
/// repeated in a larger ring.
RingOutcome compare_in_ring(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted) {
  RingSize size = choose_size(pair, options);
  RingOutcome outcome = compare_on(pair, options, wanted, size);
  if (outcome.factors <= 1) return outcome;
  const RingSize larger = choose_size(pair, options, outcome.factors);
  if ((larger.lanes != size.lanes || larger.primes != size.primes) && outcome.speaks()) {
    size = larger;
    outcome = compare_on(pair, options, wanted, size);
  }
  RingOptions sized = options;
  sized.primes = size.primes;
  outcome.log2_error = log2_error(bound_terms(pair, sized, std::max(1.0, outcome.factors)), outcome.lanes);
  if (options.hard_order) outcome.log2_error = std::min(0.0, log2_sum(outcome.log2_error, -outcome.decisions));
  return outcome;
}

}  // namespace isoshard::verify

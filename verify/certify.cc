#include "verify/certify.h"

#include <algorithm>
#include <map>

#include "core/support/result.h"
#include "sim/conversion.h"
#include "sim/domains/bounded_masks.h"
#include "sim/new_value.h"
#include "sim/perturbation.h"
#include "verify/exp_depth.h"
#include "verify/float_stage.h"
#include "verify/random.h"
#include "verify/sensitivity_sites.h"

namespace isoshard::verify {
namespace {

constexpr uint64_t kMostPerturbed = 8;  // of a value that are perturbed, one after another; fewer where many values are
constexpr uint64_t kRuns = 256;
constexpr double kWork = 8e6;            // elements that all these runs compute, unless one per value needs more
constexpr size_t kSensitivityLanes = 2;  // in which a change shows
constexpr double kFloatScales[] = {1, 0x1p-8};

/// The outputs of both sides in every step.
using Outputs = std::vector<PairResult>;

/// One element of a value of one side, or of a global (then both sides change).
struct Poke {
  const Site* sharded = nullptr;
  const Site* reference = nullptr;
  std::optional<GlobalId> global{};
  uint64_t seed = 0;
};

/// Runs both programs on one draw in one domain, plainly and perturbed.
class Bench {
 public:
  Bench(const Pair& pair, const sim::Domain& domain, DrawGlobal draw, int workers, std::function<sim::Value()> delta)
      : pair_(pair), domain_(domain), draw_(std::move(draw)), workers_(workers), delta_(std::move(delta)) {
    base_ = run({});
  }

  const std::optional<Outputs>& base() const { return base_; }

  /// Nothing where a program fails: what was added then moved something.
  std::optional<Outputs> run(const Poke& poke) const {
    const RandomStream random(poke.seed);
    const uint32_t at = 1 + static_cast<uint32_t>(random.word(0) % static_cast<uint64_t>(pair_.steps));
    const sim::Value delta = poke.sharded || poke.reference || poke.global ? delta_() : sim::Value{};
    PairRun run(pair_, domain_, poked(poke, at, delta), workers_);
    const auto sharded = place(poke.sharded, pair_.sharded.plan, random.part("sharded"), delta);
    const auto reference = place(poke.reference, pair_.reference.plan, random.part("reference"), delta);
    Outputs result;
    for (uint32_t step = 1; step <= pair_.steps; ++step) {
      PairPerturbations both;
      if (sharded && step == at) both.sharded = &*sharded;
      if (reference && step == at) both.reference = &*reference;
      if (!run.next({}, both)) return std::nullopt;
      result.push_back(run.result());
    }
    return result;
  }

 private:
  DrawGlobal poked(const Poke& poke, uint32_t at, const sim::Value& delta) const {
    if (!poke.global) return draw_;
    return [this, poke, at, delta](const Global& global, uint32_t step) {
      const sim::Value value = draw_(global, step);
      const Global& chosen = pair_.module->global(*poke.global);
      const uint32_t due = global.role == Role::input ? at : 1;
      if (&global != &chosen || step != due) return value;
      sim::Value typed = delta;
      typed.type.dtype = value.type.dtype;
      const uint64_t element = RandomStream(poke.seed).word(1) % static_cast<uint64_t>(value.size());
      return sim::perturbed(value, static_cast<int64_t>(element), typed, domain_);
    };
  }

  static std::optional<sim::Perturbation> place(const Site* site, const Plan& plan, const RandomStream& random,
                                                const sim::Value& delta) {
    if (site == nullptr) return std::nullopt;
    const auto draw = [&](uint64_t word, int64_t count) {
      return static_cast<int64_t>(random.word(word) % static_cast<uint64_t>(count));
    };
    sim::Perturbation p;
    p.instruction = site->instruction;
    p.position = site->positions.empty() ? draw(0, plan.mesh->device_count())
                                         : site->positions[static_cast<size_t>(draw(0, std::ssize(site->positions)))];
    for (size_t i = 0; i < site->counts.size(); ++i) p.loops.push_back(draw(2 + i, site->counts[i]));
    p.element = draw(1, element_count(site->type.shape));
    p.delta = delta;
    p.delta.type.dtype = site->type.dtype;
    return p;
  }

  const Pair& pair_;
  const sim::Domain& domain_;
  DrawGlobal draw_;
  int workers_;
  std::function<sim::Value()> delta_;
  std::optional<Outputs> base_;
};

class SensitivityTest {
 public:
  SensitivityTest(const Pair& pair, const RingOptions& options, const RingOutcome& outcome,
                  const std::vector<bool>& wanted, Certificate& certificate)
      : pair_(pair), options_(options), outcome_(outcome), wanted_(wanted), certificate_(certificate) {
    domain_ = make_ring(options, std::min(outcome.lanes, kSensitivityLanes), outcome.last_draw);
    ring_ = dynamic_cast<const sim::ExactRing*>(domain_.get());
    random_element_ = [this] {
      sim::NewValue x(TensorType{DType::f32, {}}, domain_->storage(DType::f32));
      const RandomStream words = RandomStream(options_.seed).part("perturbation").part(++perturbations_);
      ring_->random(
          1, [&](size_t lane, uint64_t i) { return words.part(lane).word(i); }, x.data.get());
      return std::move(x).finish();
    };
    in_ring_ = std::make_unique<Bench>(pair, *domain_, ring_draw(options, *domain_, outcome.last_draw), options.workers,
                                       random_element_);
  }

  void run() {
    if (!in_ring_->base()) return;
    const bool logistic = options_.logistic_by_exp;
    const auto sharded = sensitivity_sites(pair_.sharded.plan, wanted_, pair_.steps, logistic);
    const auto reference = sensitivity_sites(pair_.reference.plan, wanted_in_reference(), pair_.steps, logistic);
    const std::vector<GlobalId> drawn = globals();
    const size_t runs = drawn.size() + std::max(sharded.size(), reference.size());
    const double affordable = std::min<double>(kRuns, kWork / elements_of_a_run());
    elements_ = std::clamp<uint64_t>(static_cast<uint64_t>(affordable) / std::max<size_t>(runs, 1), 1, kMostPerturbed);
    for (const GlobalId global : drawn) test_global(global);
    test_sites(sharded, reference);
  }

 private:
  std::vector<bool> wanted_in_reference() const {
    std::vector<bool> result(wanted_.size(), false);
    for (size_t o = 0; o < wanted_.size(); ++o) result[pair_.reference_output[o]] = wanted_[o];
    return result;
  }

  /// Elements of values that one run of both programs computes.
  double elements_of_a_run() const {
    double elements = 1;
    for (const Plan* plan : {&pair_.sharded.plan, &pair_.reference.plan}) {
      for (const RankGroup& group : plan->groups) {
        const auto devices =
            group.positions.empty() ? static_cast<size_t>(plan->mesh->device_count()) : group.positions.size();
        elements += static_cast<double>(devices) * elements_of(*plan, group.blocks);
      }
    }
    return elements * static_cast<double>(pair_.steps);
  }

  static double elements_of(const Plan& plan, const std::vector<Block>& blocks) {
    double elements = 0;
    for (const Block& block : blocks) {
      if (block.repeat) elements += static_cast<double>(block.repeat->count) * elements_of(plan, block.repeat->body);
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          for (const PlanValueId value : plan.instruction(id).results) {
            elements += static_cast<double>(element_count(plan.value(value).type.shape));
          }
        }
      }
    }
    return elements;
  }

  uint64_t elements_of(int64_t size) const { return std::min(elements_, static_cast<uint64_t>(size)); }

  static void mark_loaded(const Plan& plan, const std::vector<bool>& cone, std::vector<bool>& loaded) {
    for (size_t i = 0; i < cone.size(); ++i) {
      const LoadBlock* load = cone[i] ? std::get_if<LoadBlock>(&plan.instructions[i].data) : nullptr;
      if (load != nullptr) loaded[load->global.index()] = true;
    }
  }

  std::vector<GlobalId> globals() const {
    std::vector<bool> loaded(pair_.used.size(), false);
    mark_loaded(pair_.sharded.plan, wanted_cone(pair_.sharded.plan, wanted_, pair_.steps), loaded);
    mark_loaded(pair_.reference.plan, wanted_cone(pair_.reference.plan, wanted_in_reference(), pair_.steps), loaded);
    std::vector<GlobalId> result;
    for (size_t g = 0; g < loaded.size(); ++g) {
      const Global& global = pair_.module->globals[g];
      const bool mapped = std::any_of(pair_.maps.begin(), pair_.maps.end(),
                                      [&](const MappedGlobal& map) { return map.global.index() == g; });
      const bool drawn = is_float(global.type.dtype) && !exact_value(global) && element_count(global.type.shape) > 0;
      if (loaded[g] && drawn && !mapped) result.push_back(GlobalId(g));
    }
    return result;
  }

  void test_global(GlobalId id) {
    const Global& global = pair_.module->global(id);
    ++certificate_.perturbed;
    bool moved = false;
    for (uint64_t e = 0; e < elements_of(element_count(global.type.shape)); ++e) {
      const Poke poke{nullptr, nullptr, id, mix(options_.seed + mix(64 * id.index() + e))};
      const std::optional<Outputs> now = in_ring_->run(poke);
      if (!now) return;
      for (const bool of_reference : {false, true}) {
        if (moves(*now, of_reference)) {
          moved = true;
        } else if (moves_in_floats(poke, of_reference) && !moves_elsewhere(poke, of_reference)) {
          return blind("@" + global.name, global.location);
        }
      }
    }
    if (!moved) silent("@" + global.name, global.location);
  }

  /// The k-th sites of both sides share a run.
  void test_sites(const std::vector<Site>& sharded, const std::vector<Site>& reference) {
    certificate_.perturbed += sharded.size() + reference.size();
    for (size_t k = 0; k < std::max(sharded.size(), reference.size()) && certificate_.reason.empty(); ++k) {
      test_both(k < sharded.size() ? &sharded[k] : nullptr, k < reference.size() ? &reference[k] : nullptr, k);
    }
  }

  void test_both(const Site* sharded, const Site* reference, size_t k) {
    const Site* sites[] = {sharded, reference};
    bool moved[] = {sharded == nullptr, reference == nullptr};
    int64_t elements = 0;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (sites[side] == nullptr) continue;
      const Plan& plan = side == 1 ? pair_.reference.plan : pair_.sharded.plan;
      elements = std::max(elements, element_count(sites[side]->type.shape) * plan.mesh->device_count());
    }
    for (uint64_t e = 0; e < elements_of(elements); ++e) {
      const Poke poke{sharded, reference, {}, mix(options_.seed + mix(1 + 64 * k + e))};
      const std::optional<Outputs> now = in_ring_->run(poke);
      if (!now) return;
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (sites[side] == nullptr) continue;
        const bool of_reference = side == 1;
        if (moves(*now, of_reference)) {
          moved[side] = true;
          continue;
        }
        const Poke alone{of_reference ? nullptr : sharded, of_reference ? reference : nullptr, {}, poke.seed};
        if (!moves_in_floats(alone, of_reference)) continue;
        if (!moves_elsewhere(alone, of_reference)) return blind("%" + sites[side]->name, sites[side]->location);
        moved[side] = true;
      }
    }
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (!moved[side]) silent("%" + sites[side]->name, sites[side]->location);
    }
  }

  /// With a hard order, data may mask an element in the ring that it does not mask in f64: whether the perturbation
  /// moves an output on other inputs.
  bool moves_elsewhere(const Poke& poke, bool of_reference) {
    constexpr uint64_t kInputs = 16;
    if (!options_.hard_order) return false;
    for (uint64_t i = 1; i <= kInputs; ++i) {
      Draw draw = outcome_.last_draw;
      draw.seed = mix(draw.seed + i);
      const Bench bench(pair_, *domain_, ring_draw(options_, *domain_, draw), options_.workers, random_element_);
      const std::optional<Outputs> now = bench.run(poke);
      if (bench.base() && (!now || moves(*bench.base(), *now, of_reference))) return true;
    }
    return false;
  }

  bool moves(const Outputs& now, bool of_reference) const { return moves(*in_ring_->base(), now, of_reference); }

  /// Whether a wanted output of one side is another one than without the perturbation.
  bool moves(const Outputs& base, const Outputs& now, bool of_reference) const {
    return any_block(base, now, of_reference, [&](sim::Value a, sim::Value b) {
      sim::Value* const both[] = {&a, &b};
      if (is_float(a.type.dtype)) ring_->make_comparable(both);
      return !sim::same_bits(a, b);
    });
  }

  /// Both programs on the same f64 inputs for all perturbations.
  struct FloatBench {
    std::unique_ptr<sim::BoundedDomain> owner;
    const sim::BoundedDomain& domain;
    Bench bench;
    uint64_t base_ties;

    FloatBench(const SensitivityTest& test, double scale)
        : owner(test.outcome_.masks.empty() ? std::make_unique<sim::BoundedDomain>()
                                            : std::make_unique<sim::MaskedBoundedDomain>()),
          domain(*owner),
          bench(test.pair_, domain, test.float_draw(domain, scale), test.options_.workers,
                [this, scale] {
                  return sim::from_doubles(TensorType{DType::f64, {}}, std::vector<double>{0.37 * scale}, domain);
                }),
          base_ties(domain.ties()) {}
    FloatBench(const FloatBench&) = delete;
    FloatBench& operator=(const FloatBench&) = delete;
  };

  DrawGlobal float_draw(const sim::BoundedDomain& domain, double scale) const {
    return [this, &domain, scale](const Global& global, uint32_t step) {
      Draw draw{options_.seed, outcome_.last_draw.index, {}, step};
      draw.indices = pair_.indices;
      return draw_float(global, domain, draw, scale);
    };
  }

  bool moves_in_floats(const Poke& poke, bool of_reference) {
    if (in_floats_.empty()) {
      for (const double scale : kFloatScales) in_floats_.push_back(std::make_unique<FloatBench>(*this, scale));
    }
    for (const auto& floats : in_floats_) {
      if (!floats->bench.base() || floats->base_ties > 0) continue;
      const uint64_t before = floats->domain.ties();
      const std::optional<Outputs> now = floats->bench.run(poke);
      if (!now || floats->domain.ties() != before) continue;
      if (any_block(*floats->bench.base(), *now, of_reference, &beyond_rounding)) return true;
    }
    return false;
  }

  template <class Differ>
  bool any_block(const Outputs& base, const Outputs& now, bool of_reference, const Differ& differ) const {
    for (size_t step = 0; step < base.size(); ++step) {
      for (size_t o = 0; o < wanted_.size(); ++o) {
        if (!wanted_[o]) continue;
        const size_t output = of_reference ? pair_.reference_output[o] : o;
        const auto& a = (of_reference ? base[step].reference : base[step].sharded).outputs[output];
        const auto& b = (of_reference ? now[step].reference : now[step].sharded).outputs[output];
        for (size_t i = 0; i < a.size(); ++i) {
          if (differ(a[i].value, b[i].value)) return true;
        }
      }
    }
    return false;
  }

  void blind(const std::string& name, const Location& location) {
    certificate_.reason = "finds the outputs equal, but is blind to " + name +
                          ": adding something to it moves an output in f64 and none in the ring";
    certificate_.location = location;
  }
  void silent(const std::string& name, const Location& location) {
    if (!certificate_.reason.empty()) return;
    const std::string text = location.known() ? name + " (" + location.to_string() + ")" : name;
    if (std::find(certificate_.silent.begin(), certificate_.silent.end(), text) == certificate_.silent.end()) {
      certificate_.silent.push_back(text);
    }
  }

  const Pair& pair_;
  const RingOptions& options_;
  const RingOutcome& outcome_;
  const std::vector<bool>& wanted_;
  Certificate& certificate_;
  uint64_t perturbations_ = 0, elements_ = kMostPerturbed;
  std::unique_ptr<sim::Domain> domain_;
  const sim::ExactRing* ring_ = nullptr;
  std::function<sim::Value()> random_element_;
  std::unique_ptr<Bench> in_ring_;
  std::vector<std::unique_ptr<FloatBench>> in_floats_;  ///< one per scale, made when one is asked for
};

void check_depths(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted,
                  Certificate& certificate) {
  const std::vector<ExpDepth> sharded =
      exp_depths(pair.sharded.plan, pair.steps, options.logistic_by_exp, pair.sharded.opaque);
  const std::vector<ExpDepth> reference =
      exp_depths(pair.reference.plan, pair.steps, options.logistic_by_exp, pair.reference.opaque);
  for (size_t o = 0; o < wanted.size(); ++o) {
    for (const ExpDepth& d : {sharded[o], reference[pair.reference_output[o]]}) {
      if (!wanted[o] || d.depth <= kMostExpDepth || !certificate.reason.empty()) continue;
      certificate.reason = "finds the outputs equal, but cannot certify it: exponentials are nested more than " +
                           std::to_string(kMostExpDepth) + " deep without an opaque function between them, at %" +
                           d.value;
      certificate.too_deep = true;
      certificate.location = d.location;
    }
  }
}

}  // namespace

Certificate certify(const Pair& pair, const RingOptions& options, const RingOutcome& outcome,
                    const std::vector<bool>& wanted) {
  Certificate certificate;
  std::vector<bool> equal = wanted;
  for (size_t o = 0; o < equal.size(); ++o) equal[o] = equal[o] && outcome.outputs[o].equal;
  check_depths(pair, options, equal, certificate);
  if (certificate.reason.empty()) SensitivityTest(pair, options, outcome, equal, certificate).run();
  if (certificate.reason.empty() && outcome.vanished) {
    certificate.reason =
        "finds the outputs equal, but is blind to a product that vanishes in its ring and not in numbers, as (exp(a) - "
        "exp(b)) (exp(c) - exp(d)) (exp(e) - exp(f)) does";
  }
  return certificate;
}

}  // namespace isoshard::verify

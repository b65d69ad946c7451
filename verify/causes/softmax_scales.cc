// Finds the first op that adds terms of different scale, such as a softmax accumulator that was not rescaled to a new
// maximum. A maximum in a softmax cancels: with 0 in its place, or anything else, a right program gives the same. So
// programs are compared with 0 for all such maxima (cancelling_maxima.h), and where they agree so and not as written,
// one maximum after another becomes an opaque function instead: each right sum of exponentials is then multiplied by
// one factor, and the first sum whose terms get different factors is the mistake. Whether two elements have one factor
// is a comparison of cross products, x'y = xy', in two lanes, without a division. Costs one run per maximum, up to 64.
#include "verify/causes/softmax_scales.h"

#include <algorithm>

#include "core/plan/exchanges.h"
#include "core/support/result.h"
#include "sim/domains/tower/tower_domain.h"
#include "verify/answers/words.h"
#include "verify/compare/same_outputs.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/matching/fingerprint.h"

namespace isoshard::verify {
namespace {

constexpr size_t kScaleLanes = 2, kMostMaxima = 64;

/// How a value depends on a maximum.
enum class ShiftPath : uint8_t {
  none,
  shifted,  ///< as a term of arguments of exponentials
  scaled,   ///< through an exponential
};

/// All values of both programs on one input.
struct Look {
  Trace sharded, reference;
  PairResult result;

  Look(const Pair& pair, const Fingerprinter& fingerprinter)
      : sharded(pair.sharded.plan, fingerprinter, kTraceKeepBytes), reference(pair.reference.plan, fingerprinter, 0) {}
};

/// Two looks at the sharded program: with 0 for a maximum, and with something else for it.
class LookComparison {
 public:
  LookComparison(const Plan& plan, const sim::TowerDomain& ring, const Trace& before, const Trace& after)
      : plan_(plan), ring_(ring), before_(before), after_(after) {}

  /// Whether element i of one value and j of the other are multiplied by one factor (or one of them is 0).
  bool one_factor(PlanValueId a, int64_t p, int64_t i, PlanValueId b, int64_t q, int64_t j) const {
    for (size_t l = 0; l < kScaleLanes; ++l) {
      const auto residue = [&](const Trace& trace, PlanValueId id, int64_t at, int64_t k) {
        return ring_.fingerprint(trace.value(id, at), l, k);
      };
      const sim::PrimeField& lane = ring_.field(l);
      const uint64_t left = lane.multiply(residue(after_, a, p, i), residue(before_, b, q, j));
      const uint64_t right = lane.multiply(residue(before_, a, p, i), residue(after_, b, q, j));
      if (left != right) return false;
    }
    return true;
  }

  bool alike(PlanValueId a, int64_t p, PlanValueId b, int64_t q) const {
    for (int64_t k = 0; k < element_count(plan_.value(a).type().shape); ++k) {
      if (!one_factor(a, p, k, b, q, k)) return false;
    }
    return true;
  }

  /// Along `dims`.
  bool alike_along(PlanValueId id, int64_t p, const std::vector<int64_t>& dims) const {
    const Shape& shape = plan_.value(id).type().shape;
    for (int64_t k = 0; k < element_count(shape); ++k) {
      std::vector<int64_t> index = unflatten(k, shape);
      for (const int64_t d : dims) index[static_cast<size_t>(d)] = 0;
      if (!one_factor(id, p, k, id, p, flatten(index, shape))) return false;
    }
    return true;
  }

  bool changes(PlanValueId id) const { return before_.at(id) != after_.at(id); }

 private:
  const Plan& plan_;
  const sim::TowerDomain& ring_;
  const Trace &before_, &after_;
};

/// Walks the sharded program for one maximum that was changed.
class ShiftWalk {
 public:
  ShiftWalk(const Pair& pair, const LookComparison& comparison, PlanValueId maximum)
      : plan_(pair.sharded.plan),
        exchanges_(plan_),
        comparison_(comparison),
        maximum_(maximum),
        paths_(plan_.values.size(), ShiftPath::none) {
    paths_[maximum.index()] = ShiftPath::shifted;
  }

  /// The first op that adds terms with different factors.
  std::optional<InstructionId> run() {
    for (size_t k = 0; k < plan_.instructions.size(); ++k) {
      const Instruction& i = plan_.instructions[k];
      const ShiftPath path = path_of(InstructionId(k));
      for (const PlanValueId id : i.results) {
        if (id != maximum_) paths_[id.index()] = path;
      }
      if (path == ShiftPath::scaled && mixes(i)) return InstructionId(k);
    }
    return std::nullopt;
  }

  /// In words, of the op that run() found.
  std::string why(const Instruction& i, const std::string& maximum) const {
    const std::string first = name(i.operands[0]);
    const std::string another = "another value of " + maximum + " ";
    if (std::holds_alternative<Collective>(i.data())) {
      return another + "multiplies " + first + " by other factors on some devices than on others";
    }
    if (i.operands.size() < 2 || op_of<DotGeneral>(i) != nullptr) {
      return another + "multiplies the terms of the sum by different factors";
    }
    const PlanValueId x = i.operands[0], y = i.operands[1];
    if (!comparison_.changes(x))
      return another + "multiplies " + name(y) + " by a factor and leaves " + name(x) + " as it is";
    if (!comparison_.changes(y))
      return another + "multiplies " + name(x) + " by a factor and leaves " + name(y) + " as it is";
    return another + "multiplies " + name(x) + " and " + name(y) + " by different factors";
  }

 private:
  std::string name(PlanValueId id) const { return plan_.value(id).in_words(); }

  ShiftPath path_of(InstructionId instruction) const {
    const Instruction& i = plan_.instruction(instruction);
    ShiftPath path = ShiftPath::none;
    for (const PlanValueId id : i.operands) path = std::max(path, paths_[id.index()]);
    for (const PlanValueId id : exchanges_.brought_to(instruction)) path = std::max(path, paths_[id.index()]);
    if (path != ShiftPath::none && op_of<Exponential>(i) != nullptr) return ShiftPath::scaled;
    return path != ShiftPath::none && op_of<Log>(i) != nullptr ? ShiftPath::shifted : path;
  }

  bool all_scaled(const Instruction& i) const {
    return std::none_of(i.operands.begin(), i.operands.end(),
                        [&](PlanValueId id) { return paths_[id.index()] == ShiftPath::shifted; });
  }

  bool mixes(const Instruction& i) const {
    if (i.operands.empty() || !all_scaled(i) || !is_float(plan_.value(i.operands[0]).type().dtype)) return false;
    if (const Collective* c = std::get_if<Collective>(&i.data())) {
      if (c->kind != CollectiveKind::all_reduce && c->kind != CollectiveKind::reduce_scatter) return false;
      const Communicator& over = plan_.communicators[c->communicator.index()];
      return any_device([&](int64_t p) {
        return over.includes(p) && !comparison_.alike(i.operands[0], p, i.operands[0], over.leader(*plan_.mesh, p));
      });
    }
    return any_device([&](int64_t p) { return mixes(i, p); });
  }

  bool mixes(const Instruction& i, int64_t p) const {
    if (is_one_of<Add, Subtract>(local_op(i))) return !comparison_.alike(i.operands[0], p, i.operands[1], p);
    if (const Reduce* reduce = op_of<Reduce>(i)) {
      return reduce->op == Reducer::add && !comparison_.alike_along(i.operands[0], p, reduce->dims);
    }
    const DotGeneral* dot = op_of<DotGeneral>(i);
    if (dot == nullptr) return false;
    const bool left = comparison_.changes(i.operands[0]), right = comparison_.changes(i.operands[1]);
    if (left && !right) return !comparison_.alike_along(i.operands[0], p, dot->contract.lhs);
    return right && !left && !comparison_.alike_along(i.operands[1], p, dot->contract.rhs);
  }

  template <class Test>
  bool any_device(const Test& test) const {
    for (int64_t p = 0; p < plan_.mesh->device_count(); ++p) {
      if (test(p)) return true;
    }
    return false;
  }

  const Plan& plan_;
  const Exchanges exchanges_;
  const LookComparison& comparison_;
  PlanValueId maximum_;
  std::vector<ShiftPath> paths_;
};

class Search {
 public:
  Search(const Pair& fixed, const RingOptions& options, const Draw& draw)
      : pair_(fixed),
        options_(options),
        draw_(draw),
        domain_(make_ring(options, kScaleLanes, draw)),
        fingerprinter_(*domain_, kScaleLanes, options.seed, {&fixed.sharded.plan, &fixed.reference.plan}),
        true_(fixed, fingerprinter_),
        before_(fixed, fingerprinter_) {}

  std::optional<Diagnosis> run() {
    const auto* ring = dynamic_cast<const sim::TowerDomain*>(domain_.get());
    Pair plain = pair_;
    plain.sharded.maximum_stand_ins.clear();
    plain.reference.maximum_stand_ins.clear();
    if (ring == nullptr || !look(plain, true_) || !look(pair_, before_) || !before_.sharded.keeps_values()) {
      return std::nullopt;
    }
    size_t tried = 0;
    for (size_t v = 0; v < pair_.sharded.maximum_stand_ins.size() && tried < kMostMaxima; ++v) {
      if (pair_.sharded.maximum_stand_ins[v] != MaximumStandIn::zero) continue;
      ++tried;
      try_maximum(*ring, PlanValueId(v));
    }
    return std::move(found_);
  }

 private:
  bool look(const Pair& pair, Look& into) const {
    PairRun run(pair, *domain_, ring_draw(options_, *domain_, draw_), options_.workers);
    if (!run.next({&into.sharded, &into.reference})) return false;
    into.result = run.result();
    return true;
  }

  void try_maximum(const sim::TowerDomain& ring, PlanValueId maximum) {
    Pair changed = pair_;
    changed.sharded.maximum_stand_ins[maximum.index()] = MaximumStandIn::random;
    for (int64_t p = 0; p < pair_.sharded.plan.mesh->device_count(); ++p) {
      changed.sharded.maxima.push_back(true_.sharded.value(maximum, p));
    }
    Look after(changed, fingerprinter_);
    if (!look(changed, after) || same_outputs(before_.result.sharded, after.result.sharded, *domain_)) return;
    const LookComparison comparison(pair_.sharded.plan, ring, before_.sharded, after.sharded);
    ShiftWalk walk(pair_, comparison, maximum);
    const std::optional<InstructionId> at = walk.run();
    if (!at) return note_shift(maximum);
    if (first_.valid() && !(*at < first_)) return;
    first_ = *at;
    const Instruction& i = pair_.sharded.plan.instruction(*at);
    const std::string its_name = pair_.sharded.plan.value(maximum).in_words(), op = made_in_words(name(i), i.op());
    Diagnosis d;
    d.value = pair_.sharded.name(i.results[0]);
    d.in_words = name(i);
    d.op = i.op();
    d.location = i.location();
    d.role = "which adds terms of different scale";
    d.cause = op + " adds terms relative to different maxima: a factor exp of the difference is missing";
    d.facts.push_back(walk.why(i, its_name) + "; in @" + pair_.reference.plan.program + " the maximum cancels");
    found_ = std::move(d);
  }

  /// A maximum that moves an output without mixing scales, such as one that is not added to a logarithm again.
  void note_shift(PlanValueId maximum) {
    const InstructionId made = definitions(pair_.sharded.plan)[maximum.index()];
    if (found_ || !made.valid()) return;
    const Instruction& maker = pair_.sharded.plan.instruction(made);
    Diagnosis d;
    d.value = pair_.sharded.name(maker.results[0]);
    d.in_words = name(maker);
    d.op = maker.op();
    d.location = maker.location();
    d.role = "a maximum that does not cancel";
    d.cause = "the maximum " + d.in_words + " does not cancel";
    d.facts.push_back("another value of " + d.in_words + " changes an output; in @" + pair_.reference.plan.program +
                      " maxima cancel");
    found_ = std::move(d);
  }

  std::string name(const Instruction& i) const { return pair_.sharded.plan.value(i.results[0]).in_words(); }

  const Pair& pair_;
  const RingOptions& options_;
  const Draw& draw_;
  std::unique_ptr<sim::Domain> domain_;
  Fingerprinter fingerprinter_;
  Look true_;    ///< with the maxima as they are
  Look before_;  ///< with 0 for them
  InstructionId first_;
  std::optional<Diagnosis> found_;
};

}  // namespace

std::optional<Diagnosis> find_mixed_scales(const Pair& fixed, const RingOptions& options, const Draw& draw) {
  return Search(fixed, options, draw).run();
}

}  // namespace isoshard::verify

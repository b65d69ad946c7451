// Places opaque identities between exponentials (docs/spec/opaque.md, "Opaque identities";
// docs/adr/0015-opaque-identities.md). Rung E keeps the laws of exponentials only as deep as its tower is high. A value
// that both programs share may be hashed on both sides; behind it exponentials are counted anew. Wanted are the fewest
// such values without which no path leads from a first exponential to one that is too deep: a minimum vertex cut over
// values with counterparts, since each hash loses the laws across it. Counterparts are looked for in the ring, which is
// blind behind deep exponentials; so each round cuts before the first ones that are too deep, and the next round sees
// behind the cut. Of equal cuts the one nearest to the end is taken. Loops are unrolled. Costs, per round, one run on
// two lanes and a maximum flow of at most 32 units.
#include "verify/abstraction/exponential_cuts.h"

#include <algorithm>
#include <iterator>

#include "core/plan/exchanges.h"
#include "verify/abstraction/counterparts.h"
#include "verify/abstraction/vertex_cut.h"
#include "verify/compare/unrolled.h"
#include "verify/facts/cones.h"
#include "verify/facts/exp_depth.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostRounds = 64, kMostAtOnce = 32;

/// The values that stores to updated globals hand to loads of them in the next step.
void add_steps(const Plan& plan, CutGraph& graph) {
  for (const Instruction& i : plan.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    const GlobalId updated = store == nullptr ? GlobalId() : plan.outputs[store->output].updates;
    if (!updated.valid()) continue;
    for (const Instruction& other : plan.instructions) {
      const LoadBlock* load = std::get_if<LoadBlock>(&other.data());
      if (load == nullptr || load->global != updated) continue;
      graph.next[i.operands[0].index()].push_back(other.results[0].index());
    }
  }
}

/// How values that depend on exponentials depend on each other; those with a counterpart may be cut.
CutGraph graph_of(const Side& side, const ExpNesting& nesting, const std::vector<int>& classes, int64_t steps) {
  const Plan& plan = side.plan;
  CutGraph graph;
  graph.next.resize(plan.values.size());
  const Exchanges exchanges(plan);
  for (size_t k = 0; k < plan.instructions.size(); ++k) {
    const Instruction& i = plan.instructions[k];
    std::vector<PlanValueId> sources = exchanges.brought_to(InstructionId(k));
    sources.insert(sources.end(), i.operands.begin(), i.operands.end());
    for (const PlanValueId from : sources) {
      for (const PlanValueId to : i.results) graph.next[from.index()].push_back(to.index());
    }
  }
  if (steps > 1) add_steps(plan, graph);
  for (std::vector<size_t>& next : graph.next) {
    const auto ends = [&](size_t v) { return !nesting.depends_on_exp(v) || side.is_opaque(PlanValueId(v)); };
    next.erase(std::remove_if(next.begin(), next.end(), ends), next.end());
  }
  for (size_t v = 0; v < plan.values.size(); ++v) {
    graph.removable.push_back(classes[v] >= 0 && nesting.hash_depth(v) <= kCutDepth);
  }
  return graph;
}

/// Marks the values of class `number` that depend on no other one of it.
bool cut_class(Side& side, const std::vector<int>& classes, int number) {
  std::vector<bool> behind(side.plan.values.size(), false);
  bool any = false;
  const Exchanges exchanges(side.plan);
  for (size_t k = 0; k < side.plan.instructions.size(); ++k) {
    const Instruction& i = side.plan.instructions[k];
    const auto is_behind = [&](PlanValueId id) { return behind[id.index()]; };
    const std::vector<PlanValueId> brought = exchanges.brought_to(InstructionId(k));
    const bool after = std::any_of(i.operands.begin(), i.operands.end(), is_behind) ||
                       std::any_of(brought.begin(), brought.end(), is_behind);
    for (const PlanValueId id : i.results) {
      const bool member = classes[id.index()] == number;
      behind[id.index()] = after || member;
      if (!member || after || side.opaque[id.index()]) continue;
      side.opaque[id.index()] = true;
      any = true;
    }
  }
  return any;
}

class Placing {
 public:
  Placing(const RingOptions& options, const Draw& draw, Pair pair, const std::vector<bool>& wanted, int depth)
      : options_(options), draw_(draw), depth_(depth), pair_(std::move(pair)) {
    pair_.sharded.opaque.assign(pair_.sharded.plan.values.size(), false);
    pair_.reference.opaque.assign(pair_.reference.plan.values.size(), false);
    std::vector<bool> of_reference(wanted.size(), false);
    for (size_t o = 0; o < wanted.size(); ++o) of_reference[pair_.reference_output[o]] = wanted[o];
    sharded_cone_ = cone_over_steps(pair_.sharded.plan, wanted, pair_.steps);
    reference_cone_ = cone_over_steps(pair_.reference.plan, of_reference, pair_.steps);
  }

  Cuts run() {
    for (const bool of_reference : {false, true}) {
      for (size_t round = 0; reason_.empty() && round < kMostRounds; ++round) {
        const ExpNesting nesting = nesting_of(of_reference);
        if (wanted(nesting.deep, of_reference).empty()) break;
        if (pair_.steps > 1 && round == 0 && cut_updates(nesting, of_reference)) continue;
        cut_before(wanted(nesting.beyond, of_reference), nesting, of_reference);
      }
    }
    if (reason_.empty() &&
        !(wanted(nesting_of(false).deep, false).empty() && wanted(nesting_of(true).deep, true).empty())) {
      reason_ = "no place for opaque identities was found in " + std::to_string(kMostRounds) + " rounds";
    }
    return Cuts{std::move(pair_), std::move(places_), std::move(reason_)};
  }

 private:
  Side& side(bool of_reference) { return of_reference ? pair_.reference : pair_.sharded; }

  ExpNesting nesting_of(bool of_reference) {
    const Side& s = side(of_reference);
    return exp_nesting(s.plan, pair_.steps, s.opaque, depth_, options_.by_exponentials);
  }

  std::vector<InstructionId> wanted(const std::vector<InstructionId>& all, bool of_reference) const {
    const std::vector<bool>& cone = of_reference ? reference_cone_ : sharded_cone_;
    std::vector<InstructionId> result;
    std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                 [&](InstructionId id) { return cone[id.index()]; });
    return result;
  }

  /// Equal outputs have counterparts: what the next step reads.
  bool cut_updates(const ExpNesting& nesting, bool of_reference) {
    if (of_reference) return false;
    bool any = false;
    for (const bool reference : {false, true}) {
      Side& s = side(reference);
      for (const Instruction& i : s.plan.instructions) {
        const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
        if (store == nullptr || !s.plan.outputs[store->output].updates.valid()) continue;
        const size_t v = i.operands[0].index();
        if (!is_float(s.plan.values[v].type().dtype) || s.opaque[v]) continue;
        if (!reference && !nesting.depends_on_exp(v)) continue;
        any = s.opaque[v] = true;
        if (!reference) places_.push_back("@" + s.plan.outputs[store->output].name);
      }
    }
    return any;
  }

  /// Cuts all paths from the innermost exponentials to the first ones that are nested too deeply.
  void cut_before(const std::vector<InstructionId>& beyond, const ExpNesting& nesting, bool of_reference) {
    const Side& s = side(of_reference);
    const Counterparts same = find_counterparts(pair_, options_, draw_);
    if (same.sharded.empty()) {
      reason_ = "with opaque identities a program does not run to its end";
      return;
    }
    const std::vector<int>& classes = of_reference ? same.reference : same.sharded;
    CutGraph graph = graph_of(s, nesting, of_reference ? has_counterpart(same) : classes, pair_.steps);
    for (const InstructionId id : nesting.first) graph.sources.push_back(s.plan.instruction(id).results[0].index());
    const std::vector<size_t> found = best_cut(std::move(graph), beyond, nesting, of_reference);
    bool any = false;
    for (const size_t v : found) any |= cut(same, classes[v]);
    if (any) return;
    reason_ = "no values with counterparts separate nested exponentials";
    if (beyond.empty()) return;
    const Instruction& i = s.plan.instruction(beyond[0]);
    reason_ += " before " + i.op() + (i.location().known() ? " (" + i.location().to_string() + ")" : "");
  }

  /// The fewest values; of as few, those that all later exponentials and outputs depend on: they do for longest.
  std::vector<size_t> best_cut(CutGraph graph, const std::vector<InstructionId>& beyond, const ExpNesting& nesting,
                               bool of_reference) const {
    const Plan& plan = (of_reference ? pair_.reference : pair_.sharded).plan;
    const auto add = [&](const std::vector<InstructionId>& readers) {
      for (const InstructionId id : readers) {
        for (const PlanValueId v : plan.instruction(id).operands) graph.sinks.push_back(v.index());
      }
    };
    std::vector<size_t> best;
    const auto consider = [&] {
      const std::optional<std::vector<size_t>> found = least_vertex_cut(graph, kMostAtOnce);
      if (found && (best.empty() || found->size() <= best.size())) best = *found;
    };
    add(beyond);
    consider();
    add(wanted(nesting.deep, of_reference));
    consider();
    add(stores(plan, nesting));
    consider();
    return best;
  }

  /// Of values whose exponentials are nested too deeply.
  std::vector<InstructionId> stores(const Plan& plan, const ExpNesting& nesting) const {
    std::vector<InstructionId> result;
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      const Instruction& instruction = plan.instructions[i];
      const bool store = std::holds_alternative<StoreBlock>(instruction.data());
      if (store && nesting.residue[instruction.operands[0].index()] > depth_) result.push_back(InstructionId(i));
    }
    return result;
  }

  /// Classes of the reference that some value of the sharded program belongs to.
  static std::vector<int> has_counterpart(const Counterparts& same) {
    std::vector<int> result = same.reference;
    for (int& c : result) {
      if (std::find(same.sharded.begin(), same.sharded.end(), c) == same.sharded.end()) c = -1;
    }
    return result;
  }

  bool cut(const Counterparts& same, int number) {
    const std::vector<bool> before = pair_.sharded.opaque;
    const bool any = cut_class(pair_.sharded, same.sharded, number);
    cut_class(pair_.reference, same.reference, number);
    for (size_t v = 0; v < before.size(); ++v) {
      if (before[v] != pair_.sharded.opaque[v]) places_.push_back(pair_.sharded.plan.values[v].in_words());
    }
    return any;
  }

  const RingOptions& options_;
  const Draw& draw_;
  int depth_;
  Pair pair_;
  std::vector<bool> sharded_cone_, reference_cone_;
  std::vector<std::string> places_;
  std::string reason_;
};

}  // namespace

Cuts place_cuts(const Pair& pair, const RingOptions& options, const Draw& draw, const std::vector<bool>& wanted,
                int depth) {
  std::optional<Pair> flat = without_loops(pair);
  if (!flat) return Cuts{std::nullopt, {}, "the loops are too long to look for places of opaque identities"};
  return Placing(options, draw, std::move(*flat), wanted, depth).run();
}

}  // namespace isoshard::verify

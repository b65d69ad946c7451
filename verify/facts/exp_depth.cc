// How deeply exponentials are nested in each value, between opaque functions: as high a tower rung E needs. An
// exponential adds one, a logarithm takes one off what it is the logarithm of, an opaque function begins at 0 again,
// since its result is a fresh unit, and whatever compares or hashes a logarithm raises it first, which counts as an
// exponential. A fixpoint over all instructions, because a loop or a step may nest again what it hands on: depths only
// grow, and are cut off one above the highest tower, so that it ends after few rounds. The same walk, once more, notes
// where nesting begins and where it gets too deep, for exponential_cuts.cc. Costs rounds times instructions.
#include "verify/facts/exp_depth.h"

#include <algorithm>

#include "verify/facts/constant_exponent.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

constexpr int kDepthCap = kMostExpDepth + 1;

/// Of one value: of its residue, of what it is the logarithm of (-1: it is none), and the worst in its cone.
struct Depth {
  int plain = 0;
  int log = -1;
  ExpDepth worst{};

  /// Of exp(q x).
  int raised() const { return std::max(plain + 1, log); }
};

/// The worse of both; true when that changes `a`.
bool take_worse(Depth& a, const Depth& b) {
  const bool changes = b.plain > a.plain || b.log > a.log || b.worst.depth > a.worst.depth;
  a.plain = std::max(a.plain, b.plain);
  a.log = std::max(a.log, b.log);
  if (b.worst.depth > a.worst.depth) a.worst = b.worst;
  return changes;
}

/// Opaque functions: whatever their argument, the result is a fresh unit. Sinusoids are asked about before. Powers and
/// remainders may be exact, by a whole exponent or a known quotient, and stay as deep as their operands.
bool is_opaque(const LocalOp& op) {
  return op_facts(op.op).law == RingLaw::opaque && !is_one_of<Power, Remainder>(op.op);
}

bool is_made_of_exponentials(const Plan& plan, const Instruction& i) {
  return is_one_of<Sine, Cosine>(std::get<LocalOp>(i.data()).op) || is_power_of_data(plan, i);
}

bool is_exponential(const LocalOp& op) { return op_facts(op.op).law == RingLaw::exponential; }

/// Ops under which a logarithm stays one.
bool keeps_logarithms(const LocalOp& op) {
  if (const Reduce* reduce = std::get_if<Reduce>(&op.op)) return reduce->op != Reducer::none;
  return !is_one_of<Divide, Abs, Power, Remainder>(op.op);
}

class DepthWalk {
 public:
  DepthWalk(const Plan& plan, const std::vector<bool>& opaque, bool by_exponentials)
      : plan_(plan), opaque_(opaque), by_exponentials_(by_exponentials), values_(plan.values.size()) {
    globals_.resize(plan.globals.size());
    outputs_.resize(plan.outputs.size());
  }

  /// All instructions again and again, until nothing grows: loops and steps included, since depths only grow and are
  /// bounded.
  std::vector<ExpDepth> run(int64_t steps) {
    const std::vector<Renaming> renamed = renamings(plan_);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : plan_.instructions) changed |= visit(i);
      for (const Renaming& r : renamed) changed |= take_worse(values_[r.to.index()], values_[r.from.index()]);
      for (size_t o = 0; steps > 1 && o < outputs_.size(); ++o) {
        const GlobalId updated = plan_.outputs[o].updates;
        if (updated.valid()) changed |= take_worse(globals_[updated.index()], outputs_[o]);
      }
    }
    std::vector<ExpDepth> result;
    for (const Depth& d : outputs_) result.push_back(d.worst);
    return result;
  }

  /// After run().
  ExpNesting nesting(int most) {
    ExpNesting result;
    most_ = most;
    nesting_ = &result;
    for (const Instruction& i : plan_.instructions) visit(i);
    nesting_ = nullptr;
    for (const Depth& d : values_) {
      result.residue.push_back(d.plain);
      result.logarithm.push_back(d.log);
    }
    return result;
  }

 private:
  bool visit(const Instruction& i) {
    if (const StoreBlock* store = std::get_if<StoreBlock>(&i.data())) {
      Depth d = values_[i.operands[0].index()];
      if (d.log >= 0) see(d, d.raised(), i);  // compared by exp(q x)
      return take_worse(outputs_[store->output], d);
    }
    Depth d = result_of(i);
    bool changed = false;
    for (const PlanValueId id : i.results) {
      const DType dtype = plan_.value(id).type().dtype;
      if (is_integer(dtype) || dtype == DType::key) d.plain = 0, d.log = -1;
      Depth kept = d;
      if (!opaque_.empty() && opaque_[id.index()]) {
        hash(kept, i);
        kept.plain = 0;
      }
      changed |= take_worse(values_[id.index()], kept);
    }
    return changed;
  }

  Depth result_of(const Instruction& i) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) return globals_[load->global.index()];
    Depth d;
    for (const PlanValueId id : i.operands) take_worse(d, values_[id.index()]);
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    if (local == nullptr) return d;
    if (is_exponential(*local)) {
      const int depth = d.raised();
      see(d, depth, i);
      d.plain = std::min(depth, kDepthCap);
      d.log = -1;
    } else if (op_facts(local->op).law == RingLaw::logarithm) {
      hash(d, i);
      d.log = d.plain;
      d.plain = 0;
    } else if (by_exponentials_ && is_made_of_exponentials(plan_, i)) {
      hash(d, i);  // of an angle, a base or an exponent that is a logarithm
      see(d, d.plain + 1, i);
      d.plain = std::min(d.plain + 1, kDepthCap);
    } else if (is_opaque(*local)) {
      hash(d, i);
      d.plain = 0;
    } else if (!keeps_logarithms(*local) || compares_floats(plan_, i)) {
      const int log = d.log;
      hash(d, i);
      if (keeps_logarithms(*local)) d.log = log;
    } else if (is_one_of<Multiply, DotGeneral, Select>(local->op) && d.log >= 0) {
      see(d, d.raised(), i);  // opaque where the other factor is no number
    }
    return d;
  }

  /// Any use of a logarithm but sums and multiples hashes exp(q x).
  void hash(Depth& d, const Instruction& i) {
    if (d.log >= 0) see(d, d.raised(), i);
    d.log = -1;
  }

  void see(Depth& d, int depth, const Instruction& i) const {
    if (nesting_ != nullptr) note(d, depth, i);
    depth = std::min(depth, kDepthCap);
    if (depth <= d.worst.depth) return;
    d.worst = ExpDepth{depth, "", {}};
    if (depth <= kMostExpDepth) return;
    d.worst.location = i.location();
    if (!i.results.empty()) d.worst.value = plan_.value(i.results[0]).in_words();
  }

  void note(const Depth& d, int depth, const Instruction& i) const {
    if (depth == 1 && d.plain == 0 && !i.results.empty()) nesting_->first.push_back(i.id);  // a store makes no value
    if (depth <= most_) return;
    nesting_->deep.push_back(i.id);
    if (d.plain <= most_ && d.log <= most_) nesting_->beyond.push_back(i.id);
  }

  const Plan& plan_;
  const std::vector<bool>& opaque_;
  const bool by_exponentials_;
  ExpNesting* nesting_ = nullptr;  ///< being collected
  int most_ = kMostExpDepth;
  std::vector<Depth> values_, globals_, outputs_;
};

}  // namespace

int ExpNesting::hash_depth(size_t value) const {
  return logarithm[value] < 0 ? residue[value] : std::max(residue[value] + 1, logarithm[value]);
}

std::vector<ExpDepth> exp_depths(const Plan& plan, int64_t steps, const std::vector<bool>& opaque,
                                 bool by_exponentials) {
  return DepthWalk(plan, opaque, by_exponentials).run(steps);
}

ExpNesting exp_nesting(const Plan& plan, int64_t steps, const std::vector<bool>& opaque, int most,
                       bool by_exponentials) {
  DepthWalk walk(plan, opaque, by_exponentials);
  walk.run(steps);
  return walk.nesting(most);
}

}  // namespace isoshard::verify

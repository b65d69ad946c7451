// What padding may reach for some input, shown by one run: padding is NaN, which arithmetic hands on whatever it meets,
// and where data decides the run takes all of it: a select by what depends on inputs adds its two sides. A select by a
// place on the mesh or in the block, the right way to leave padding out, stays what it is. Where NaN meets an op that
// does not hand it on, or that picks by data, such as a comparison or a lookup, all may be reached. So an output
// without NaN depends on no padding, for all inputs; an output with one may yet be right. Costs one run of both
// programs in f64. (docs/spec/views.md, "Padding")
#include "verify/causes/padding_reach.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

bool has_nan(const sim::Value& value) {
  if (!is_float(value.type.dtype)) return false;
  const std::span<const double> elements = value.plane<double>(0);
  return std::any_of(elements.begin(), elements.end(), [](double x) { return std::isnan(x); });
}

/// Notes which values hold NaN on some device.
class NanObserver final : public sim::ValueObserver {
 public:
  explicit NanObserver(const Plan& plan) : nan_(plan.values.size()) {}

  void on_value(int64_t, PlanValueId id, const sim::Value& value) override {
    if (has_nan(value)) nan_[id.index()] = true;
  }
  bool among(const PlanValueIds& ids) const {
    return std::any_of(ids.begin(), ids.end(), [&](PlanValueId id) { return nan_[id.index()].load(); });
  }

 private:
  std::vector<std::atomic<bool>> nan_;
};

/// One program in which what data chooses is both.
class BothSides {
 public:
  BothSides(Plan& plan, int64_t steps) : plan_(plan) {
    by_data_ = reached_from(
        plan, [](const Instruction& i) { return std::holds_alternative<LoadBlock>(i.data()); }, {}, {}, steps);
    for (const Instruction& i : plan.instructions) {
      if (!is_one_of<Select>(local_op(i)) || !by_data_[i.operands[0].index()] || !makes_floats(i)) continue;
      plan.instructions.change(i.id, [](NewInstruction& sum) {
        sum.own_data() = LocalOp{Add{}};
        sum.operands = {sum.operands[1], sum.operands[2]};
      });
    }
  }

  /// Whether NaN meets what does not hand it on, or picks by data.
  bool loses(const NanObserver& nan) const {
    return std::any_of(plan_.instructions.begin(), plan_.instructions.end(),
                       [&](const Instruction& i) { return nan.among(i.operands) && !hands_on(i); });
  }

 private:
  bool makes_floats(const Instruction& i) const {
    return std::all_of(i.results.begin(), i.results.end(),
                       [&](PlanValueId id) { return is_float(plan_.value(id).type().dtype); });
  }
  bool picks_by_data(const Instruction& i) const {
    return std::any_of(i.operands.begin(), i.operands.end(),
                       [&](PlanValueId id) { return !is_float(plan_.value(id).type().dtype) && by_data_[id.index()]; });
  }
  bool hands_on(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (local == nullptr) {
      const Collective* collective = std::get_if<Collective>(&i.data());
      return collective == nullptr || collective->kind != CollectiveKind::assert_equal;
    }
    const bool keeps_nan = is_one_of<Maximum, Minimum, Abs, Reduce>(local);
    return makes_floats(i) && !picks_by_data(i) && !is_one_of<Power>(local) &&
           (keeps_nan || !compares_floats(plan_, i));
  }

  const Plan& plan_;
  std::vector<bool> by_data_;
};

bool has_nan(const sim::StoredBlock& block, const TensorType& type) {
  bool found = false;
  if (!is_float(type.dtype)) return false;
  for_each_row(block, type.shape, [&](const BlockRow& row) {
    const double* x = block.value.plane<double>(0).data() + row.in_block;
    found = found || std::any_of(x, x + row.length, [](double e) { return std::isnan(e); });
  });
  return found;
}

bool has_nan(const Plan& plan, const sim::RunResult& result) {
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    for (const sim::StoredBlock& block : result.outputs[o]) {
      if (has_nan(block, plan.outputs[o].type)) return true;
    }
  }
  return false;
}

}  // namespace

DrawGlobal drawn_floats(const Pair& pair, const sim::Domain& domain, uint64_t seed, uint32_t index) {
  Draw draw{seed, index};
  draw.indices = pair.indices;
  return [draw, &domain](const Global& g, uint32_t step) {
    Draw of_step = draw;
    of_step.step = step;
    return draw_float(g, domain, of_step, {});
  };
}

bool padding_may_reach(const Pair& pair, uint64_t seed, const sim::Workers& workers) {
  Pair both = pair;
  const BothSides sharded(both.sharded.plan, pair.steps), reference(both.reference.plan, pair.steps);
  NanObserver of_sharded(both.sharded.plan), of_reference(both.reference.plan);
  const sim::FloatDomain domain(sim::Precision::f64, sim::FloatPadding::nan);
  PairRun run(both, domain, drawn_floats(pair, domain, seed, 0), workers);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!run.next({&of_sharded, &of_reference}) || has_nan(both.sharded.plan, run.result().sharded) ||
        has_nan(both.reference.plan, run.result().reference)) {
      return true;
    }
  }
  return sharded.loses(of_sharded) || reference.loses(of_reference);
}

}  // namespace isoshard::verify

// sin^2 x + cos^2 x - 1 is 0 everywhere, which no rung need know: who divides by it divides by 0. Analytic functions
// are 0 everywhere or on a thin set only, so one input where one is not 0, in f64 with bounds of rounding, tells which.
// At most a few runs of both programs, where there are such conditions.
#include "verify/watches/rare_conditions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "core/support/result.h"
#include "sim/domains/floats/bounded.h"
#include "verify/compare/bounded_element.h"
#include "verify/compare/inputs.h"
#include "verify/compare/steps.h"
#include "verify/facts/cones.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/renamings.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {
namespace {

constexpr uint32_t kRuns = 4;

/// Looks whether conditions of one program hold while it runs.
class ConditionWatch final : public sim::ValueObserver {
 public:
  ConditionWatch(const Plan& plan, const std::vector<RareCondition>& conditions, bool of_reference)
      : conditions_(conditions), failed_(conditions.size(), false) {
    const std::vector<Renaming> renamed = renamings(plan);
    for (size_t c = 0; c < conditions.size(); ++c) {
      if (conditions[c].of_reference != of_reference) continue;
      if (conditions[c].place) {
        placed_[conditions[c].place->value].push_back({c, *conditions[c].place});
        failed_[c] = true;  // until it is seen
        continue;
      }
      failed_[c] = conditions[c].of == ConditionOf::some;
      for (const PlanValueId name : earlier_names(conditions[c].left, renamed)) sides_[name].push_back({c, 0});
      if (!conditions[c].right.valid()) continue;
      for (const PlanValueId name : earlier_names(conditions[c].right, renamed)) sides_[name].push_back({c, 1});
      two_.insert(c);
    }
  }

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override {
    look_at_places(position, id, value);
    const auto sides = sides_.find(id);
    if (sides == sides_.end()) return;
    const std::lock_guard lock(mutex_);
    for (const auto& [condition, side] : sides->second) {
      if (two_.count(condition) == 0) {
        look(condition, value, nullptr);
        continue;
      }
      latest_[{condition, position, side}] = value;
      const auto other = latest_.find({condition, position, 1 - side});
      if (other != latest_.end()) look(condition, value, &other->second);
    }
  }

  const std::vector<bool>& failed() const { return failed_; }

 private:
  void look_at_places(int64_t position, PlanValueId id, const sim::Value& value) {
    const auto placed = placed_.find(id);
    if (placed == placed_.end()) return;
    const std::lock_guard lock(mutex_);
    const size_t time = times_[{position, id}]++;
    for (const auto& [condition, place] : placed->second) {
      if (place.position != position || place.time != time) continue;
      const Bounded x = bounded_element(value, place.index);
      failed_[condition] = !(std::abs(x.value) > x.error);
    }
  }

  void look(size_t condition, const sim::Value& x, const sim::Value* y) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const Bounded a = bounded_element(x, i), b = y == nullptr ? Bounded{} : bounded_element(*y, i);
      const double error = a.error + b.error;
      const bool holds = std::abs(a.value - b.value) > error;
      const ConditionOf of = conditions_[condition].of;
      const bool padding = of == ConditionOf::padded && y == nullptr && a.value == 0 && error == 0;
      if (of == ConditionOf::some && holds) failed_[condition] = false;
      if (of != ConditionOf::some && !holds && !padding) failed_[condition] = true;
    }
  }

  std::map<PlanValueId, std::vector<std::pair<size_t, int>>> sides_;
  std::map<PlanValueId, std::vector<std::pair<size_t, ElementPlace>>> placed_;
  std::map<std::pair<int64_t, PlanValueId>, size_t> times_;
  std::set<size_t> two_;  ///< with two values
  std::mutex mutex_;
  std::map<std::tuple<size_t, int64_t, int>, sim::Value> latest_;
  const std::vector<RareCondition>& conditions_;
  std::vector<bool> failed_;
};

/// `%a`, or the number that a constant is.
std::string number_or_name(const Side& side, PlanValueId id) {
  for (const Instruction& i : side.plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
    if (constant != nullptr && i.results[0] == id) return constant->value.to_string();
  }
  return side.name(id);
}

void add_ties(const Pair& pair, bool of_reference, const std::vector<bool>& cone, std::vector<RareCondition>& ties) {
  const Side& side = of_reference ? pair.reference : pair.sharded;
  const std::vector<bool> pieces = made_of_pieces(side.plan, pair.steps);
  for (size_t i = 0; i < cone.size(); ++i) {
    const Instruction& instruction = side.plan.instructions[i];
    if (!cone[i] || !tells_ties(instruction) || !compares_floats(side.plan, instruction)) continue;
    RareCondition tie{of_reference, instruction.operands[0]};
    std::string right = "0";
    if (instruction.operands.size() > 1) {
      tie.right = instruction.operands[1];
      right = number_or_name(side, tie.right);
    }
    for (const PlanValueId id : instruction.operands) tie.wide = tie.wide || pieces[id.index()];
    tie.words = side.name(tie.left) + " != " + right + " (" + instruction.op() + " at " +
                instruction.location().to_string() + ")";
    if (std::find(ties.begin(), ties.end(), tie) == ties.end()) ties.push_back(std::move(tie));
  }
}

}  // namespace

std::vector<RareCondition> ties_of(const Pair& pair, size_t output) {
  std::vector<RareCondition> ties;
  const auto cone = [&](const Plan& plan, size_t o) {
    return cone_over_steps(plan, static_cast<uint32_t>(o), pair.steps);
  };
  add_ties(pair, false, cone(pair.sharded.plan, output), ties);
  const size_t r = pair.reference_output[output];
  add_ties(pair, true, cone(pair.reference.plan, r), ties);
  return ties;
}

std::vector<bool> hold_somewhere(const Pair& pair, const std::vector<RareCondition>& conditions, uint64_t seed) {
  std::vector<bool> held(conditions.size(), false);
  const auto all = [&] { return std::all_of(held.begin(), held.end(), [](bool h) { return h; }); };
  for (uint32_t run = 0; run < kRuns && !all(); ++run) {
    const sim::BoundedDomain domain;
    const auto draw = [&](const Global& g, uint32_t step) {
      Draw at{seed, run, {}, step};
      at.indices = pair.indices;
      return draw_float(g, domain, at, {run % 2 == 0 ? FloatKind::bell : FloatKind::magnitude});
    };
    PairRun both(pair, domain, draw, 1);
    ConditionWatch sharded(pair.sharded.plan, conditions, false), reference(pair.reference.plan, conditions, true);
    bool ran = true;
    for (int64_t step = 1; step <= pair.steps && ran; ++step) ran = both.next({&sharded, &reference}).has_value();
    for (size_t c = 0; c < held.size() && ran; ++c) {
      const ConditionWatch& watch = conditions[c].of_reference ? reference : sharded;
      held[c] = held[c] || !watch.failed()[c];
    }
  }
  return held;
}

}  // namespace isoshard::verify

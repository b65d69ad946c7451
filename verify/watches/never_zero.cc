// Where constants alone mask, as causal attention does, construction says that a denominator is 0 for all inputs or for
// none (pair_facts/settled.h), and one run in f64 says which: zeros of such values are exact, or come of underflow,
// which leaves a condition open, as what overflows does, and what is chosen by it: its bound is infinite. So it says
// whether a maximum under such masks is -inf. Costs the walk over the Plan, and a run or two with bounds where partial
// functions are applied to such values.
#include "verify/watches/never_zero.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/support/result.h"
#include "sim/domains/floats/bounded_masks.h"
#include "verify/compare/bounded_element.h"
#include "verify/compare/inputs.h"
#include "verify/compare/steps.h"
#include "verify/facts/producers.h"
#include "verify/facts/renamings.h"
#include "verify/pair_facts/finite_constants.h"
#include "verify/pair_facts/settled.h"

namespace isoshard::verify {
namespace {

constexpr uint32_t kMostDraws = 2;

/// The maxima that are not to be -inf, of one value.
std::vector<PlanValueId> maxima_of(const Plan& plan, const UseMarks& marks, const PartialArgument& argument) {
  std::vector<PlanValueId> result;
  for (const PartialUse& use : marks.uses()) {
    const bool takes = std::find(use.arguments.begin(), use.arguments.end(), argument) != use.arguments.end();
    if (takes) result.push_back(plan.instruction(use.use).results[0]);
  }
  return result;
}

bool are_settled(const std::vector<PlanValueId>& maxima, const SettledZeros& settled) {
  return std::all_of(maxima.begin(), maxima.end(), [&](PlanValueId id) { return settled.infinite[id.index()]; });
}

/// What is needed of settled values: not to be 0, or to be positive where they are not negative.
std::vector<PartialArgument> settled_arguments(const Plan& plan, const UseMarks& marks) {
  const SettledZeros settled = settled_zeros(plan);
  std::vector<PartialArgument> result;
  for (const PartialUse& use : marks.uses()) {
    for (const PartialArgument& argument : use.arguments) {
      const size_t v = argument.value.index();
      const bool counts =
          argument.needs == Needs::nonzero || (argument.needs == Needs::positive && settled.not_negative[v]);
      const bool largest = argument.needs == Needs::finite;
      if (counts ? settled.zeros[v] : largest && are_settled(maxima_of(plan, marks, argument), settled)) {
        result.push_back(argument);
      }
    }
  }
  return result;
}

/// Looks while a program runs whether some element of arguments is 0, or no number: where they are made, or where they
/// are used, of what a loop leaves. Others are not seen.
class ZeroWatch final : public sim::ValueObserver {
 public:
  ZeroWatch(const Plan& plan, const UseMarks& marks, const std::vector<PartialArgument>& arguments)
      : zero_(arguments.size(), false) {
    const std::vector<InstructionId> made = definitions(plan);
    const std::vector<Renaming> renamed = renamings(plan);
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (arguments[a].needs == Needs::finite) {
        finite_.insert(a);
        for (const PlanValueId id : maxima_of(plan, marks, arguments[a])) made_[id].push_back(a);
        continue;
      }
      const PlanValueId value = arguments[a].value;
      PlanValueId left = made[value.index()].valid() ? value : left_by_loop(value, renamed);
      const bool is_made = left.valid() && made[left.index()].valid();  // what goes through a loop as it is, is not
      if (!is_made || is_stack(plan, value, left)) left = PlanValueId();
      if (left == value) made_[value].push_back(a);
      if (left != value && left.valid()) watch_uses(plan, marks, arguments[a], {a, left});
      zero_[a] = !left.valid();
    }
  }

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override {
    const auto made = made_.find(id);
    const auto used = used_.find(id);
    const bool left = left_.count(id) != 0;
    if (made == made_.end() && used == used_.end() && !left) return;
    const std::lock_guard lock(mutex_);
    if (left) latest_[{position, id}] = value;
    if (made != made_.end()) {
      for (const size_t a : made->second) look(a, value);
    }
    if (used == used_.end()) return;
    for (const Used& use : used->second) {
      const auto latest = latest_.find({position, use.left});
      if (latest != latest_.end()) {
        look(use.argument, latest->second);
      } else {
        zero_[use.argument] = true;  // a loop without rounds leaves what it began with
      }
    }
  }

  const std::vector<bool>& zero() const { return zero_; }

 private:
  struct Used {
    size_t argument;
    PlanValueId left;  ///< by the last round of a loop
  };

  /// What the last round of a loop hands out as `value`; nothing for what rounds hand to each other.
  static PlanValueId left_by_loop(PlanValueId value, const std::vector<Renaming>& renamed) {
    PlanValueId from;
    for (const Renaming& r : renamed) {
      if (r.to != value) continue;
      if (from.valid()) return PlanValueId();
      from = r.from;
    }
    return from;
  }
  /// A stack has a part of every round.
  static bool is_stack(const Plan& plan, PlanValueId value, PlanValueId left) {
    return !(plan.value(value).type() == plan.value(left).type());
  }

  void watch_uses(const Plan& plan, const UseMarks& marks, const PartialArgument& argument, const Used& use) {
    left_.insert(use.left);
    for (const PartialUse& of : marks.uses()) {
      const bool uses = std::find(of.arguments.begin(), of.arguments.end(), argument) != of.arguments.end();
      if (uses) used_[plan.instruction(of.use).results[0]].push_back(use);
    }
  }

  void look(size_t argument, const sim::Value& value) {
    const bool may_be_0 = finite_.count(argument) != 0;
    zero_[argument] = zero_[argument] || any_unknown(value, may_be_0);
  }

  std::map<PlanValueId, std::vector<size_t>> made_;
  std::map<PlanValueId, std::vector<Used>> used_;
  std::set<PlanValueId> left_;
  std::set<size_t> finite_;  ///< arguments that are to be numbers, 0 as well
  std::mutex mutex_;
  std::map<std::pair<int64_t, PlanValueId>, sim::Value> latest_;
  std::vector<bool> zero_;
};

/// Those of `arguments` without a zero in one draw.
std::vector<PartialArgument> without_zero(const Pair& pair, const UseMarks& marks,
                                          const std::vector<PartialArgument>& arguments, uint64_t seed,
                                          uint32_t index) {
  const sim::MaskedBoundedDomain bounded(finite_constants(pair));
  const auto draw = [&](const Global& g, uint32_t step) {
    Draw at{seed, index, {}, step};
    at.indices = pair.indices;
    return draw_float(g, bounded, at, {FloatKind::bell});
  };
  PairRun both(pair, bounded, draw, 1);
  ZeroWatch watch(pair.sharded.plan, marks, arguments);
  if (!both.next({&watch, nullptr})) return {};
  std::vector<PartialArgument> result;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (!watch.zero()[a]) result.push_back(arguments[a]);
  }
  return result;
}

}  // namespace

std::vector<PartialArgument> never_zero(const Pair& pair, const UseMarks& marks, uint64_t seed) {
  if (pair.steps > 1 || !(marks.any_wide() || marks.any_thin())) return {};
  const std::vector<PartialArgument> settled = settled_arguments(pair.sharded.plan, marks);
  std::vector<PartialArgument> shown;
  for (uint32_t draw = 0; draw < kMostDraws && shown.size() < settled.size(); ++draw) {
    std::vector<PartialArgument> now = without_zero(pair, marks, settled, seed, draw);
    if (now.size() > shown.size()) shown = std::move(now);
  }
  return shown;
}

}  // namespace isoshard::verify

// Attention in blocks guards its quotients: `where(l == 0, 1, l)` and `where(isfinite(m), m, 0)` change nothing but
// where a row has no score. Rings know a comparison of floats as some function of both, equal on a thin set only, and
// whether a value is finite as some function of it, so that a program with a guard is not one without.
//
// Here a guard is decided that has one answer for all inputs. Where a value is a number or -inf by its construction
// (pair_facts/settled.h), it is itself; where constants alone say which, is_finite is `!= -inf`, of which rungs of
// exponentials know; but not where no -inf is part of it, since that guards against overflow. Where the elements that
// are 0 are the same for all inputs, a run in f64 in which none is shows that none ever is, since nothing cancels and
// nothing overflows; what is 0 there may be so by underflow. Some devices may have nothing but masks, as those beyond
// the end of a cache: a sum of exponentials is 0 where all exponents are -inf, and is written as that. Cost: the walk
// over both Plans, and up to two runs where something is compared with 0.
#include "verify/abstraction/decided_guards.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/support/result.h"
#include "sim/domains/floats/bounded_masks.h"
#include "sim/domains/masks.h"
#include "verify/abstraction/plan_insertions.h"
#include "verify/abstraction/zeros_of_sums.h"
#include "verify/compare/bounded_element.h"
#include "verify/compare/inputs.h"
#include "verify/compare/steps.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"
#include "verify/pair_facts/finite_constants.h"
#include "verify/pair_facts/infinities.h"
#include "verify/pair_facts/masks.h"
#include "verify/pair_facts/settled.h"

namespace isoshard::verify {
namespace {

constexpr uint32_t kMostGuardRuns = 2;

/// What is asked of one program: instructions whose answer is the same for all inputs.
struct Guards {
  std::set<InstructionId> true_, false_;  ///< whatever the numbers are
  std::set<InstructionId> of_infinity;    ///< is_finite of what is a number or -inf, settled which
  std::map<InstructionId, bool> of_zero;  ///< what they say of a number that is not 0, nor negative

  bool any() const { return !true_.empty() || !false_.empty() || !of_infinity.empty() || !of_zero.empty(); }
};

class GuardSearch {
 public:
  explicit GuardSearch(const Plan& plan) : plan_(plan), made_(definitions(plan)) {}

  Guards run() {
    for (size_t n = 0; n < plan_.instructions.size(); ++n) {
      const Instruction i = plan_.instructions[n];
      if (is_one_of<IsFinite>(local_op(i))) ask_finite(i);
      if (const Compare* compare = op_of<Compare>(i)) ask_compared(i, compare->direction);
    }
    return std::move(guards_);
  }

 private:
  const SettledZeros& settled() {
    if (!settled_) settled_ = settled_zeros(plan_);
    return *settled_;
  }

  /// What data masks with a number such as -1e30: an exponential of that is positive, and 0 on every machine, for some
  /// inputs, of which a run need not show one.
  const std::vector<bool>& masked_by_data() {
    if (!masked_.empty()) return masked_;
    const std::vector<bool> masks = made_of_masks(plan_, 1);
    masked_ = reached_from(plan_, [&](const Instruction& i) {
      const bool selects = op_of<Select>(i) != nullptr;
      if (selects ? settled().zeros[i.operands[0].index()] : op_of<Multiply>(i) == nullptr) return false;
      const auto is_mask = [&](PlanValueId id) { return is_mask_number(id) || (selects && masks[id.index()]); };
      return std::any_of(i.operands.begin(), i.operands.end(), is_mask);
    });
    return masked_;
  }
  bool is_mask_number(PlanValueId id) const {
    const std::optional<Rational> value = number_of(plan_, made_, id);
    return value && value->finite() && value->to_double() <= -static_cast<double>(sim::kLeastMask);
  }

  void ask_finite(const Instruction& i) {
    const size_t x = i.operands[0].index();
    if (infinite_.empty()) infinite_ = made_of_infinity(plan_, 1).infinite;
    if (!infinite_[x]) return;  // it guards against numbers that overflow, which no formula does
    if (settled().finite[x]) {
      guards_.true_.insert(i.id);
    } else if (settled().low[x] && settled().infinite[x]) {
      guards_.of_infinity.insert(i.id);
    }
  }

  void ask_compared(const Instruction& i, Direction direction) {
    const PlanValueId x = i.operands[0], y = i.operands[1];
    if (!is_float(plan_.value(x).type().dtype)) return;
    if (x == y) return ask_itself(i, direction);
    const bool zero = number_of(plan_, made_, y) == std::optional(Rational(0));
    const std::optional<bool> says = zero ? of_more_than_zero(direction) : std::nullopt;
    if (!says || !settled().zeros[x.index()]) return;
    if (masked_by_data()[x.index()]) return;
    const bool alike = direction == Direction::eq || direction == Direction::ne;
    if (alike || settled().not_negative[x.index()]) guards_.of_zero[i.id] = *says;
  }

  void ask_itself(const Instruction& i, Direction direction) {
    if (!settled().low[i.operands[0].index()]) return;
    if (direction == Direction::eq) guards_.true_.insert(i.id);
    if (direction == Direction::ne) guards_.false_.insert(i.id);
  }

  static std::optional<bool> of_more_than_zero(Direction direction) {
    switch (direction) {
      case Direction::ne:
      case Direction::gt:
        return true;
      case Direction::eq:
      case Direction::le:
        return false;
      default:
        return std::nullopt;
    }
  }

  const Plan& plan_;
  const std::vector<InstructionId> made_;
  std::optional<SettledZeros> settled_;  ///< where something asks
  std::vector<bool> infinite_;           ///< per value whether it is made of an infinite constant; empty: nothing asks
  std::vector<bool> masked_;             ///< per value whether it is made of masked_by_data(); empty: nothing asks
  Guards guards_;
};

/// Looks while a program runs whether values are 0 or no numbers anywhere, or may be by what has overflowed.
class WhereZero final : public sim::ValueObserver {
 public:
  void watch(PlanValueId id, InstructionId guard) { guards_[id] = guard; }

  void on_value(int64_t, PlanValueId id, const sim::Value& value) override {
    const auto found = guards_.find(id);
    if (found == guards_.end()) return;
    const std::lock_guard lock(mutex_);
    seen_.insert(found->second);
    if (any_unknown(value, false)) zero_.insert(found->second);
  }

  bool looks_at_devices() const override { return false; }

  bool is_never_zero(InstructionId guard) const { return seen_.count(guard) != 0 && zero_.count(guard) == 0; }

 private:
  std::map<PlanValueId, InstructionId> guards_;
  std::mutex mutex_;
  std::set<InstructionId> seen_, zero_;
};

/// The Plan with what guards compare with 0 as values of their own: a loop hands on others under one name.
Plan with_probes(const Plan& plan, const Guards& guards, WhereZero& watch) {
  PlanInsertions probes(plan);
  for (const auto& [id, says] : guards.of_zero) {
    const PlanValueId x = plan.instruction(id).operands[0];
    const TensorType type = plan.value(x).type();
    probes.begin(id);
    watch.watch(probes.add(Reshape{type.shape}, {x}, type, "probe"), id);
  }
  return std::move(probes).finish();
}

void take_answers(const WhereZero& watch, Guards& guards) {
  for (auto it = guards.of_zero.begin(); it != guards.of_zero.end();) {
    const auto& [id, says] = *it;
    if (!watch.is_never_zero(id)) {
      ++it;
      continue;
    }
    (says ? guards.true_ : guards.false_).insert(id);
    it = guards.of_zero.erase(it);
  }
}

/// Asks a run with bounds where what is compared with 0 is 0.
void ask_run(const Pair& pair, uint64_t seed, uint32_t index, Guards& sharded, Guards& reference) {
  WhereZero in_sharded, in_reference;
  const std::optional<Pair> probed = with_plans(pair, with_probes(pair.sharded.plan, sharded, in_sharded),
                                                with_probes(pair.reference.plan, reference, in_reference));
  const sim::MaskedBoundedDomain bounded(finite_constants(pair));
  const auto draw = [&](const Global& g, uint32_t step) {
    Draw at{seed, index, {}, step};
    at.indices = pair.indices;
    return draw_float(g, bounded, at, {FloatKind::bell});
  };
  PairRun run(*probed, bounded, draw, 1);
  if (!run.next({&in_sharded, &in_reference})) return;
  take_answers(in_sharded, sharded);
  take_answers(in_reference, reference);
}

/// Writes the answers in the place of what asks.
class AnswerWriter {
 public:
  AnswerWriter(const Plan& plan, const Guards& guards)
      : plan_(plan), guards_(guards), insertions_(plan), zeros_(plan, insertions_) {}

  /// Nothing where there are none.
  std::optional<Plan> run() {
    if (!guards_.any()) return std::nullopt;
    for (size_t n = 0; n < plan_.instructions.size(); ++n) {
      const Instruction i = plan_.instructions[n];
      insertions_.begin(i.id);
      if (op_of<Select>(i) != nullptr) choose(i);
      if (guards_.true_.count(i.id) != 0) answer(i, true);
      if (guards_.false_.count(i.id) != 0) answer(i, false);
      if (guards_.of_infinity.count(i.id) != 0) write(i, Compare{Direction::ne}, {i.operands[0], minus_infinity(i)});
      if (guards_.of_zero.count(i.id) != 0) write_zero(i);
    }
    return written_ ? std::optional(std::move(insertions_).finish()) : std::nullopt;
  }

 private:
  const TensorType& type(PlanValueId id) const { return plan_.value(id).type(); }

  void write(const Instruction& i, OpData op, const std::vector<PlanValueId>& operands = {}) {
    written_ = true;
    insertions_.rename_result(i.id, 0);
    insertions_.add_for(LocalOp{std::move(op)}, operands, {i.results[0]});
  }
  void answer(const Instruction& i, bool holds) {
    const TensorType& of = type(i.results[0]);
    write(i, Constant{Rational(holds ? 1 : 0), of.dtype, of.shape});
    answers_[i.results[0]] = holds;
  }
  /// What is chosen, so that nobody reads the other side.
  void choose(const Instruction& i) {
    const auto found = answers_.find(i.operands[0]);
    if (found != answers_.end()) write(i, Reshape{type(i.results[0]).shape}, {i.operands[found->second ? 1 : 2]});
  }
  PlanValueId minus_infinity(const Instruction& i) {
    const TensorType& of = type(i.operands[0]);
    return insertions_.add(Constant{Rational::infinity(true), of.dtype, of.shape}, {}, of, "infinity");
  }
  void write_zero(const Instruction& i) {
    const std::optional<PlanValueId> more = zeros_.more_than_zero(i.operands[0]);
    if (!more) return;
    const TensorType& of = insertions_.plan().value(*more).type();
    const PlanValueId none = insertions_.add(Constant{Rational(0), of.dtype, of.shape}, {}, of, "none");
    write(i, *op_of<Compare>(i), {*more, none});
  }

  const Plan& plan_;
  const Guards& guards_;
  PlanInsertions insertions_;
  ZerosOfSums zeros_;
  std::map<PlanValueId, bool> answers_;
  bool written_ = false;
};

}  // namespace

std::optional<Pair> decide_guards(const Pair& pair, uint64_t seed) {
  if (pair.steps > 1) return std::nullopt;
  Guards sharded = GuardSearch(pair.sharded.plan).run(), reference = GuardSearch(pair.reference.plan).run();
  for (uint32_t run = 0; run < kMostGuardRuns && !(sharded.of_zero.empty() && reference.of_zero.empty()); ++run) {
    ask_run(pair, seed, run, sharded, reference);
  }
  return with_plans(pair, AnswerWriter(pair.sharded.plan, sharded).run(),
                    AnswerWriter(pair.reference.plan, reference).run());
}

}  // namespace isoshard::verify

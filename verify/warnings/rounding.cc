// The verdict is about formulas. (x + y) - y is x, so that a choice by whether they are equal always takes one side; in
// floats rounding takes it, element by element, and outputs differ as much as the sides do. So programs that compare
// floats, or make whole numbers of them, are run in their own dtypes on a few ordinary inputs. Where an output of one
// is far from that of the other, the first op whose operands are the same but for rounding, or whole but for it, is
// told. Nothing is told of outputs that are far apart without such an op: sums that cancel have a bound of their own.
// Three inputs, since rounding may agree by chance. Cost: six runs in floats at the most, none for other programs.
#include "verify/warnings/rounding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/draw.h"
#include "verify/facts/is_one_of.h"
#include "verify/warnings/own_run.h"

namespace isoshard::verify {
namespace {

constexpr uint64_t kInputs = 3;
/// Of the largest element of an output: more than rounding makes of it in any dtype.
constexpr double kFar = 0.05;
/// Elements of an operand that is looked at.
constexpr int64_t kMostLooked = int64_t{1} << 20;

/// How far apart numbers are, relative to their size, that may be the same but for rounding.
double closeness(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x1p-46;
    case DType::f32:
      return 0x1p-17;
    case DType::f16:
      return 0x1p-8;
    default:
      return 0x1p-5;
  }
}

/// Which operands of an op are made a decision of, as a jump: both sides of a comparison, or what is made whole.
size_t jumping_operands(const Plan& plan, const Instruction& i) {
  const LocalOp* local = local_op(i);
  if (local == nullptr || i.operands.empty() || !is_float(plan.value(i.operands[0]).type().dtype)) return 0;
  if (is_one_of<Compare>(local)) return 2;
  if (const Convert* convert = std::get_if<Convert>(&local->op)) return is_integer(convert->dtype) ? 1 : 0;
  return is_one_of<Floor, Ceil, RoundNearestEven, RoundNearestAfz>(local) ? 1 : 0;
}

bool has_jumps(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                     [&](const Instruction& i) { return jumping_operands(plan, i) > 0; });
}

/// Notes which jumps are made of numbers that rounding may have put on either side.
class JumpWatch final : public sim::ValueObserver {
 public:
  JumpWatch(const Plan& plan, const sim::Domain& domain)
      : plan_(plan), domain_(domain), reads_(plan.values.size()), made_by_(plan.values.size()) {
    for (const Instruction& i : plan.instructions) {
      const size_t operands = jumping_operands(plan, i);
      for (size_t n = 0; n < operands; ++n) reads_[i.operands[n].index()] = true;
      if (operands > 0) made_by_[i.results[0].index()] = i.id;
    }
  }

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override {
    const InstructionId made = made_by_[id.index()];
    if ((!reads_[id.index()] && !made.valid()) || value.size() > kMostLooked) return;
    const std::lock_guard lock(mutex_);
    if (reads_[id.index()]) held_[{position, id.index()}] = value;
    if (made.valid() && is_close(position, plan_.instruction(made))) close_.push_back(made);
  }

  /// In the order of the Plan; after the run.
  std::optional<InstructionId> first() const {
    const auto least = std::min_element(close_.begin(), close_.end());
    return least == close_.end() ? std::nullopt : std::optional(*least);
  }

 private:
  bool is_close(int64_t position, const Instruction& i) const {
    std::vector<Tensor> operands;
    for (size_t n = 0; n < jumping_operands(plan_, i); ++n) {
      const auto held = held_.find({position, i.operands[n].index()});
      if (held == held_.end()) return false;  // of a loop, under another name
      operands.push_back(sim::to_tensor(held->second, domain_));
    }
    const double close = closeness(operands[0].dtype());
    for (int64_t e = 0; e < operands[0].size(); ++e) {
      const auto at = static_cast<size_t>(e);
      const double x = sim::number_at(operands[0], at);
      const double y = operands.size() > 1 ? sim::number_at(operands[1], at) : nearest_jump(i, x);
      const double size = std::max({std::abs(x), std::abs(y), operands.size() > 1 ? 0.0 : 1.0});
      if (x != y && std::abs(x - y) <= close * size) return true;
    }
    return false;
  }

  /// Roundings to the nearest jump between whole numbers.
  static double nearest_jump(const Instruction& i, double x) {
    if (is_one_of<RoundNearestEven, RoundNearestAfz>(local_op(i))) return std::floor(x) + 0.5;
    return std::nearbyint(x);
  }

  const Plan& plan_;
  const sim::Domain& domain_;
  std::vector<bool> reads_;             ///< per value: whether a jump reads it
  std::vector<InstructionId> made_by_;  ///< per value: the jump that makes it, or invalid
  std::mutex mutex_;
  std::map<std::pair<int64_t, size_t>, sim::Value> held_;  ///< by position and value
  std::vector<InstructionId> close_;
};

/// One side on one input.
struct OwnRun {
  std::vector<Tensor> outputs{};
  std::optional<InstructionId> close{};
};

std::optional<OwnRun> run_own(const Plan& plan, const std::vector<sim::Value>& globals, const sim::Workers& workers) {
  JumpWatch watch(plan, sim::float_domain());
  std::optional<std::vector<Tensor>> outputs = run_in_own_dtypes(plan, globals, watch, workers);
  return outputs ? std::optional(OwnRun{std::move(*outputs), watch.first()}) : std::nullopt;
}

/// The largest difference of two outputs, of the largest element of the second one; of integers 1 where they differ.
double far_apart(const Tensor& a, const Tensor& b) {
  double most = 0, largest = 0;
  for (int64_t e = 0; e < b.size(); ++e) {
    const double x = sim::number_at(a, static_cast<size_t>(e)), y = sim::number_at(b, static_cast<size_t>(e));
    if (!std::isfinite(x) || !std::isfinite(y)) continue;  // overflow is told by another warning
    most = std::max(most, std::abs(x - y));
    largest = std::max({largest, std::abs(x), std::abs(y)});
  }
  if (most == 0) return 0;
  return is_float(b.dtype()) ? most / largest : 1;
}

Diagnostic rounding_warning(const Side& side, InstructionId at, const std::string& output) {
  const Instruction& jump = side.plan.instruction(at);
  const bool compares = jump.operands.size() > 1;
  const std::string what = compares ? side.in_words(jump.operands[0]) + " and " + side.in_words(jump.operands[1]) +
                                          " are the same but for rounding"
                                    : side.in_words(jump.operands[0]) + " is where it jumps but for rounding";
  return {Severity::warning,
          "W-rounding",
          jump.location(),
          "rounding decides: " + what + ", so that @" + output +
              " is another one on both sides for ordinary inputs, though the formulas are equal; decide by what is "
              "exact, or allow for rounding",
          {}};
}

}  // namespace

std::vector<Diagnostic> rounding_warnings(const Pair& pair, uint64_t seed, const sim::Workers& workers) {
  const Plan &left = pair.sharded.plan, &right = pair.reference.plan;
  if (!pair.maps.empty() || (!has_jumps(left) && !has_jumps(right))) return {};
  workers.begin_part("rounding");
  for (uint64_t input = 0; input < kInputs; ++input) {
    std::vector<sim::Value> globals;
    for (const Global& global : pair.module->globals) {
      globals.push_back(sim::from_tensor(sim::draw_global(global, seed + input), sim::float_domain()));
    }
    const std::optional<OwnRun> one = run_own(left, globals, workers);
    const std::optional<OwnRun> two = one ? run_own(right, globals, workers) : std::nullopt;
    if (!two) return {};
    if (!one->close && !two->close) continue;
    for (size_t o = 0; o < left.outputs.size(); ++o) {
      if (far_apart(one->outputs[o], two->outputs[pair.reference_output[o]]) <= kFar) continue;
      return {rounding_warning(one->close ? pair.sharded : pair.reference, one->close ? *one->close : *two->close,
                               left.outputs[o].name)};
    }
  }
  return {};
}

}  // namespace isoshard::verify

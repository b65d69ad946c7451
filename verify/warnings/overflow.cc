// Equal formulas may differ in range: a softmax that subtracts the maximum first is finite for all scores, one that
// does not overflows for scores beyond 88 in f32. The verdict is about formulas, so both programs are run in their own
// dtypes, on inputs and params that are 256 and then 1024 times as large as usual. A side that gives infinities or nan
// both times, where the other side's outputs are finite, is told, at the first op that makes them of finite operands,
// else at the first exponential that does (in loops operands are those of all turns). Two sizes, as sides that differ
// by their order of rounding only may part at the very edge of a format, but not twice. Only programs with an
// exponential, or with a constant so large or small that products with it leave f32, are run: what needs inputs beyond
// 1024 times the usual, x^8 of 1e5, is not found. Cost: four runs in floats at the most, none for other programs.
#include "verify/warnings/overflow.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/draw.h"
#include "verify/warnings/own_run.h"

namespace isoshard::verify {
namespace {

constexpr double kLargeConstant = 1e15;

bool makes_exponential(const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data());
  return local != nullptr &&
         (std::holds_alternative<Exponential>(local->op) || std::holds_alternative<ExponentialMinusOne>(local->op));
}

/// A constant that is so large, or so close to 0, that a product with it may leave the range of f32.
bool makes_large_or_tiny(const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data());
  const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
  if (constant == nullptr || !is_float(constant->dtype)) return false;
  const double size = std::abs(constant->value.to_double());
  return std::isfinite(size) && size != 0 && (size >= kLargeConstant || size <= 1 / kLargeConstant);
}

bool may_overflow(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                     [](const Instruction& i) { return makes_exponential(i) || makes_large_or_tiny(i); });
}

bool all_finite(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) return true;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(sim::number_at(tensor, static_cast<size_t>(i)))) return false;
  }
  return true;
}

/// Notes which values are not finite on some device.
class OverflowWatch final : public sim::ValueObserver {
 public:
  OverflowWatch(const Plan& plan, const sim::Domain& domain)
      : plan_(plan), domain_(domain), infinite_(plan.values.size()) {}

  void on_value(int64_t, PlanValueId id, const sim::Value& value) override {
    if (!is_float(value.type.dtype) || all_finite(sim::to_tensor(value, domain_))) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    infinite_[id.index()] = true;
  }

  bool looks_at_devices() const override { return false; }

  /// The op that is told; after the run.
  std::optional<InstructionId> first() const {
    std::optional<InstructionId> exponential;
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& made = plan_.instructions[i];
      if (made.operands.empty() || !any_infinite(made.results)) continue;
      if (!any_infinite(made.operands)) return InstructionId(i);
      if (!exponential && makes_exponential(made)) exponential = InstructionId(i);
    }
    return exponential;
  }

 private:
  bool any_infinite(const PlanValueIds& values) const {
    return std::any_of(values.begin(), values.end(), [&](PlanValueId id) { return infinite_[id.index()]; });
  }

  const Plan& plan_;
  const sim::Domain& domain_;
  std::mutex mutex_;
  std::vector<bool> infinite_;  ///< per value
};

/// How one side ran on large inputs.
struct LargeRun {
  bool finite = false;
  std::optional<InstructionId> overflow{};
};

std::vector<sim::Value> large_globals(const Module& module, double scale, uint64_t seed, const sim::Domain& domain) {
  std::vector<sim::Value> result;
  for (const Global& global : module.globals) {
    const Tensor drawn = sim::draw_global(global, seed);
    if (!global.has_gradient()) {
      result.push_back(sim::from_tensor(drawn, domain));
      continue;
    }
    std::vector<double> numbers(static_cast<size_t>(drawn.size()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = scale * sim::number_at(drawn, i);
    result.push_back(sim::from_doubles(global.type, numbers, domain));
  }
  return result;
}

std::optional<LargeRun> run_large(const Plan& plan, const std::vector<sim::Value>& globals,
                                  const sim::Workers& workers) {
  OverflowWatch watch(plan, sim::float_domain());
  const std::optional<std::vector<Tensor>> outputs = run_in_own_dtypes(plan, globals, watch, workers);
  if (!outputs) return std::nullopt;
  return LargeRun{std::all_of(outputs->begin(), outputs->end(), all_finite), watch.first()};
}

Diagnostic overflow_warning(const Plan& plan, const Plan& other, InstructionId at, double scale) {
  const char* const advice = makes_exponential(plan.instruction(at))
                                 ? "subtract the maximum before the exponential, as the formula allows"
                                 : "order the factors so that no step leaves the range of its dtype";
  return {Severity::warning,
          "W-overflow",
          plan.instruction(at).location(),
          "overflows in @" + plan.program + " only: of inputs " + std::to_string(static_cast<int>(scale)) +
              " times as large it makes infinities, and @" + other.program + " does not; " + advice,
          {}};
}

}  // namespace

std::vector<Diagnostic> overflow_warnings(const Pair& pair, uint64_t seed, const sim::Workers& workers) {
  const Plan &left = pair.sharded.plan, &right = pair.reference.plan;
  if (!pair.maps.empty() || (!may_overflow(left) && !may_overflow(right))) return {};
  const sim::Domain& domain = sim::float_domain();
  workers.begin_part("overflow");
  std::optional<Diagnostic> found;
  for (const double scale : {256.0, 1024.0}) {
    const std::vector<sim::Value> globals = large_globals(*pair.module, scale, seed, domain);
    const std::optional<LargeRun> one = run_large(left, globals, workers);
    const std::optional<LargeRun> two = one ? run_large(right, globals, workers) : std::nullopt;
    if (!two || one->finite == two->finite) return {};
    const std::optional<InstructionId> at = one->finite ? two->overflow : one->overflow;
    if (!at) return {};
    if (!found) found = overflow_warning(one->finite ? right : left, one->finite ? left : right, *at, scale);
  }
  return {*found};
}

}  // namespace isoshard::verify

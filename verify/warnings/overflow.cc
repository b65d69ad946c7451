// Equal formulas may differ in range: a softmax that subtracts the maximum first is finite for all scores, one that
// does not overflows for scores beyond 88 in f32. The verdict is about formulas, so both programs are run in their own
// dtypes, on inputs and params that are 64 and then 256 times as large as usual. A side that gives infinities or nan
// both times, where the other side's outputs are finite, and in which an exponential was the first to overflow, is
// told. Two sizes, as sides that differ by their order of rounding only may part at the very edge of a format, but not
// twice. Cost: four runs in floats at the most, and none for programs of which one has no exponential.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/engine/engine.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/assemble.h"
#include "sim/run/draw.h"
#include "verify/compare/make_pair.h"
#include "verify/facts/producers.h"
#include "verify/warnings/warnings.h"

namespace isoshard::verify {
namespace {

/// The instruction that makes `id`, if it is an exponential.
bool makes_exponential(const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data());
  return local != nullptr && std::holds_alternative<Exponential>(local->op);
}

bool holds_exponential(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), makes_exponential);
}

bool all_finite(const sim::Value& value, const sim::Domain& domain) {
  if (!is_float(value.type.dtype)) return true;
  const Tensor tensor = sim::to_tensor(value, domain);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(sim::number_at(tensor, static_cast<size_t>(i)))) return false;
  }
  return true;
}

/// Finds the first exponential that is not finite on some device.
class OverflowWatch final : public sim::ValueObserver {
 public:
  OverflowWatch(const Plan& plan, const sim::Domain& domain)
      : plan_(plan), domain_(domain), definitions_(definitions(plan)) {}

  void on_value(int64_t, PlanValueId id, const sim::Value& value) override {
    const InstructionId made = definitions_[id.index()];
    if (!made.valid() || !makes_exponential(plan_.instruction(made)) || all_finite(value, domain_)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!first_ || made < *first_) first_ = made;
  }
  std::optional<InstructionId> first() const { return first_; }

 private:
  const Plan& plan_;
  const sim::Domain& domain_;
  std::vector<InstructionId> definitions_;
  std::mutex mutex_;
  std::optional<InstructionId> first_;
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

/// Nothing where the run does not end, which the verdict has told.
std::optional<LargeRun> run_large(const Plan& plan, const std::vector<sim::Value>& globals, const sim::Domain& domain,
                                  const sim::Workers& workers) {
  OverflowWatch watch(plan, domain);
  sim::RunOptions options;
  options.workers = workers;
  options.observer = &watch;
  const Result<sim::RunResult> run = sim::run(plan, domain, globals, options);
  if (!run) return std::nullopt;
  LargeRun result{true, watch.first()};
  for (size_t o = 0; o < plan.outputs.size() && result.finite; ++o) {
    result.finite = all_finite(sim::assemble(plan.outputs[o].type, run->outputs[o]).value, domain);
  }
  return result;
}

Diagnostic overflow_warning(const Plan& plan, const Plan& other, InstructionId at, double scale) {
  return {Severity::warning,
          "W-overflow",
          plan.instruction(at).location(),
          "overflows in @" + plan.program + " only: of inputs " + std::to_string(static_cast<int>(scale)) +
              " times as large it makes infinities, and @" + other.program +
              " does not; subtract the maximum before the exponential, as the formula allows",
          {}};
}

}  // namespace

std::vector<Diagnostic> overflow_warnings(const Module& module, const Check& check, uint64_t seed,
                                          const sim::Workers& workers) {
  if (!check.maps.empty()) return {};
  const Pair pair = make_pair_of(module, check);
  const Plan &left = pair.sharded.plan, &right = pair.reference.plan;
  if (!holds_exponential(left) || !holds_exponential(right)) return {};
  const sim::Domain& domain = sim::float_domain();
  workers.begin_part("overflow");
  std::optional<Diagnostic> found;
  for (const double scale : {64.0, 256.0}) {
    const std::vector<sim::Value> globals = large_globals(module, scale, seed, domain);
    const std::optional<LargeRun> one = run_large(left, globals, domain, workers);
    const std::optional<LargeRun> two = one ? run_large(right, globals, domain, workers) : std::nullopt;
    if (!two || one->finite == two->finite) return {};
    const std::optional<InstructionId> at = one->finite ? two->overflow : one->overflow;
    if (!at) return {};
    if (!found) found = overflow_warning(one->finite ? right : left, one->finite ? left : right, *at, scale);
  }
  return {*found};
}

}  // namespace isoshard::verify

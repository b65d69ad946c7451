// Whether a result depends on the padding of uneven blocks, which may be anything. A wrong output is computed again
// with other padding in one view after another: the first view that changes it is the cause. Where formulas are equal
// for every number as padding, both programs run in plain f64 with numbers and with NaN as padding, and an element that
// is finite with the one and NaN, or another number, with the other lets padding through: 0 times a random element is 0
// in a ring, 0 times NaN is not. Where floats are compared, 8 inputs are tried, because a select may hide it on some.
// Plain f64, not bounds, since with bounds an exact 0 times NaN is 0. (docs/spec/views.md, "Padding")
#include "verify/causes/padding.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"
#include "verify/causes/padding_reach.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/cones.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/padded_dim.h"

namespace isoshard::verify {
namespace {

/// What half of the inputs lets through, behind a select, is missed once in 2^8 times.
constexpr uint32_t kOrderedDraws = 8;
constexpr const char* kSelectByBlockSize =
    "padding may be NaN, and 0 times NaN is NaN: select by `block_size`, in every operand";

bool same_blocks(const std::vector<sim::StoredBlock>& a, const std::vector<sim::StoredBlock>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!sim::same_bits(a[i].value, b[i].value)) return false;
  }
  return true;
}

Diagnosis explain(const Plan& plan, const Instruction& i, size_t output) {
  const LoadBlock& load = std::get<LoadBlock>(i.data());
  const Global& global = plan.globals[load.global.index()];
  const auto dim = static_cast<size_t>(padded_dim(load, global.type.shape));
  const int64_t size = global.type.shape[dim], count = load.count[dim];
  const std::string name = plan.value(i.results[0]).in_words();
  Diagnosis d;
  d.value = "%" + plan.value(i.results[0]).name();
  d.in_words = name;
  d.op = i.op();
  d.location = i.location();
  d.cause = "padding of " + name + " reaches @" + plan.outputs[output].name;
  d.facts.push_back("dim " + std::to_string(dim) + " of @" + global.name + " has size " + std::to_string(size) +
                    " in " + std::to_string(count) + " blocks of " + std::to_string((size + count - 1) / count) +
                    ", the last ones padded: select by `block_size` before rows of a block meet");
  return d;
}

/// The padded views of floats among these instructions.
std::vector<Instruction> padded_loads(const Plan& plan, const std::vector<bool>& cone) {
  std::vector<Instruction> result;
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const LoadBlock* load = std::get_if<LoadBlock>(&plan.instructions[i].data());
    if (!cone[i] || load == nullptr) continue;
    const TensorType& type = plan.globals[load->global.index()].type;
    if (is_float(type.dtype) && padded_dim(*load, type.shape) >= 0) result.push_back(plan.instructions[i]);
  }
  return result;
}

/// Whether an element is finite where padding is a number, and NaN where padding is NaN, or another number, by more
/// than 2^-20 of its size, or another integer: comparisons of NaN do not hold.
bool tells_nan(const TensorType& type, const std::vector<sim::StoredBlock>& numbers,
               const std::vector<sim::StoredBlock>& nans) {
  if (!is_float(type.dtype)) return !same_blocks(numbers, nans);
  bool nan = false;
  double largest = 0, apart = 0;
  for (size_t b = 0; b < numbers.size(); ++b) {
    for_each_row(numbers[b], type.shape, [&](const BlockRow& row) {
      const double* x = numbers[b].value.plane<double>(0).data() + row.in_block;
      const double* y = nans[b].value.plane<double>(0).data() + row.in_block;
      for (int64_t i = 0; i < row.length; ++i) {
        if (!std::isfinite(x[i])) continue;
        nan = nan || std::isnan(y[i]);
        largest = std::max(largest, std::abs(x[i]));
        const double size = std::max(std::abs(x[i]), std::abs(y[i])), difference = std::abs(x[i] - y[i]);
        if (difference > 0x1p-20 * size) apart = std::max(apart, difference);
      }
    });
  }
  return nan || apart > 0x1p-40 * largest;
}

/// An output of one side of the pair that depends on padded views.
struct Padded {
  const Plan* plan = nullptr;
  bool reference = false;
  size_t output = 0;          ///< of that side
  size_t sharded_output = 0;  ///< of the sharded program
  std::vector<Instruction> loads;
};

std::vector<Padded> padded_outputs(const Pair& pair) {
  std::vector<Padded> result;
  for (size_t o = 0; o < pair.reference_output.size(); ++o) {
    for (const bool reference : {false, true}) {
      const Plan& plan = (reference ? pair.reference : pair.sharded).plan;
      const size_t own = reference ? pair.reference_output[o] : o;
      const std::vector<bool> cone = cone_over_steps(plan, static_cast<uint32_t>(own), pair.steps);
      std::vector<Instruction> loads = padded_loads(plan, cone);
      if (!loads.empty()) result.push_back(Padded{&plan, reference, own, o, std::move(loads)});
    }
  }
  return result;
}

std::string padded_names(const Plan& plan, const std::vector<Instruction>& loads) {
  std::string names;
  for (const Instruction& load : loads) {
    const bool is_last = load.id == loads.back().id;
    names += (names.empty() ? "" : is_last ? " or " : ", ") + plan.value(load.results[0]).in_words();
  }
  return names;
}

/// With NaN as padding the program fails, with numbers it does not.
NanOutput explain_failure(const Plan& plan, const Diagnostic& failure) {
  NanOutput found;
  const std::vector<Instruction> loads = padded_loads(plan, std::vector<bool>(plan.instructions.size(), true));
  found.diagnosis.location = failure.location;
  found.diagnosis.cause =
      "padding of " + padded_names(plan, loads) + " is NaN, and the program fails: " + failure.message;
  found.diagnosis.facts.push_back(kSelectByBlockSize);
  return found;
}

/// Which of several views it is stays open: all their padding is NaN at once.
Diagnosis explain_nan(const Padded& p) {
  Diagnosis d;
  if (p.loads.size() == 1 && !p.reference) d = explain(*p.plan, p.loads[0], p.output);
  d.cause = "padding of " + padded_names(*p.plan, p.loads) + " reaches @" + p.plan->outputs[p.output].name +
            " where it is NaN";
  d.facts.push_back(kSelectByBlockSize);
  return d;
}

std::optional<NanOutput> find_nan_in(const Pair& pair, const std::vector<Padded>& padded, uint64_t seed, uint32_t draw,
                                     const sim::Workers& workers) {
  // Of one arithmetic: with bounds an exact 0 times NaN is 0.
  const sim::FloatDomain numbers(sim::Precision::f64, sim::FloatPadding::numbers);
  const sim::FloatDomain nans(sim::Precision::f64, sim::FloatPadding::nan);
  const auto runs_in = [&](const sim::Domain& domain) {
    return PairRun(pair, domain, drawn_floats(pair, domain, seed, draw), workers);
  };
  PairRun with_numbers = runs_in(numbers), with_nans = runs_in(nans);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!with_numbers.next()) return std::nullopt;
    if (const Result<void> run = with_nans.next(); !run) return explain_failure(pair.sharded.plan, run.error());
    for (const Padded& p : padded) {
      const auto blocks = [&](const PairRun& run) -> const std::vector<sim::StoredBlock>& {
        return (p.reference ? run.result().reference : run.result().sharded).outputs[p.output];
      };
      if (!tells_nan(p.plan->outputs[p.output].type, blocks(with_numbers), blocks(with_nans))) continue;
      NanOutput found{p.sharded_output, explain_nan(p)};
      found.diagnosis.step = static_cast<uint32_t>(step);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> diagnose_padding(const Pair& pair, const sim::Domain& domain,
                                          const std::vector<sim::Value>& globals, const RingOutcome& outcome,
                                          const sim::Workers& workers) {
  const Plan& plan = pair.sharded.plan;
  std::optional<sim::RunResult> plain;
  for (const Instruction& i : plan.instructions) {
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    const int64_t dim = load == nullptr ? -1 : padded_dim(*load, plan.globals[load->global.index()].type.shape);
    if (dim < 0) continue;
    sim::RunOptions options;
    options.workers = workers;
    if (!plain) {
      Result<sim::RunResult> run = sim::run(plan, domain, globals, options);
      if (!run) return std::nullopt;
      plain = std::move(*run);
    }
    options.other_padding = i.results[0];
    const Result<sim::RunResult> other = sim::run(plan, domain, globals, options);
    for (size_t o = 0; other && o < plan.outputs.size(); ++o) {
      if (outcome.outputs[o].equal || same_blocks(plain->outputs[o], other->outputs[o])) continue;
      return explain(plan, i, o);
    }
  }
  return std::nullopt;
}

bool has_padding(const Pair& pair) {
  const auto any_in = [](const Plan& plan) {
    return !padded_loads(plan, std::vector<bool>(plan.instructions.size(), true)).empty();
  };
  return any_in(pair.sharded.plan) || any_in(pair.reference.plan);
}

std::optional<NanOutput> find_nan_from_padding(const Pair& pair, uint64_t seed, uint32_t draws,
                                               const sim::Workers& workers) {
  const std::vector<Padded> padded = padded_outputs(pair);
  const bool ordered = order_facts(pair.sharded.plan).present || order_facts(pair.reference.plan).present;
  for (uint32_t d = 0; d < (ordered ? std::max(draws, kOrderedDraws) : draws); ++d) {
    if (std::optional<NanOutput> found = find_nan_in(pair, padded, seed, d, workers)) return found;
  }
  return std::nullopt;
}

}  // namespace isoshard::verify

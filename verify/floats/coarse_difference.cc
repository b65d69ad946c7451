// Zeros, ties and clamps that a formula forgets show as differences of the size of results. Plain f64 sees these in a
// fifth of the time that bounds of rounding take, so that only runs in which it sees one are made again with bounds.
// Where gradients cancel, AdamW makes numbers of rounding alone: bounds explain these, too, and so does a second run
// that rounds up. What either program moves by then is at most three times its bound: where the two are no further
// apart than that in their largest elements, bounds would hardly ever see a difference. Cost: two runs of both
// programs, four where they differ.
#include "verify/floats/coarse_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/floats/upward_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/assemble.h"

namespace isoshard::verify {
namespace {

constexpr double kCoarse = 0x1p-20, kNoise = 0x1p-40;  ///< of its own size, and of the largest output's

struct Distance {
  double size = 0, difference = 0;
};

Distance distance(const std::vector<double>& ours, const std::vector<double>& expected) {
  Distance d;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double a = ours[i], b = expected[i];
    if (!std::isfinite(b)) continue;
    if (!std::isfinite(a)) return {d.size, HUGE_VAL};
    d.size = std::max({d.size, std::abs(a), std::abs(b)});
    d.difference = std::max(d.difference, std::abs(a - b));
  }
  return d;
}

/// What both programs compute of one output in one step. Copies that disagree are seen by rings.
struct BothWays {
  std::vector<double> sharded, reference;
};

/// The elements of a value as numbers; floats are f64 in all domains here.
std::vector<double> plain_numbers(const sim::Value& value, const sim::Domain& domain) {
  if (is_float(value.type.dtype)) {
    const auto numbers = value.plane<double>(0);
    return {numbers.begin(), numbers.end()};
  }
  const Tensor whole = sim::to_tensor(value, domain);
  std::vector<double> numbers(static_cast<size_t>(whole.size()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = sim::number_at(whole, i);
  return numbers;
}

BothWays output_of(const Pair& pair, const PairResult& result, const sim::Domain& domain, size_t output) {
  const TensorType& type = pair.sharded.plan.outputs[output].type;
  const auto whole = [&](const sim::RunResult& run, size_t o) {
    return plain_numbers(sim::assemble(type, run.outputs[o]).value, domain);
  };
  return {whole(result.sharded, output), whole(result.reference, pair.reference_output[output])};
}

/// Those that differ, by step and output.
using Coarse = std::map<std::pair<int64_t, size_t>, BothWays>;

void take_coarse(const Pair& pair, const PairResult& result, const sim::Domain& domain, int64_t step, Coarse& coarse) {
  std::vector<BothWays> all;
  std::vector<Distance> apart;
  double largest = 0;
  for (size_t o = 0; o < pair.sharded.plan.outputs.size(); ++o) {
    all.push_back(output_of(pair, result, domain, o));
    apart.push_back(distance(all[o].sharded, all[o].reference));
    largest = std::max(largest, apart[o].size);
  }
  for (size_t o = 0; o < all.size(); ++o) {
    const bool differs = apart[o].difference > kCoarse * apart[o].size && apart[o].difference > kNoise * largest;
    if (differs) coarse.emplace(std::pair(step, o), std::move(all[o]));
  }
}

/// Rounding up moves the two by as much as they are apart; never where one is no number.
bool rounding_explains(const BothWays& nearest, const BothWays& up) {
  const double apart = distance(nearest.sharded, nearest.reference).difference;
  const double moved =
      distance(up.sharded, nearest.sharded).difference + distance(up.reference, nearest.reference).difference;
  return std::isfinite(moved) && apart <= moved;
}

}  // namespace

bool differs_coarsely(const Pair& pair, const sim::PaddingNumbers& padding, const DrawsIn& inputs,
                      const sim::Workers& workers) {
  Coarse coarse;
  sim::FloatDomain nearest(sim::Precision::f64, sim::FloatPadding::numbers);
  nearest.pad_with(padding);
  PairRun both(pair, nearest, inputs(nearest), workers);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!both.next()) return true;
    take_coarse(pair, both.result(), nearest, step, coarse);
  }
  if (coarse.empty()) return false;
  sim::UpwardF64Domain up;
  up.pad_with(padding);
  PairRun again(pair, up, inputs(up), workers);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!again.next()) return true;
    for (const auto& [at, values] : coarse) {
      if (at.first == step && !rounding_explains(values, output_of(pair, again.result(), up, at.second))) return true;
    }
  }
  return false;
}

}  // namespace isoshard::verify

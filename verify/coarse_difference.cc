// Zeros, ties and clamps that a formula forgets show as differences of the size of results. Plain f64 sees these in a
// fraction of the time that bounds of rounding take, so that only runs in which it sees one are made again with bounds.
#include "verify/coarse_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/support/result.h"
#include "sim/assemble.h"
#include "sim/conversion.h"

namespace isoshard::verify {
namespace {

constexpr double kCoarse = 0x1p-20, kNoise = 0x1p-40;  ///< of its own size, and of the largest output's

struct Distance {
  double size = 0, difference = 0;
};

Distance distance(const Tensor& ours, const Tensor& expected) {
  Distance d;
  for (size_t i = 0; i < static_cast<size_t>(ours.size()); ++i) {
    const double a = sim::number_at(ours, i), b = sim::number_at(expected, i);
    if (!std::isfinite(b)) continue;
    if (!std::isfinite(a)) return {d.size, HUGE_VAL};
    d.size = std::max({d.size, std::abs(a), std::abs(b)});
    d.difference = std::max(d.difference, std::abs(a - b));
  }
  return d;
}

/// Copies that disagree are seen by rings.
bool any_differs(const Pair& pair, const PairResult& result, const sim::Domain& domain) {
  std::vector<Distance> all;
  for (size_t o = 0; o < pair.sharded.plan.outputs.size(); ++o) {
    const TensorType& type = pair.sharded.plan.outputs[o].type;
    const auto whole = [&](const sim::RunResult& run, size_t output) {
      return sim::to_tensor(sim::assemble(type, run.outputs[output]).value, domain);
    };
    all.push_back(distance(whole(result.sharded, o), whole(result.reference, pair.reference_output[o])));
  }
  double largest = 0;
  for (const Distance& d : all) largest = std::max(largest, d.size);
  return std::any_of(all.begin(), all.end(), [&](const Distance& d) {
    return d.difference > kCoarse * d.size && d.difference > kNoise * largest;
  });
}

}  // namespace

bool differs_coarsely(const Pair& pair, const sim::Domain& domain, const DrawGlobal& inputs, int workers) {
  PairRun both(pair, domain, inputs, workers);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!both.next() || any_differs(pair, both.result(), domain)) return true;
  }
  return false;
}

}  // namespace isoshard::verify

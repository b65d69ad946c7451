// Mends a program on trial: the same globals, the same ring, other values in the place of what is blamed, and the
// outputs are compared with those that the reference stored. Numbers do it, not the program's text, so any value can be
// put in, whatever makes it. What the view of a diagnosis puts in place of values itself (maxima that cancel, opaque
// identities) stays. Only the sharded program runs; the number of trials is limited, fewer where a run costs more.
#include "verify/causes/trial.h"

#include <algorithm>

#include "core/support/result.h"
#include "sim/engine/engine_index.h"
#include "sim/lockstep/run.h"
#include "verify/compare/substitution.h"
#include "verify/ring/compare_output.h"

namespace isoshard::verify {
namespace {

constexpr double kWorkOfTrials = 4e8;  // scalar operations, about a second
constexpr int kFewestTrials = 12, kMostTrials = 96;

int trials_of(const Plan& plan) {
  const double work = std::max(1.0, static_cast<double>(sim::PlanIndex(plan).work()));
  return static_cast<int>(std::clamp(kWorkOfTrials / work, double{kFewestTrials}, double{kMostTrials}));
}

}  // namespace

Trial::Trial(const Pair& pair, const sim::Domain& domain, const std::vector<sim::Value>& globals,
             const sim::RunResult& expected, sim::Workers workers)
    : pair_(pair),
      domain_(domain),
      globals_(globals),
      expected_(expected),
      workers_(workers),
      left_(trials_of(pair.sharded.plan)) {}

bool Trial::makes_equal(const Mends& mends) const {
  if (mends.empty() || left_ == 0) return false;
  --left_;
  const Generic none;
  const sim::Substitute view = substitution(pair_, pair_.sharded, none, domain_);
  sim::RunOptions options;
  options.workers = workers_;
  options.substitute = [&](int64_t position, PlanValueId id, sim::Value value) {
    const auto found = mends.find(id);
    if (found != mends.end()) return found->second(position, value);
    return view ? view(position, id, std::move(value)) : value;
  };
  const Result<sim::RunResult> ran = sim::run(pair_.sharded.plan, domain_, globals_, options);
  if (!ran) return false;
  for (size_t o = 0; o < ran->outputs.size(); ++o) {
    const TensorType& type = pair_.sharded.plan.outputs[o].type;
    const RingOutput output = compare_output(ran->outputs[o], expected_.outputs[pair_.reference_output[o]], type,
                                             *pair_.sharded.plan.mesh, domain_);
    if (!output.equal || !output.copies_agree) return false;
  }
  return true;
}

}  // namespace isoshard::verify

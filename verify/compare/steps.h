#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "sim/engine/workers.h"
#include "verify/compare/pair.h"
#include "verify/compare/stand_ins.h"

namespace isoshard::verify {

/// Makes the value of a global for `step`, 1 or later: globals are drawn for step 1, inputs again for every step.
using DrawGlobal = std::function<sim::Value(const Global& global, uint32_t step)>;

/// Runs both programs of a pair step after step; each side goes on with the globals it has updated itself.
class PairRun {
 public:
  PairRun(const Pair& pair, const sim::Domain& domain, DrawGlobal draw, sim::Workers workers);

  /// Draws other padding than without.
  void draw_padding(uint64_t seed) { options_.padding_seed = seed; }
  /// Opaque functions on both sides, in exact rings only: behind updates, before the next step, and as substitution()
  /// has them.
  void make_opaque(Generic generic) { generic_ = std::move(generic); }
  /// Either side goes on with other values than those that it has computed, in place of opaque ones.
  void substitute(sim::Substitute sharded, sim::Substitute reference) {
    sharded_values_ = std::move(sharded);
    reference_values_ = std::move(reference);
  }
  /// Runs the next step; fails as sim::run does. `result` and the globals are those of the last step.
  Result<void> next(PairObservers observers = {});
  const PairResult& result() const { return result_; }
  /// With which the last step began, of the reference.
  const std::vector<sim::Value>& globals() const { return reference_; }
  /// Whether the reference began the last step with states in their ranges (ValueRange), in a domain whose integers are
  /// the machine's. Verdicts speak of such steps only.
  bool began_in_range() const;

 private:
  std::vector<sim::Value> next_globals(const Plan& plan, std::vector<sim::Value> globals,
                                       const sim::RunResult& result) const;
  void draw_globals();
  sim::Value read_map(const MappedGlobal& map, const std::vector<sim::Value>& globals) const;

  const Pair& pair_;
  const sim::Domain& domain_;
  DrawGlobal draw_;
  sim::RunOptions options_;
  Generic generic_;
  sim::Substitute sharded_values_, reference_values_;
  uint32_t step_ = 0;
  std::vector<sim::Value> sharded_, reference_;
  PairResult result_;
};

/// Whether a run of each program takes so long that both run beside each other, and have work for all workers.
bool both_are_large(const Pair& pair);

/// How many runs of both programs fit into memory beside each other and beside one with bounds, each in a thread of its
/// own; at least 1, at most as many as there are workers.
size_t runs_at_once(const Pair& pair, const sim::Domain& domain, const sim::Workers& workers);

}  // namespace isoshard::verify

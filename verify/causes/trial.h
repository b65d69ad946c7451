#pragma once

#include <functional>
#include <map>
#include <vector>

#include "sim/engine/engine.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// What a value of the sharded program is replaced by on the device at `position`.
using Mend = std::function<sim::Value(int64_t position, const sim::Value& value)>;
using Mends = std::map<PlanValueId, Mend>;

/// Runs the sharded program again, in the step of a diagnosis, with other values in the place of some: a cause is told
/// only where what it blames, mended, makes the outputs right (docs/spec/diagnosis.md, "Trials").
class Trial {
 public:
  /// `globals` are those with which the step begins, `expected` what the reference stores in it. All must outlive this.
  Trial(const Pair& pair, const sim::Domain& domain, const std::vector<sim::Value>& globals,
        const sim::RunResult& expected, sim::Workers workers);

  /// Whether every output is then the reference's; false also when the trials of one diagnosis are used up.
  bool makes_equal(const Mends& mends) const;
  const sim::Domain& domain() const { return domain_; }

 private:
  const Pair& pair_;
  const sim::Domain& domain_;
  const std::vector<sim::Value>& globals_;
  const sim::RunResult& expected_;
  sim::Workers workers_;
  mutable int left_;
};

}  // namespace isoshard::verify

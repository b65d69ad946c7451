#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/settings.h"
#include "core/plan/plan.h"
#include "core/value/tensor.h"
#include "exec/run/job.h"
#include "sim/run/array_difference.h"

namespace isoshard::command_line {

/// Compares each step of a run with one of sim that begins with the same globals.
class CheckAgainstSim {
 public:
  CheckAgainstSim(const Plan& plan, const Settings& settings);

  /// Looks at what a step made of `globals`, whose blocks are on the desk of `job`; false where sim cannot do it, whose
  /// error goes to `sink`.
  bool look(int64_t step, const std::vector<Tensor>& globals, std::span<const Tensor> outputs, const exec::Job& job,
            DiagnosticSink& sink);
  /// Whether some output of the last step that was looked at is beyond its bound.
  bool differs() const { return differs_; }
  /// Whether ranks of sim, too, hold different copies of an output, and each rank that of its twin: then the program
  /// makes them so.
  bool copies_differ(size_t output) const { return copies_differ_[output]; }
  /// A line for each output, about its worst step, and the verdict.
  std::string text() const;
  /// kHolds, kDoesNotHold where an output is beyond its bound, kUndecided where one has no bound.
  int code() const;

 private:
  struct Worst {
    sim::ArrayDifference difference{};
    int64_t step = 1;
  };
  void keep(size_t output, int64_t step, const sim::ArrayDifference& difference);
  std::string line(size_t output) const;
  sim::ArrayDifference::Answer answer() const;

  const Plan& plan_;
  const Settings& settings_;
  std::vector<Worst> worst_;
  std::vector<bool> copies_differ_;  ///< by output, in the last step
  int64_t steps_ = 0;
  bool differs_ = false;
};

}  // namespace isoshard::command_line

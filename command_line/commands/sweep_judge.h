#pragma once

#include <cstddef>
#include <shared_mutex>
#include <string>
#include <vector>

#include "command_line/commands/sweep.h"
#include "command_line/settings.h"
#include "core/support/diagnostic.h"
#include "sim/engine/workers.h"
#include "verify/check.h"

namespace isoshard::command_line {

/// What the claims of one input on one mesh come to.
struct Judged {
  bool loaded = false;
  DiagnosticSink sink;  ///< of loading
  std::vector<Diagnostic> warnings;
  std::vector<verify::CheckReport> reports;  ///< per claim; none where the input was not loaded
};

/// Decides an input on meshes, one after another or several at once. Thread-safe.
///
/// Small programs use one thread each, so several meshes are decided side by side; a large one has the machine and its
/// memory to itself.
class SweepJudge {
 public:
  /// Of so many meshes. `workers`: those of each check where meshes are decided one after another.
  SweepJudge(std::string input, const Settings& settings, sim::Workers workers, size_t meshes);

  /// How many meshes are decided at once: as many as there are workers, and meshes.
  size_t threads() const { return threads_; }
  /// Throws Interrupted after Ctrl-C.
  Judged judge(const SweepPoint& point);

 private:
  void decide(const Module& module, sim::Workers workers, Judged& judged) const;

  const std::string input_;
  const Settings& settings_;
  const sim::Workers workers_;
  const size_t threads_;
  std::shared_mutex machine_;  ///< shared by small programs
};

}  // namespace isoshard::command_line

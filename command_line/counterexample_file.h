#pragma once

#include <string>

#include "command_line/settings.h"
#include "core/ir/module.h"
#include "verify/report/report.h"

namespace isoshard::command_line {

/// `check --counterexample FILE.npz`: the input of the first counterexample that is found, for `sim --inputs`.
class CounterexampleFile {
 public:
  /// `settings` must outlive it.
  explicit CounterexampleFile(const Settings& settings) : settings_(settings) {}

  /// Writes the file where `report`, about a claim of `input`, has the first counterexample that one run of the
  /// programs shows; arrays that it does not depend on are drawn as `sim` draws them. Returns lines that say how to
  /// run it; empty where nothing was written. Fails as write_npz does.
  std::string take(const Module& module, const Check& claim, const verify::CheckReport& report,
                   const std::string& input, DiagnosticSink& sink);
  /// Says that there was none (a warning).
  void finish(DiagnosticSink& sink) const;

 private:
  const Settings& settings_;
  bool written_ = false;
};

}  // namespace isoshard::command_line

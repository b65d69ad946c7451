#include "command_line/counterexample_file.h"

#include <vector>

#include "core/support/result.h"
#include "core/value/npz.h"
#include "library/counterexample.h"

namespace isoshard::command_line {
namespace {

/// `isoshard sim FILE --mesh data=2 --program tp --domain f64 --inputs FILE.npz`
std::string run_line(const std::string& input, const std::string& program, const Settings& settings) {
  std::string line = "isoshard sim " + input;
  for (const std::string& mesh : settings.mesh) line += " --mesh " + mesh;
  for (const std::string& set : settings.set) line += " --set " + set;
  return line + " --program " + program + " --domain f64 --inputs " + settings.counterexample;
}

}  // namespace

std::string CounterexampleFile::take(const Module& module, const Check& claim, const verify::CheckReport& report,
                                     const std::string& input, DiagnosticSink& sink) {
  if (written_ || settings_.counterexample.empty()) return "";
  const std::vector<NamedTensor> arrays = library::counterexample_arrays(module, claim, report, settings_.seed);
  if (arrays.empty()) return "";
  const Result<void> written = write_npz(settings_.counterexample, arrays);
  if (!written) {
    sink.add(written.error());
    return "";
  }
  written_ = true;
  std::string lines = "counterexample  " + settings_.counterexample + "\n";
  for (const ProgramId side : {claim.left, claim.right}) {
    lines += "  " + run_line(input, module.program(side).name(), settings_) + "\n";
  }
  return lines;
}

void CounterexampleFile::finish(DiagnosticSink& sink) const {
  if (settings_.counterexample.empty() || written_) return;
  sink.warning(
      "I-counterexample", {},
      settings_.counterexample + " was not written: no claim has a counterexample that one step of its programs shows");
}

}  // namespace isoshard::command_line

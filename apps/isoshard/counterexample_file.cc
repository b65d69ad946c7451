#include "apps/isoshard/counterexample_file.h"

#include <algorithm>
#include <vector>

#include "apps/isoshard/arrays.h"
#include "core/support/result.h"
#include "core/value/npz.h"
#include "sim/run/draw.h"

namespace isoshard::app {
namespace {

const std::vector<NamedTensor>* shown_arrays(const verify::CheckReport& report) {
  for (const verify::OutputReport& output : report.outputs) {
    const auto& found = output.floats.counterexample;
    if (output.verdict == verify::Verdict::not_equal && found && found->arrays) return found->arrays.get();
  }
  return nullptr;
}

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
  const std::vector<NamedTensor>* shown = written_ || settings_.counterexample.empty() ? nullptr : shown_arrays(report);
  if (shown == nullptr) return "";
  std::vector<NamedTensor> arrays = *shown;
  const std::vector<bool> left = globals_program_reads(module, claim.left);
  const std::vector<bool> right = globals_program_reads(module, claim.right);
  for (size_t g = 0; g < left.size(); ++g) {
    const Global& global = module.globals[g];
    const bool known =
        std::any_of(arrays.begin(), arrays.end(), [&](const NamedTensor& array) { return array.name == global.name; });
    if ((left[g] || right[g]) && !known) arrays.push_back({global.name, sim::draw_global(global, settings_.seed)});
  }
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

}  // namespace isoshard::app

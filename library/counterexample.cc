#include "library/counterexample.h"

#include <algorithm>

#include "library/load/arrays.h"
#include "sim/run/draw.h"

namespace isoshard::library {
namespace {

const std::vector<NamedTensor>* shown_arrays(const verify::CheckReport& report) {
  for (const verify::OutputReport& output : report.outputs) {
    const auto& found = output.floats.counterexample;
    if (output.verdict == verify::Verdict::not_equal && found && found->arrays) return found->arrays.get();
  }
  return nullptr;
}

}  // namespace

std::vector<NamedTensor> counterexample_arrays(const Module& module, const Check& claim,
                                               const verify::CheckReport& report, uint64_t seed) {
  const std::vector<NamedTensor>* shown = shown_arrays(report);
  if (shown == nullptr) return {};
  std::vector<NamedTensor> arrays = *shown;
  const std::vector<bool> left = globals_program_reads(module, claim.left);
  const std::vector<bool> right = globals_program_reads(module, claim.right);
  for (size_t g = 0; g < left.size(); ++g) {
    const Global& global = module.globals[g];
    const bool known =
        std::any_of(arrays.begin(), arrays.end(), [&](const NamedTensor& array) { return array.name == global.name; });
    if ((left[g] || right[g]) && !known) arrays.push_back({global.name, sim::draw_global(global, seed)});
  }
  return arrays;
}

}  // namespace isoshard::library

// Numbers that speak before long proofs are tried: an output with a counterexample is NOT EQUAL, so that no proof of it
// can be found. Constants that mask, such as -1e30, are read as infinite by rungs of exponentials only; a difference
// that is gone by then refutes nothing that these may find. Cost: mostly two runs of both programs where they
// differ; where they do not, 13, or with integers as many as look for a counterexample later.
#include "verify/floats/refuted_outputs.h"

#include <memory>

#include "sim/domains/floats/bounded_masks.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/random.h"
#include "verify/facts/block_rows.h"
#include "verify/pair_facts/contents.h"

namespace isoshard::verify {
namespace {

/// Of the largest element.
constexpr double kPlain = 0x1p-20;

/// Of those in `open`: the ones with a counterexample, and where there are any, those that differ plainly.
std::vector<bool> far_outputs(const FloatOutcome& floats, const std::vector<bool>& open) {
  std::vector<bool> sure = open, plain = open;
  for (size_t o = 0; o < open.size(); ++o) {
    sure[o] = open[o] && !floats.failure && floats.outputs[o].counterexample;
    plain[o] = sure[o] || (open[o] && !floats.failure && differs_plainly(floats.outputs[o]));
  }
  return any_output(sure) ? plain : sure;
}

/// Of those that differ as written: the ones that do so, too, where masks are infinite, which often leaves no bound.
std::vector<bool> far_with_masks(const Pair& pair, FloatOptions options, const std::vector<bool>& open) {
  options.domain = [constants = options.constants] { return std::make_unique<sim::MaskedBoundedDomain>(constants); };
  const FloatOutcome floats = compare_in_floats(pair, options, std::vector<bool>(open.size(), false));
  std::vector<bool> result = open;
  for (size_t o = 0; o < open.size(); ++o) {
    if (open[o])
      result[o] = !floats.failure && (floats.outputs[o].counterexample || differs_plainly(floats.outputs[o]));
  }
  return result;
}

/// Some among the numbers that stand for all.
std::shared_ptr<const Integers> standing_numbers(const Pair& pair, const IntegerInputs& covered) {
  auto result = std::make_shared<Integers>();
  for (const auto& [name, values] : covered) {
    const GlobalId id = *pair.module->find_global(name);
    const RandomStream random = RandomStream(0).part(name);
    if (values.values.empty() || !pair.used[id.index()]) continue;
    for (int64_t i = 0; i < element_count(pair.module->global(id).type.shape); ++i) {
      const std::vector<int64_t>& of_element = values.of(i);
      (*result)[name].push_back(of_element[random.word(static_cast<uint64_t>(i)) % of_element.size()]);
    }
  }
  return result;
}

/// Distances on integers that all asks take; where no bound tells the outputs apart there, counterexamples on those
/// that are drawn.
FloatOutcome compare_shortly(const Pair& pair, const FloatOptions& drawn, const FloatOptions& given,
                             const std::vector<bool>& open) {
  FloatOutcome floats = compare_in_floats(pair, given, open);
  if (floats.failure || !given.integers || any_output(far_outputs(floats, open))) return floats;
  FloatOutcome more = compare_in_floats(pair, drawn, open);
  floats.failure = more.failure;
  for (size_t o = 0; o < open.size(); ++o) floats.outputs[o].counterexample = more.outputs[o].counterexample;
  return floats;
}

}  // namespace

bool differs_plainly(const FloatOutput& output) { return output.max_abs > kPlain * output.max_size; }

std::vector<bool> refuted_outputs(const Pair& pair, const FloatOptions& options, const std::vector<bool>& open) {
  FloatOptions given = options;
  given.draws = 1;
  const IntegerInputs* covered = options.known.empty() ? nullptr : options.known[0].covered_by.get();
  if (covered != nullptr) given.integers = standing_numbers(pair, *covered);
  const std::vector<bool> refuted = far_outputs(compare_shortly(pair, options, given, open), open);
  return any_output(refuted) && contents_of(pair).exponential ? far_with_masks(pair, given, refuted) : refuted;
}

}  // namespace isoshard::verify

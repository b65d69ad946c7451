// The order in which rung F looks for a counterexample (docs/soundness.md, "Rung F: the counterexample"): first on
// ordinary draws; then per output that is still open on integers for which the ring tells the programs apart, and on
// integers that they treat specially; then on special and on guided inputs. Later steps run only where earlier ones
// have shown nothing, because each costs runs of both programs. A difference is one only beyond the bounds of rounding,
// so more tries never make a wrong NOT EQUAL.
#include "verify/floats/differences.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/value/integers.h"
#include "verify/facts/block_rows.h"
#include "verify/floats/integers_that_matter.h"
#include "verify/floats/refuted_outputs.h"
#include "verify/floats/special_integers.h"
#include "verify/floats/witness.h"

namespace isoshard::verify {
namespace {

/// `@pos = 37, @ids = [3, 5, 0]`
std::string integers_in_words(const Integers& integers, const Module& module) {
  constexpr size_t kMost = 8;
  std::string text;
  for (const auto& [name, numbers] : integers) {
    const TensorType& type = module.global(*module.find_global(name)).type;
    const bool scalar = type.shape.empty();
    const auto shown = [&](int64_t number) {
      return is_integer(type.dtype) ? integer_text(type.dtype, number) : std::to_string(number);
    };
    text += (text.empty() ? "@" : ", @") + name + " = " + (scalar ? "" : "[");
    for (size_t i = 0; i < numbers.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + shown(numbers[i]);
    text += numbers.size() > kMost ? ", ...]" : scalar ? "" : "]";
  }
  return text;
}

/// Floats on given integers: a counterexample there is one. A difference of an output that is equal on drawn integers
/// makes it NOT EQUAL.
void try_integers(const Pair& pair, FloatOptions options, std::shared_ptr<const Integers> integers, size_t output,
                  FloatOutcome& floats) {
  options.integers = std::move(integers);
  std::vector<bool> only(floats.outputs.size(), false);
  only[output] = true;
  FloatOutcome found = compare_in_floats(pair, options, only);
  if (found.failure || !found.outputs[output].counterexample) return;
  floats.outputs[output].counterexample = found.outputs[output].counterexample;
  floats.outputs[output].counterexample->integers = integers_in_words(*options.integers, *pair.module);
}

bool any_counterexample(const FloatOutcome& floats) {
  return std::any_of(floats.outputs.begin(), floats.outputs.end(),
                     [](const FloatOutput& o) { return o.counterexample.has_value(); });
}

/// Of an output that is not known to be equal for all integers: some for which the ring tells it apart, then those that
/// the programs treat apart.
void try_integers(const Pair& pair, FloatOptions options, const RingOutcome& ring, size_t output,
                  FloatOutcome& floats) {
  if (any_counterexample(floats) && differs_plainly(floats.outputs[output])) return;  // no bound, for any integers
  if (const auto& told = ring.outputs[output].told_apart) {
    std::shared_ptr<const Integers> witness = find_witness(pair, *told, output);
    if (witness) try_integers(pair, options, std::move(witness), output, floats);
  }
  options.draws = 1;
  for (const Integers& integers : special_integers(pair, output, most_runs(pair))) {
    if (floats.outputs[output].counterexample) return;
    try_integers(pair, options, std::make_shared<const Integers>(integers), output, floats);
  }
}

/// For the first output that differs: those of its counterexample that matter.
void name_integers(const Pair& pair, const FloatOptions& options, FloatOutcome& floats) {
  for (size_t o = 0; o < floats.outputs.size(); ++o) {
    std::optional<Counterexample>& found = floats.outputs[o].counterexample;
    if (!found) continue;
    if (found->integers.empty()) found->integers = integers_that_matter(pair, options, o, *found);
    return;
  }
}

}  // namespace

FloatOutcome look_for_differences(const Pair& pair, const FloatOptions& options, const RingOutcome& ring,
                                  const OpenOutputs& open, std::optional<FloatOutcome> ordinary) {
  FloatOutcome floats = ordinary ? std::move(*ordinary) : compare_in_floats(pair, options, open.differs);
  for (size_t o = 0; o < open.differs.size() && !floats.failure; ++o) {
    if ((open.drawn[o] || open.differs[o]) && !floats.outputs[o].counterexample)
      try_integers(pair, options, ring, o, floats);
  }
  std::vector<bool> left = open.differs;
  for (size_t o = 0; o < left.size(); ++o) left[o] = left[o] || open.drawn[o];
  FloatOptions of_special = options;
  of_special.all_equal = !any_output(left);
  of_special.by_orders = ring.terms.decisions > 0;
  if (!floats.failure && !any_counterexample(floats)) compare_special_inputs(pair, of_special, floats);
  if (any_output(left) && !floats.failure) compare_guided_inputs(pair, options, left, floats);
  if (!floats.failure) name_integers(pair, options, floats);
  return floats;
}

}  // namespace isoshard::verify

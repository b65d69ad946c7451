// Asks the ladder about a pair, in which guards with one answer for all inputs are decided: with logarithms of sums in
// the place of what does not overflow, where there are any,
// and as written where that leaves something open; with the largest of the largest of blocks as the largest of all,
// where that settles what is open; and, where outputs differ by no more than rounding, with constants read as what they
// may be meant as (docs/spec/verdict.md). A second reading only explains a difference that f64 does not show under it,
// so that a constant that is wrong by more than rounding is never read as the right one. Each further way costs one
// more run of the rungs and, for a reading, of the inputs of rung F.
#include "verify/ask_ladder.h"

#include <optional>
#include <utility>

#include "verify/abstraction/decided_guards.h"
#include "verify/abstraction/first_of_largest.h"
#include "verify/abstraction/logs_of_sums.h"
#include "verify/abstraction/merged_top_k.h"
#include "verify/facts/block_rows.h"
#include "verify/floats/differences.h"
#include "verify/floats/float_run.h"
#include "verify/floats/refuted_outputs.h"
#include "verify/ladder/ladder.h"
#include "verify/pair_facts/finite_constants.h"
#include "verify/pair_facts/second_reading.h"
#include "verify/ring/sampled.h"

namespace isoshard::verify {
namespace {

/// Of the numbers in rung F where a ring found a difference: what shows for numbers of one sign only is missed once in
/// 2^16 times. An output that is equal needs one.
constexpr uint32_t kFloatDraws = 16;

/// Per output: the ring finds it different, and floats do not while constants are read so.
std::vector<bool> near_outputs(const Pair& pair, const EquivalenceOptions& options, const RingOutcome& ring,
                               const sim::ConstantReadings& constants) {
  FloatOptions float_options = float_options_of(options);
  float_options.constants = constants;
  std::vector<bool> near;
  for (const RingOutput& o : ring.outputs) near.push_back(!ring.speaks() || !o.equal);
  FloatOutcome floats = compare_in_floats(pair, float_options, near);
  compare_special_inputs(pair, float_options, floats);
  if (!floats.failure) compare_guided_inputs(pair, float_options, near, floats);
  for (size_t o = 0; o < near.size(); ++o) near[o] = near[o] && !floats.outputs[o].counterexample;
  return near;
}

/// Per output: how far apart both programs are while constants are as written, relative to the largest element.
std::vector<double> distances(const Pair& pair, const EquivalenceOptions& options,
                              const sim::ConstantReadings& as_written) {
  FloatOptions float_options = float_options_of(options);
  float_options.constants = as_written;
  std::vector<double> result;
  const std::vector<bool> none(pair.sharded.plan.outputs.size(), false);
  for (const FloatOutput& o : compare_in_floats(pair, float_options, none).outputs) {
    result.push_back(o.max_abs == 0 ? 0 : o.max_abs / o.max_size);
  }
  return result;
}

/// Some more outputs are equal, and none fewer.
bool equals_more(const RingOutcome& now, const RingOutcome& before) {
  const auto equal = [](const RingOutcome& ring, size_t o) { return ring.speaks() && ring.outputs[o].equal; };
  bool more = false;
  for (size_t o = 0; o < now.outputs.size(); ++o) {
    if (equal(before, o) && !equal(now, o)) return false;
    more = more || (equal(now, o) && !equal(before, o));
  }
  return more;
}

RingOptions ring_options_of(const Pair& pair, const EquivalenceOptions& options) {
  RingOptions result;
  result.seed = options.seed;
  result.workers = options.workers;
  result.lanes = options.lanes;
  result.only = options.only_rung;
  result.memory = options.memory;
  result.domain = options.ring;
  result.inputs = options.ring_inputs;
  result.constants = finite_constants(pair);
  return result;
}

/// Where tests plant faulty domains nothing is refuted by numbers.
RingOutcome ask_ladder(const Pair& pair, const EquivalenceOptions& options, RingOptions& ring_options) {
  FloatOptions floats = float_options_of(options);
  floats.constants = ring_options.constants;
  if (options.ring || options.bounded) return run_ladder(pair, ring_options);
  return run_ladder(pair, ring_options, [&](const std::vector<RingOutput>& known, const std::vector<bool>& open) {
    floats.known = known;
    return refuted_outputs(pair, floats, open);
  });
}

/// Whether each output is equal, and none rests on draws or on where the sharded program has a value.
bool is_settled(const Pair& pair, const RingOutcome& ring, double worst) {
  if (!ring.speaks() || ring.zero_denominator || !ring.equal() || ring.terms.log2_error > worst) return false;
  for (size_t o = 0; o < ring.outputs.size(); ++o) {
    if (!ring.outputs[o].rests_on.empty() || !sampled_in_words(pair, ring, o).empty()) return false;
  }
  return true;
}

/// The largest of the largest of blocks, and the first of them, as the largest of all.
std::optional<Pair> with_largest_of_all(const Pair& pair) {
  const std::optional<Pair> merged = merge_top_k(pair);
  std::optional<Pair> found = find_first_of_largest(merged ? *merged : pair);
  return found ? found : merged;
}

/// Asks the ladder once more with the largest of the largest of blocks as the largest of all, where that settles what
/// is open. Floats are asked about the programs as they are.
void merge_and_ask(const Pair& pair, const EquivalenceOptions& options, LadderAnswer& answer) {
  if (is_settled(pair, answer.ring, options.lanes.worst)) return;
  const std::optional<Pair> merged = with_largest_of_all(pair);
  if (!merged) return;
  RingOptions again = ring_options_of(pair, options);
  RingOutcome ring = ask_ladder(*merged, options, again);
  if (!is_settled(*merged, ring, options.lanes.worst)) return;
  answer.options = std::move(again), answer.ring = std::move(ring);
}

/// Asks the ladder again where outputs differ as written, but not when constants count as what they may be meant as;
/// the readings that make more of them equal become those of the answer.
void read_again(const Pair& pair, const EquivalenceOptions& options, LadderAnswer& answer) {
  RingOutcome& ring = answer.ring;
  const sim::ConstantReadings as_written = answer.options.constants;
  std::vector<double> apart;
  for (const std::vector<SecondReading>& way : second_readings(pair)) {
    RingOptions again = answer.options;
    again.constants = as_written;
    for (const SecondReading& r : way) again.constants.set(r.written, r.dtype, r.reading);
    std::vector<bool> near = near_outputs(pair, options, ring, again.constants);
    if (any_output(near) && apart.empty()) apart = distances(pair, options, as_written);
    for (size_t o = 0; o < near.size(); ++o) {
      near[o] = near[o] && apart[o] <= rounding_of(way);
      answer.explained[o] = answer.explained[o] || near[o];
    }
    if (!any_output(near)) continue;
    RingOutcome now = ask_ladder(pair, options, again);
    for (size_t o = 0; o < near.size() && now.speaks(); ++o) {
      const bool before = ring.speaks() && ring.outputs[o].equal;
      now.outputs[o].equal = now.outputs[o].equal && (near[o] || before);
    }
    if (now.failure || !equals_more(now, ring)) continue;
    ring = std::move(now);
    answer.options.constants = again.constants;
    for (const SecondReading& r : way) ring.assumes.readings.push_back(r.to_string());
    if (ring.equal()) break;
  }
}

LadderAnswer ask_of(const Pair& pair, const EquivalenceOptions& options) {
  LadderAnswer answer{.options = ring_options_of(pair, options)};
  answer.ring = ask_ladder(pair, options, answer.options);
  answer.explained.assign(answer.ring.outputs.size(), false);
  if (answer.ring.failure || options.ring) return answer;
  merge_and_ask(pair, options, answer);
  const bool settled = answer.ring.speaks() && answer.ring.equal();
  if (!answer.ring.failure && !settled) read_again(pair, options, answer);
  return answer;
}

/// Asks about a pair with logarithms of sums in the place of what does not overflow, and as it stands.
LadderAnswer ask_with_logs(const Pair& pair, const EquivalenceOptions& options) {
  const std::optional<Pair> written = options.ring ? std::nullopt : write_logs_of_sums(pair);
  if (!written) return ask_of(pair, options);
  LadderAnswer of_written = ask_of(*written, options);
  if (is_settled(*written, of_written.ring, options.lanes.worst)) return of_written;
  LadderAnswer as_it_stands = ask_of(pair, options);
  return equals_more(of_written.ring, as_it_stands.ring) ? std::move(of_written) : std::move(as_it_stands);
}

}  // namespace

FloatOptions float_options_of(const EquivalenceOptions& options) {
  return FloatOptions{options.seed, options.workers, kFloatDraws, options.bounded};
}

LadderAnswer ask_ladders(const Pair& pair, const EquivalenceOptions& options) {
  const std::optional<Pair> decided = options.ring ? std::nullopt : decide_guards(pair, options.seed);
  return ask_with_logs(decided ? *decided : pair, options);
}

}  // namespace isoshard::verify

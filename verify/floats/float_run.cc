// Rung F: looks for an ordinary input on which the programs differ by more than rounding explains. Both run in f64 with
// an error bound per number (docs/spec/float_bounds.md), and a difference counts above 1000 times the bounds of both.
// NOT EQUAL rests on that alone, so a run is thrown away when its bounds say too little: where a tie decided an
// integer. Inputs go from ordinary to special: several scales, further ones where some clip took one side only so far,
// whole numbers, whose sums are exact, then zeros, ties, one sign, extremes, and orders that random numbers hardly
// have. Special inputs beside an EQUAL, and all of large programs, run in plain f64 first, and with bounds only where
// that differs. Costs one run of both programs per input, at most 128 in a search.
#include "verify/floats/float_run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/support/result.h"
#include "core/value/npz.h"
#include "sim/domains/floats/bounded_masks.h"
#include "sim/domains/floats/bounded_names.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/engine/answers_ahead.h"
#include "sim/run/assemble.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/kept_inputs.h"
#include "verify/compare/restrict_outputs.h"
#include "verify/compare/steps.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/signs/total.h"
#include "verify/floats/clip_watch.h"
#include "verify/floats/coarse_difference.h"
#include "verify/floats/compared_output.h"
#include "verify/floats/float_draws.h"
#include "verify/floats/output_rows.h"
#include "verify/floats/plain_agreement.h"
#include "verify/pair_facts/contents.h"
#include "verify/pair_facts/float_facts.h"
#include "verify/pair_facts/work.h"

namespace isoshard::verify {
namespace {

/// Programs that compute more of them take seconds with bounds: special inputs are tried without, first.
constexpr uint64_t kManyElements = uint64_t{1} << 20;
/// Of what the bounds of an ordinary run can tell: special inputs may have less rounding.
constexpr double kLeft = 0x1p-4;

/// Results are compared in every step, an update after one of them.
bool is_compared(const Pair& pair, const FloatOptions& options, size_t output, uint32_t step) {
  if (!pair.sharded.plan.outputs[output].updates.valid()) return true;
  return static_cast<int64_t>(step) == (options.known.empty() ? pair.steps : options.known[output].step);
}

sim::Value whole_of(const Pair& pair, const sim::RunResult& reference, size_t output) {
  return sim::assemble(pair.sharded.plan.outputs[output].type, reference.outputs[pair.reference_output[output]]).value;
}

/// Its verdict stands on masks that are infinite.
bool is_masked(const FloatOptions& options, size_t output) {
  return !options.domain && !options.known.empty() && options.known[output].masked;
}

/// What all runs share.
struct Watched {
  Watched(const Pair& pair, const FloatOptions& options)
      : rows(pair, options.known),
        nonnegative(nonnegative_inputs(pair, Whose::both)),
        names(compares_data(pair)),
        sharded(pair.sharded.plan),
        reference(pair.reference.plan) {}

  PairObservers observers() {
    return {sharded.needed() ? &sharded : nullptr, reference.needed() ? &reference : nullptr};
  }

  OutputRows rows;
  std::vector<bool> nonnegative;  ///< per global
  bool names;                     ///< numbers are compared with themselves
  ClipWatch sharded, reference;
  bool tied = false;  ///< some run was not used because a tie decided an integer
};

/// The outputs of `differs` without a counterexample.
std::vector<bool> open_outputs(const FloatOutcome& outcome, const std::vector<bool>& differs) {
  std::vector<bool> open = differs;
  for (size_t o = 0; o < open.size(); ++o) open[o] = open[o] && !outcome.outputs[o].counterexample;
  return open;
}

/// For the outputs that were `open` and have a counterexample now.
void keep_inputs(const Pair& pair, const PairRun& both, const sim::Domain& domain, const std::vector<bool>& open,
                 FloatOutcome& outcome) {
  std::shared_ptr<const std::vector<NamedTensor>> arrays;
  for (size_t o = 0; o < open.size(); ++o) {
    if (!open[o] || !outcome.outputs[o].counterexample) continue;
    if (!arrays) arrays = arrays_of(pair, both, domain);
    outcome.outputs[o].counterexample->arrays = arrays;
  }
}

/// The inputs of a run.
DrawGlobal inputs_of(const Pair& pair, const FloatOptions& options, const sim::Domain& domain, const FloatRun& run,
                     const Watched& watched) {
  return [&](const Global& g, uint32_t step) {
    Draw draw{options.seed, run.draw, {}, step};
    draw.indices = pair.indices;
    draw.integers = options.integers;
    const GlobalId id(static_cast<size_t>(&g - pair.module->globals.data()));
    FloatDraw floats = run.one == id ? run.of_one : run.floats;
    floats.nonnegative = watched.nonnegative[id.index()] && run.draw % 4 != 3;  // log(x + 1) is a number for some x < 0
    return draw_float(g, domain, draw, floats);
  };
}

/// All steps of both programs on one draw; bounds are carried from step to step with the updated globals.
void compare_run(const Pair& pair, const FloatOptions& options, const sim::Domain& domain, FloatRun run,
                 Watched& watched, FloatOutcome& outcome) {
  OutputRows::Missed left_out(watched.rows);
  const DrawGlobal inputs = inputs_of(pair, options, domain, run, watched);
  const auto input = [&](const Global& g, uint32_t step) {
    sim::Value value = inputs(g, step);
    left_out.take(g, value);
    return value;
  };
  PairRun both(pair, domain, input, options.workers);
  both.draw_padding(run.draw);
  for (run.step = 1; run.step <= pair.steps; ++run.step) {
    const Result<void> ran = both.next(run.masks == Masks::infinite ? PairObservers{} : watched.observers());
    if (!ran) {
      outcome.failure = ran.error();
      return;
    }
    if (!both.began_in_range()) return;
    const auto* bounded = dynamic_cast<const sim::BoundedDomain*>(&domain);
    if (bounded != nullptr && bounded->ties() > 0) {  // integers may be wrong without a bound that says so
      watched.tied = true;
      return;
    }
    const PairResult& result = both.result();
    const std::vector<bool> open = open_outputs(outcome, std::vector<bool>(outcome.outputs.size(), true));
    for (size_t o = 0; o < outcome.outputs.size(); ++o) {
      const bool masked = is_masked(options, o), infinite = run.masks == Masks::infinite;
      if (!is_compared(pair, options, o, run.step) || (infinite && !masked) || left_out.holds(o)) continue;
      const ComparedOutput output{pair.sharded.plan.outputs[o].type, result.sharded.outputs[o],
                                  whole_of(pair, result.reference, o)};
      if (masked == infinite) {
        compare_output_in_floats(run, output, outcome.outputs[o]);
      } else if (run.measure) {
        compare_as_written(run, output, outcome.outputs[o]);
      }
    }
    if (options.keep_inputs && run.step == 1) keep_inputs(pair, both, domain, open, outcome);
  }
}

bool any_masked(const FloatOptions& options, const FloatOutcome& outcome) {
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    if (is_masked(options, o)) return true;
  }
  return false;
}

/// In every other draw one number for all integers that are padding: a count of it must not depend on it. Those that a
/// global is compared with come first.
sim::PaddingNumbers padding_of(const Pair& pair, uint32_t draw) {
  sim::PaddingNumbers result;
  const std::set<int64_t> special = sim::IntegerDomain::special_numbers(pair.indices.numbers);
  const auto take = [&](std::vector<int64_t>& numbers) {
    numbers.insert(numbers.end(), special.begin(), special.end());
    if (draw % 2 != 0) numbers = {numbers[draw / 2 % numbers.size()]};
  };
  result.others.clear();
  take(result.others);
  result.of_globals = pair.indices.padding->compared;
  for (auto& [global, numbers] : result.of_globals) take(numbers);
  return result;
}

std::unique_ptr<sim::Domain> domain_of(const FloatOptions& options, const Watched& watched) {
  if (options.domain) return options.domain();
  if (watched.names) return std::make_unique<sim::NamedBoundedDomain>(options.constants);
  return std::make_unique<sim::BoundedDomain>(options.constants);
}

void compare_in_domains(const Pair& pair, const FloatOptions& options, FloatRun run, Watched& watched,
                        FloatOutcome& outcome) {
  const std::unique_ptr<sim::Domain> domain = domain_of(options, watched);
  domain->pad_with(padding_of(pair, run.draw));
  compare_run(pair, options, *domain, run, watched, outcome);
  if (!any_masked(options, outcome) || outcome.failure) return;
  run.masks = Masks::infinite;
  sim::MaskedBoundedDomain masked(options.constants);
  masked.pad_with(padding_of(pair, run.draw));
  compare_run(pair, options, masked, run, watched, outcome);
}

/// Per output what its bounds can tell at best, or less; empty where that is not known, or says too little.
std::vector<double> resolutions(const FloatOptions& options, const FloatOutcome& outcome) {
  std::vector<double> result;
  if (!options.all_equal) return result;
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    if (is_masked(options, o) || !std::isfinite(outcome.outputs[o].resolution)) return {};
    result.push_back(std::min(kFinest, outcome.outputs[o].resolution * kLeft));
  }
  return result;
}

/// Per run whether it needs bounds.
sim::AnswersAhead<bool> answers_without_bounds(const Pair& pair, const FloatOptions& options,
                                               const std::vector<FloatRun>& runs, const Watched& watched,
                                               const std::vector<double>& resolution) {
  const bool many = elements_computed(pair) > kManyElements;
  if (options.domain || (!many && resolution.empty())) {
    return sim::AnswersAhead<bool>(runs.size(), 1, [](size_t) { return true; });
  }
  const size_t threads = runs_at_once(pair, sim::FloatDomain(sim::Precision::f64), options.workers);
  const sim::Workers workers = threads > 1 ? options.workers.alone() : options.workers;
  return sim::AnswersAhead<bool>(runs.size(), threads, [&, many, workers](size_t r) {
    const auto inputs = [&](const sim::Domain& plain) { return inputs_of(pair, options, plain, runs[r], watched); };
    const sim::PaddingNumbers padding = padding_of(pair, runs[r].draw);
    return many ? differs_coarsely(pair, padding, inputs, workers)
                : !agrees_plainly(pair, padding, inputs, resolution, workers);
  });
}

/// Runs of special inputs, while `goes_on`; first without bounds where they are large, or as `resolution` allows.
void compare_special_runs(const Pair& pair, const FloatOptions& options, const std::vector<FloatRun>& runs,
                          const std::function<bool()>& goes_on, Watched& watched, FloatOutcome& outcome,
                          const std::vector<double>& resolution) {
  sim::AnswersAhead<bool> differs = answers_without_bounds(pair, options, runs, watched, resolution);
  for (size_t r = 0; r < runs.size() && goes_on(); ++r) {
    if (differs.at(r)) compare_in_domains(pair, options, runs[r], watched, outcome);
  }
}

/// All runs of both programs as they are.
FloatOutcome compare_runs(const Pair& pair, const FloatOptions& options, const std::vector<bool>& differs,
                          Watched& watched) {
  options.workers.begin_part("rung F");
  FloatOutcome outcome;
  outcome.outputs.resize(pair.sharded.plan.outputs.size());
  const auto open = [&] { return any_output(open_outputs(outcome, differs)); };
  std::vector<FloatRun> runs = ordinary_runs(options.draws);
  const auto compare = [&](const FloatRun& run) { compare_in_domains(pair, options, run, watched, outcome); };
  for (size_t r = 0; r < runs.size() && (r == 0 || open()) && !outcome.failure; ++r) {
    runs[r].measure = r == 0;
    compare(runs[r]);
  }
  const auto one_sided = [&] { return watched.sharded.one_sided() || watched.reference.one_sided(); };
  for (const FloatRun& run : further_scales()) {
    if (open() && one_sided() && !outcome.failure) compare(run);
  }
  for (const FloatRun& run : whole_runs()) {
    if (open() && !outcome.failure) compare(run);
  }
  return outcome;
}

/// Whether no input is special: rings found all outputs equal, of total programs with all constants as written, and did
/// not draw the order of floats.
bool formulas_say_all(const Pair& pair, const FloatOptions& options) {
  if (!options.all_equal || options.by_orders || !options.constants.are_written()) return false;
  for (size_t o = 0; o < pair.sharded.plan.outputs.size(); ++o) {
    if (is_masked(options, o)) return false;
  }
  const auto total = [](const MappedGlobal& map) { return is_total(map.read); };
  return is_total(pair.sharded.plan) && is_total(pair.reference.plan) &&
         std::all_of(pair.maps.begin(), pair.maps.end(), total);
}

/// The options of the whole pair, for a part of it.
FloatOptions options_of(const Restricted& part, const FloatOptions& whole) {
  FloatOptions options = whole;
  options.known.clear();
  for (const size_t o : part.outputs) {
    if (!whole.known.empty()) options.known.push_back(whole.known[o]);
  }
  return options;
}

}  // namespace

/// Ties of values that the open outputs do not need, such as an index that nobody reads, are left out with them.
FloatOutcome compare_in_floats(const Pair& pair, const FloatOptions& options, const std::vector<bool>& differs) {
  Watched watched(pair, options);
  FloatOutcome outcome = compare_runs(pair, options, differs, watched);
  const std::vector<bool> open = open_outputs(outcome, differs);
  if (!watched.tied || outcome.failure || !any_output(open)) return outcome;
  const Restricted part = restrict_to(pair, open);
  const FloatOptions of_outputs = options_of(part, options);
  Watched again(part.pair, of_outputs);
  FloatOutcome of_part = compare_runs(part.pair, of_outputs, part.wanted, again);
  for (size_t o = 0; o < part.outputs.size() && !of_part.failure; ++o) {
    if (part.wanted[o]) outcome.outputs[part.outputs[o]] = std::move(of_part.outputs[o]);
  }
  return outcome;
}

size_t most_runs(const Pair& pair) {
  constexpr uint64_t kMostRuns = 128, kMostElements = uint64_t{1} << 24;
  return std::min(kMostRuns, kMostElements / std::max(elements_computed(pair), uint64_t{1}));
}

void compare_guided_inputs(const Pair& pair, const FloatOptions& options, const std::vector<bool>& open,
                           FloatOutcome& outcome) {
  Watched watched(pair, options);
  const auto goes_on = [&] { return !outcome.failure && any_output(open_outputs(outcome, open)); };
  compare_special_runs(pair, options, guided_runs(pair, most_runs(pair)), goes_on, watched, outcome, {});
}

void compare_special_inputs(const Pair& pair, const FloatOptions& options, FloatOutcome& outcome) {
  if (formulas_say_all(pair, options)) return;
  Watched watched(pair, options);
  const auto goes_on = [&] {
    return !outcome.failure && std::none_of(outcome.outputs.begin(), outcome.outputs.end(),
                                            [](const FloatOutput& o) { return o.counterexample.has_value(); });
  };
  const std::vector<double> resolution = resolutions(options, outcome);
  const auto run_all = [&] {
    compare_special_runs(pair, options, special_runs(pair), goes_on, watched, outcome, resolution);
  };
  run_all();
  // A power may be a number where its base is negative; exp of a multiple of a logarithm is none.
  if (contents_of(pair).powers) {
    watched.nonnegative.assign(watched.nonnegative.size(), false);
    run_all();
  }
  // A root or logarithm that only the sharded program takes, exp(log x) beside x, must have a value, too.
  const std::vector<bool> of_reference = nonnegative_inputs(pair, Whose::reference);
  if (of_reference == watched.nonnegative) return;
  watched.nonnegative = of_reference;
  run_all();
}

}  // namespace isoshard::verify

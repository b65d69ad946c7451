// A run on devices beside sim. Every step is compared by itself: sim begins with the globals with which the devices
// began, so that rounding does not add up over steps and a bound of one step is enough; that all steps hold is that the
// run holds, by induction. Sim runs the Plan as `isoshard sim` does. Only where floats have other bits it runs once
// more, in f64 with a bound for each element of what a run may differ that rounds in its own dtypes and adds in any
// order (sim/domains/floats/run_bound.h). Cost: one run of sim a step, at most two and a half more for the bounds.
#include "command_line/commands/run_check.h"

#include <algorithm>
#include <cstdio>

#include "command_line/commands/sim_start.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/floats/run_bound.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"
#include "verify/answers/words.h"

namespace isoshard::command_line {
namespace {

using Answer = sim::ArrayDifference::Answer;

std::optional<sim::RunResult> run_sim_step(const Plan& plan, const sim::Domain& domain,
                                           const std::vector<Tensor>& globals, int workers, DiagnosticSink& sink) {
  sim::RunOptions options;
  options.workers = workers;
  Result<sim::RunResult> result = sim::run(plan, domain, to_values(globals, domain), options);
  if (result) return std::move(*result);
  sink.add(result.error());
  return std::nullopt;
}

/// Bounds of the outputs of one step, made when they are asked for.
class StepBounds {
 public:
  StepBounds(const Plan& plan, const std::vector<Tensor>& globals, const Settings& settings)
      : plan_(plan),
        globals_(globals),
        workers_(settings.workers),
        domain_(plan.mesh->device_count(), settings.products == "tf32") {}

  /// Nothing where integers depend on floats that are too close to say how.
  std::optional<sim::ElementBounds> of(size_t output) {
    if (!run() || domain_.ties() != 0 || !is_float(plan_.outputs[output].type.dtype)) return std::nullopt;
    const sim::Value value = sim::assemble(plan_.outputs[output].type, result_->outputs[output]).value;
    const auto values = value.plane<double>(0), errors = value.plane<double>(1);
    return sim::ElementBounds{{values.begin(), values.end()}, {errors.begin(), errors.end()}};
  }
  /// Whether integers, or this output of predicates, depend on floats that are too close to say how.
  bool has_ties(size_t output) {
    if (!run()) return false;
    if (plan_.outputs[output].type.dtype == DType::pred) {
      const sim::Value value = sim::assemble(plan_.outputs[output].type, result_->outputs[output]).value;
      std::vector<uint8_t> decided(static_cast<size_t>(value.size()));
      domain_.decide(value.size(), value.data.get(), decided.data());
    }
    return domain_.ties() != 0;
  }

 private:
  bool run() {
    DiagnosticSink ignored;  // sim has done this step
    if (!result_) result_ = run_sim_step(plan_, domain_, globals_, workers_, ignored);
    return result_.has_value();
  }

  const Plan& plan_;
  const std::vector<Tensor>& globals_;
  int workers_;
  sim::RunBoundDomain domain_;
  std::optional<sim::RunResult> result_{};
};

/// Whether each rank holds the very bits that its twin in sim has stored.
bool holds_blocks_of_sim(const exec::Job& job, uint32_t output, const std::vector<sim::StoredBlock>& blocks,
                         const sim::Domain& domain) {
  return std::all_of(blocks.begin(), blocks.end(), [&](const sim::StoredBlock& block) {
    const auto rank = static_cast<size_t>(block.position);
    const std::vector<calls::HeldBox>& boxes = job.lists[rank].outputs;
    const auto box = std::find_if(boxes.rbegin(), boxes.rend(), [&](const calls::HeldBox& held) {
      return held.of == output && held.range.begin == block.begin;
    });
    if (box == boxes.rend()) return false;
    const auto held = job.desk->output(rank, static_cast<size_t>(boxes.rend() - box) - 1);
    const Tensor of_sim = sim::to_tensor(block.value, domain);
    return std::equal(held.begin(), held.end(), of_sim.bytes().begin(), of_sim.bytes().end());
  });
}

std::string difference_text(const sim::ArrayDifference& difference) {
  char text[160];
  std::snprintf(text, sizeof text, "%lld element%s with other bits, largest difference %.3g, relative %.3g",
                static_cast<long long>(difference.differing), difference.differing == 1 ? "" : "s", difference.absolute,
                difference.relative);
  return text;
}

std::string answer_text(const sim::ArrayDifference& difference) {
  char share[96];
  switch (difference.answer) {
    case Answer::equal_bits:
      return "equal bit for bit";
    case Answer::within_bound:
      std::snprintf(share, sizeof share, ", at most %.2g of its bound, which is at most %.2g of the largest element",
                    difference.of_bound, difference.bound / difference.largest);
      return "equal within rounding: " + difference_text(difference) + share;
    case Answer::unbounded:
      return "not bit for bit, no useful bound, first at " + verify::index_in_words(difference.index) + ": " +
             difference_text(difference);
    case Answer::differs:
      return "DIFFERS, first at " + verify::index_in_words(difference.index) + ": " + difference_text(difference);
  }
  return "";
}

}  // namespace

CheckAgainstSim::CheckAgainstSim(const Plan& plan, const Settings& settings)
    : plan_(plan), settings_(settings), worst_(plan.outputs.size()), copies_differ_(plan.outputs.size()) {}

void CheckAgainstSim::keep(size_t output, int64_t step, const sim::ArrayDifference& difference) {
  Worst& worst = worst_[output];
  const auto badness = [](const sim::ArrayDifference& d) { return std::tuple(d.answer, d.of_bound, d.absolute); };
  if (steps_ == 1 || badness(difference) > badness(worst.difference)) worst = {difference, step};
}

bool CheckAgainstSim::look(int64_t step, const std::vector<Tensor>& globals, std::span<const Tensor> outputs,
                           const exec::Job& job, DiagnosticSink& sink) {
  ++steps_;
  differs_ = false;
  const sim::Domain& domain = sim::float_domain(sim::Precision::as_written);
  const std::optional<sim::RunResult> result = run_sim_step(plan_, domain, globals, settings_.workers, sink);
  if (!result) return false;
  StepBounds bounds(plan_, globals, settings_);
  for (size_t o = 0; o < outputs.size(); ++o) {
    const sim::Assembled whole = sim::assemble(plan_.outputs[o].type, result->outputs[o]);
    copies_differ_[o] =
        !whole.disagreements.empty() && holds_blocks_of_sim(job, static_cast<uint32_t>(o), result->outputs[o], domain);
    const Tensor of_sim = sim::to_tensor(whole.value, domain);
    sim::ArrayDifference difference = sim::difference_of(outputs[o], of_sim, std::nullopt);
    if (difference.answer == Answer::unbounded) {
      difference = sim::difference_of(outputs[o], of_sim, bounds.of(o));
    } else if (difference.answer == Answer::differs && bounds.has_ties(o)) {
      difference.answer = Answer::unbounded;  // floats that are close have been compared, or made integers
    }
    differs_ |= difference.answer == Answer::differs;
    keep(o, step, difference);
  }
  return true;
}

std::string CheckAgainstSim::line(size_t output) const {
  const Worst& worst = worst_[output];
  std::string text = "  @" + plan_.outputs[output].name + "  " + answer_text(worst.difference);
  if (settings_.steps == 1) return text + "\n";
  if (worst.difference.answer == Answer::equal_bits) {
    return text + (steps_ < settings_.steps ? " in these " : " in all ") + std::to_string(steps_) + " steps\n";
  }
  return text + "; step " + std::to_string(worst.step) + " of " + std::to_string(settings_.steps) + "\n";
}

Answer CheckAgainstSim::answer() const {
  Answer result = Answer::equal_bits;
  for (const Worst& worst : worst_) result = std::max(result, worst.difference.answer);
  return result;
}

std::string CheckAgainstSim::text() const {
  std::string text("compared with sim");
  if (steps_ < settings_.steps)
    text += ", " + std::to_string(steps_) + " of " + std::to_string(settings_.steps) + " steps";
  text += ":\n";
  for (size_t o = 0; o < worst_.size(); ++o) text += line(o);
  switch (answer()) {
    case Answer::equal_bits:
      return text + "EQUAL to sim, bit for bit\n";
    case Answer::within_bound:
      return text + "EQUAL to sim within the bounds of rounding\n";
    case Answer::unbounded:
      return text + "UNDECIDED: not bit for bit; no useful bound\n";
    case Answer::differs:
      return text + "NOT EQUAL to sim\n";
  }
  return text;
}

int CheckAgainstSim::code() const {
  const Answer worst = answer();
  return worst == Answer::differs ? kDoesNotHold : worst == Answer::unbounded ? kUndecided : kHolds;
}

}  // namespace isoshard::command_line

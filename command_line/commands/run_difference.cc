// Where a run on devices parts with sim. The step is done again with its own calls and, behind those that complete a
// value, a copy of it (core/plan/calls/writing/written_values.h); sim keeps the same values, and those of its bounds.
// "First" is in the order in which one worker of sim makes values, in which none comes before what it is made of. So
// many values are looked at as fit into a budget of memory, spread over the whole step; then those between the last
// that is as in sim before the first that differs, and that one, until there are none left between. Cost: a run of the
// ranks, and two of sim, for each round; each leaves a part of the step as large as its budget is small.
#include "command_line/commands/run_difference.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "command_line/commands/run_ranks.h"
#include "command_line/commands/sim_start.h"
#include "core/plan/calls/print_calls.h"
#include "core/plan/calls/writing/written_values.h"
#include "core/plan/memory/plan_memory.h"
#include "core/support/counted.h"
#include "core/support/result.h"
#include "exec/run/steps.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/floats/run_bound.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/array_difference.h"
#include "verify/answers/words.h"

namespace isoshard::command_line {
namespace {

using Verdict = sim::ArrayDifference::Answer;

constexpr size_t kBudget = size_t{256} << 20;  // bytes of copies on all ranks

/// One making of a value on one rank.
struct Making {
  int64_t position = 0;
  PlanValueId id{};
  size_t time = 0;
  auto operator<=>(const Making&) const = default;
};

/// Numbers the values of a run in the order in which they are made, or keeps those that are asked for.
class Makings final : public sim::ValueObserver {
 public:
  explicit Makings(const std::set<Making>* kept = nullptr) : kept_(kept) {}

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override {
    const std::lock_guard lock(mutex_);
    const Making making{position, id, times_[{position, id}]++};
    if (kept_ == nullptr) {
      order_.emplace(making, order_.size());
    } else if (kept_->count(making) != 0) {
      values_.emplace(making, value);
    }
  }

  const std::map<Making, size_t>& order() const { return order_; }
  const std::map<Making, sim::Value>& values() const { return values_; }

 private:
  const std::set<Making>* kept_;
  std::mutex mutex_;
  std::map<std::pair<int64_t, PlanValueId>, size_t> times_;
  std::map<Making, size_t> order_;
  std::map<Making, sim::Value> values_;
};

/// What a rank writes that sim makes, too.
struct Candidate {
  size_t order = 0;  ///< in sim
  Making making;
  calls::WrittenValue value;

  size_t bytes() const {
    return static_cast<size_t>(element_count(value.held.type->shape)) * info(value.held.type->dtype).bytes;
  }
};

/// What a look at some candidates has found.
struct Look {
  std::string failure;          ///< why it was none
  std::optional<size_t> first;  ///< the first that differs, among those that were looked at
  std::string words;            ///< about it
};

/// One step, done once more for each look.
class StepAgain {
 public:
  StepAgain(const Plan& plan, const std::vector<calls::CallList>& lists, const std::vector<Tensor>& globals,
            const exec::KnownAlgorithms& known, const Settings& settings)
      : plan_(plan),
        lists_(lists),
        globals_(globals),
        known_(known),
        settings_(settings),
        bounded_(plan.mesh->device_count(), settings.products == "tf32") {
    settings_.graph = "off";
    settings_.check = false;
    settings_.steps = 1;
    find_candidates();
  }

  const std::vector<Candidate>& candidates() const { return candidates_; }

  Look look_at(const std::vector<size_t>& some) {
    DiagnosticSink sink;
    std::vector<Tensor> got;
    if (!run_ranks(some, got, sink)) return {sink.diagnostics().back().message, {}, {}};
    std::set<Making> kept;
    for (const size_t c : some) kept.insert(candidates_[c].making);
    const sim::Domain& exact = sim::float_domain(sim::Precision::as_written);
    Makings of_sim(&kept), bounds(&kept);
    if (!run_sim(exact, of_sim) || !run_sim(bounded_, bounds)) return {"sim cannot do the step", {}, {}};
    for (size_t i = 0; i < some.size(); ++i) {
      const Making& making = candidates_[some[i]].making;
      const Tensor expected = sim::to_tensor(of_sim.values().at(making), exact);
      const sim::ArrayDifference difference = compare(got[i], expected, bounds.values().at(making));
      if (difference.answer == Verdict::differs)
        return {{}, i, in_words(candidates_[some[i]], difference, got[i], expected)};
    }
    return {};
  }

 private:
  void find_candidates() {
    Plan ordered = plan_;
    const Result<MemoryPlan> memory = plan_memory(ordered, Reuse::ordered);
    Makings order;
    if (!memory || !run_sim(sim::float_domain(sim::Precision::as_written), order)) return;
    for (const calls::CallList& list : lists_) {
      for (const calls::WrittenValue& value : calls::written_values(ordered, *memory, list)) {
        const Making making{list.position, value.id, value.time};
        const auto known = order.order().find(making);
        if (known == order.order().end()) continue;
        candidates_.push_back({known->second, making, value});
        candidates_.back().value.held.type = &plan_.value(value.id).type();  // the other Plan goes
      }
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
  }

  bool run_sim(const sim::Domain& domain, Makings& makings) const {
    sim::RunOptions options;
    options.workers = 1;  // whose order is the one of values
    options.observer = &makings;
    return sim::run(plan_, domain, to_values(globals_, domain), options).has_value();
  }

  /// Lists that copy these candidates to outputs of a Plan that has no others.
  std::vector<calls::CallList> watched_lists(const std::vector<size_t>& some, Plan& watched) const {
    watched.outputs.clear();
    std::vector<std::vector<std::pair<calls::WrittenValue, uint32_t>>> of_rank(lists_.size());
    for (const size_t c : some) {
      Output output;
      output.type = *candidates_[c].value.held.type;
      of_rank[static_cast<size_t>(candidates_[c].making.position)].emplace_back(
          candidates_[c].value, static_cast<uint32_t>(watched.outputs.size()));
      watched.outputs.push_back(std::move(output));
    }
    std::vector<calls::CallList> lists;
    for (size_t rank = 0; rank < lists_.size(); ++rank) {
      auto& values = of_rank[rank];
      std::stable_sort(values.begin(), values.end(),
                       [](const auto& a, const auto& b) { return a.first.call < b.first.call; });
      std::vector<calls::WrittenValue> in_order;
      for (const auto& [value, output] : values) in_order.push_back(value);
      lists.push_back(calls::with_copies(lists_[rank], in_order));
      for (size_t i = 0; i < values.size(); ++i) lists.back().outputs[i].of = values[i].second;
    }
    return lists;
  }

  /// What ranks have of `some`, in that order.
  bool run_ranks(const std::vector<size_t>& some, std::vector<Tensor>& got, DiagnosticSink& sink) const {
    Plan watched = plan_;
    std::vector<calls::CallList> lists = watched_lists(some, watched);
    int code = 0;
    const std::optional<StartedRanks> ranks = start_ranks(watched, std::move(lists), known_, settings_, sink, code);
    if (!ranks) return false;
    exec::Outcome<> done = ranks->crew->open();
    if (done) {
      exec::lay_inputs(ranks->crew->job(), globals_, true);
      done = ranks->crew->step(true).map([](double) {});
    }
    if (done) done = ranks->crew->finish();
    if (!done) {
      report_failure(done.error(), sink);
      return false;
    }
    got.resize(some.size());
    const exec::Job& job = ranks->crew->job();
    for (size_t rank = 0; rank < job.lists.size(); ++rank) {
      for (size_t i = 0; i < job.lists[rank].outputs.size(); ++i) {
        const uint32_t of = job.lists[rank].outputs[i].of;
        const TensorType& type = watched.outputs[of].type;
        got[of] = Tensor::from_bytes(type.dtype, type.shape, job.desk->output(rank, i));
      }
    }
    return true;
  }

  sim::ArrayDifference compare(const Tensor& got, const Tensor& expected, const sim::Value& bounds) const {
    sim::ArrayDifference difference = sim::difference_of(got, expected, std::nullopt);
    if (difference.answer == Verdict::unbounded && is_float(got.dtype())) {
      const auto value = bounds.plane<double>(0), error = bounds.plane<double>(1);
      const sim::ElementBounds of{{value.begin(), value.end()}, {error.begin(), error.end()}};
      return sim::difference_of(got, expected, bounded_.ties() == 0 ? std::optional(of) : std::nullopt);
    }
    if (bounded_.ties() != 0) difference.answer = std::min(difference.answer, Verdict::unbounded);
    return difference;
  }

  std::string in_words(const Candidate& candidate, const sim::ArrayDifference& difference, const Tensor& got,
                       const Tensor& expected) const {
    const calls::CallList& list = lists_[static_cast<size_t>(candidate.making.position)];
    size_t at = 0;
    for (size_t d = 0; d < difference.index.size(); ++d) {
      at = at * static_cast<size_t>(got.shape()[d]) + static_cast<size_t>(difference.index[d]);
    }
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%.9g, in sim %.9g", sim::number_at(got, at), sim::number_at(expected, at));
    std::string text("rank ");
    text += std::to_string(candidate.making.position) + ": ";
    text += calls::origin_text(list.calls[candidate.value.call], plan_);
    if (candidate.making.time != 0) text += ", time " + std::to_string(candidate.making.time + 1);
    return text + ": " + verify::index_in_words(difference.index) + " is " + numbers + " (" +
           std::to_string(difference.differing) + " of " + counted(got.size(), "element") + " with other bits)";
  }

  const Plan& plan_;
  const std::vector<calls::CallList>& lists_;
  const std::vector<Tensor>& globals_;
  const exec::KnownAlgorithms& known_;
  Settings settings_;
  sim::RunBoundDomain bounded_;
  std::vector<Candidate> candidates_{};
};

/// As many of the candidates from `begin` to before `end` as the budget allows, evenly, the last one among them.
std::vector<size_t> spread(const std::vector<Candidate>& candidates, size_t begin, size_t end) {
  for (size_t stride = 1;; stride *= 2) {
    std::vector<size_t> some;
    size_t bytes = 0;
    for (size_t c = begin + (end - 1 - begin) % stride; c < end; c += stride) {
      some.push_back(c);
      bytes += candidates[c].bytes();
    }
    if (bytes <= kBudget || some.size() == 1) return some;
  }
}

}  // namespace

std::string first_difference(const Plan& plan, const std::vector<calls::CallList>& lists,
                             const std::vector<Tensor>& globals, const exec::KnownAlgorithms& known,
                             const Settings& settings) {
  StepAgain step(plan, lists, globals, known, settings);
  // The one that is looked for is in begin..end; `words` are those about `end`, which was seen to differ.
  size_t begin = 0, end = step.candidates().size();
  std::string words;
  while (begin < end) {
    const std::vector<size_t> some = spread(step.candidates(), begin, end);
    const Look look = step.look_at(some);
    if (!look.failure.empty()) return words.empty() ? "not known: " + look.failure : words;
    if (!look.first) break;
    words = look.words;
    if (*look.first != 0) begin = some[*look.first - 1] + 1;
    end = some[*look.first];
  }
  if (!words.empty()) return words;
  std::string text("none that shows when the step is done again with copies of ");
  return text += counted(static_cast<int64_t>(step.candidates().size()), "value");
}

}  // namespace isoshard::command_line

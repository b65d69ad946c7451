#include "tests/mutation/train_steps.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/mutation/operators/rewrite.h"
#include "tests/mutation/truth.h"

namespace isoshard::mutation {
namespace {

std::string shown(const ModelRequest& request) {
  std::string text;
  for (const MeshAxis& axis : request.mesh) text += axis.name + "=" + std::to_string(axis.size) + " ";
  for (const SettingValue& setting : request.settings) text += setting.name + "=" + setting.value + " ";
  text.pop_back();
  return text;
}

std::vector<MeshAxis> random_mesh(Dice& dice, int64_t most_devices) {
  while (true) {
    std::vector<MeshAxis> axes{
        {"dp", dice.in(1, 3)}, {"fsdp", dice.in(1, 2)}, {"pp", dice.in(1, 2)}, {"tp", dice.in(1, 3)}};
    int64_t devices = 1;
    for (const MeshAxis& axis : axes) devices *= axis.size;
    if (devices > 1 && devices <= most_devices) return axes;
  }
}

/// One request. Every fourth is a transformer, with each optimizer in turn; its formulas are the largest.
class RequestDraw {
 public:
  RequestDraw(Dice& dice, size_t index)
      : dice_(dice),
        index_(index),
        transformer_(index / 4 % 4 == index % 4),
        request_{"train_step", random_mesh(dice, transformer_ ? 6 : 12), {}} {}

  ModelRequest step() {
    const std::vector<std::string> optimizers{"sgd", dice_.chance(50) ? "momentum" : "nesterov", "adam", "adamw"};
    const std::string& optimizer = optimizers[index_ % optimizers.size()];
    set("optimizer", optimizer);
    number("accumulate", 1, 4);
    set("accumulation", dice_.chance(50) ? "scan" : "loop");
    const bool clip = number("clip", 0, 1) == 1;
    number("zero", 0, 3);
    set("dropout", dice_.chance(40) ? "0.5" : "0");
    set("layer_loop", dice_.chance(50) ? "scan" : "row");
    // Denominators of its own for each number make formulas large.
    const bool small = transformer_ || optimizer[0] == 'a' || clip;
    number("micro_batches", 1, small ? 1 : 3);
    if (transformer_) {
      transformer();
    } else {
      mlp(small);
    }
    return std::move(request_);
  }

 private:
  void mlp(bool small) {
    set("model", "mlp");
    number("inputs", 1, small ? 2 : 3);
    number("width", 1, small ? 2 : 4);
    number("outputs", 1, small ? 1 : 2);
    if (small) set("hidden", std::to_string(size_of("tp")));
  }

  void transformer() {
    set("model", "transformer");
    times("layers", size_of("pp"), 3 - size_of("pp"));
    number("width", 8, 12);
    times("heads", size_of("tp"), 2);
    times("hidden", size_of("tp"), 2);
  }

  void set(const std::string& name, const std::string& value) { request_.settings.push_back({name, value}); }
  int64_t number(const std::string& name, int64_t low, int64_t high) {
    const int64_t value = dice_.in(low, high);
    set(name, std::to_string(value));
    return value;
  }
  /// `unit` up to `most` times.
  void times(const std::string& name, int64_t unit, int64_t most) {
    set(name, std::to_string(unit * dice_.in(1, most)));
  }
  int64_t size_of(const std::string& axis) const {
    const auto is_it = [&](const MeshAxis& a) { return a.name == axis; };
    return std::find_if(request_.mesh.begin(), request_.mesh.end(), is_it)->size;
  }

  Dice& dice_;
  const size_t index_;
  const bool transformer_;
  ModelRequest request_;
};

/// What of the state is never negative: second moments, and what corrects the bias of moments.
std::set<std::string> magnitudes(const Module& module) {
  std::set<std::string> result;
  for (const Global& global : module.globals) {
    if (global.role == Role::state && (global.name.ends_with(".v") || global.name.starts_with("adam."))) {
      result.insert(global.name);
    }
  }
  return result;
}

/// One request and the mistakes in it.
class Step {
 public:
  Step(const TrainStepOptions& options, const Checker& checker, const ModelRequest& request, size_t number)
      : options_(options), checker_(checker), request_(request), name_(shown(request)), next_(kPrime * number) {
    outcome_.table = reduction_counts();
  }

  TrainStepOutcome run() {
    for (const std::string& feature : features(request_)) ++outcome_.features[feature];
    step();
    return std::move(outcome_);
  }

 private:
  static constexpr size_t kPrime = 31;  ///< so that a part of the mistakes begins elsewhere in each step

  void step() {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(request_, sink);
    if (!module) return finding(render(sink.diagnostics().at(0)));
    const Check& check = module->checks.at(0);
    const Answer answer = checker_(*module, check);
    if (answer.verdict == verify::Verdict::equal && !answer.state_errors) {
      ++outcome_.equal;
    } else {
      finding(std::string(verify::name(answer.verdict)) + " " + answer.reason);
    }
    const Judge judge(*module, check.right, options_.seed, magnitudes(*module));
    if (!judge.usable()) return finding("the interpreter cannot judge it");
    if (judge.judge(*module, check.left) != Truth::same) finding("the interpreter says it is not the same");
    for (const ReductionSite& site : reduction_sites(*module)) {
      if (next_++ % options_.every == 0) mistake(*module, site, judge);
    }
  }

  void mistake(const Module& module, const ReductionSite& site, const Judge& judge) {
    std::optional<WrongProgram> wrong = with_mistake(module, site);
    if (!wrong) return finding("a mistake cannot be written");
    const std::optional<JudgedMistake> mistake =
        judged(std::move(*wrong), judge, checker_, line_of(outcome_.table, site.mistake));
    if (!mistake || !mistake->contradiction()) return;
    const std::string& what = mistake->wrong.what;
    if (mistake->truth == Truth::same) return finding(what + ": a false alarm");
    finding(what + " is WRONG, the checker says " + std::string(verify::name(mistake->answer.verdict)) + " " +
            mistake->answer.reason);
  }

  void finding(const std::string& text) { outcome_.findings.push_back(name_ + ": " + text); }

  const TrainStepOptions& options_;
  const Checker& checker_;
  const ModelRequest& request_;
  const std::string name_;
  size_t next_;
  TrainStepOutcome outcome_;
};

void show_progress(size_t number, const ModelRequest& request, const TrainStepOutcome& outcome) {
  Count sum;
  for (const Count& count : outcome.table) add(sum, count);
  std::fprintf(stderr, "%zu: %s: %u mistakes, %u WRONG, %u caught, %u SAME, %u false alarms, %zu findings\n", number,
               shown(request).c_str(), sum.made, sum.wrong, sum.caught, sum.same, sum.false_alarms,
               outcome.findings.size());
  for (const std::string& finding : outcome.findings) std::fprintf(stderr, "FINDING: %s\n", finding.c_str());
}

void add_part(TrainStepOutcome& sum, TrainStepOutcome part) {
  for (const auto& [name, count] : part.features) sum.features[name] += count;
  sum.equal += part.equal;
  for (size_t i = 0; i < sum.table.size(); ++i) add(sum.table[i], part.table[i]);
  for (std::string& finding : part.findings) sum.findings.push_back(std::move(finding));
}

}  // namespace

std::vector<ModelRequest> random_train_steps(uint64_t seed, uint32_t count) {
  std::vector<ModelRequest> result;
  for (uint32_t i = 0; i < count; ++i) {
    Dice dice(seed * 1000 + i);
    result.push_back(RequestDraw(dice, i).step());
  }
  return result;
}

std::vector<std::string> features(const ModelRequest& request) {
  std::vector<std::string> result;
  for (const MeshAxis& axis : request.mesh) {
    if (axis.size > 1) result.push_back(axis.name);
  }
  for (const SettingValue& setting : request.settings) {
    if (setting.name == "optimizer") result.push_back(setting.value == "nesterov" ? "momentum" : setting.value);
    if (setting.name == "accumulate" && setting.value >= "3") result.push_back("accumulate");
    if (setting.name == "model") result.push_back(setting.value);
    if (setting.name == "zero" && setting.value != "0") result.push_back("zero=" + setting.value);
    if ((setting.name == "clip" || setting.name == "dropout") && setting.value != "0") result.push_back(setting.name);
  }
  return result;
}

TrainStepOutcome run_train_steps(const TrainStepOptions& options, const Checker& checker) {
  const std::vector<ModelRequest> requests = random_train_steps(options.seed, options.steps);
  std::vector<TrainStepOutcome> parts(requests.size());
  std::atomic<size_t> next = options.first;
  const auto work = [&] {
    for (size_t i = next++; i < requests.size(); i = next++) {
      parts[i] = Step(options, checker, requests[i], i).run();
      if (options.progress) show_progress(i, requests[i], parts[i]);
    }
  };
  {
    std::vector<std::jthread> others;
    for (uint32_t w = 1; w < options.workers; ++w) others.emplace_back(work);
    work();
  }
  TrainStepOutcome all;
  all.table = reduction_counts();
  for (size_t i = options.first; i < parts.size(); ++i) add_part(all, std::move(parts[i]));
  return all;
}

std::string to_table(const TrainStepOutcome& outcome, const TrainStepOptions& options) {
  char line[256];
  std::snprintf(line, sizeof line, "%u random training steps (seed %llu), %u EQUAL; one in %u of their mistakes:\n\n",
                options.steps, static_cast<unsigned long long>(options.seed), outcome.equal, options.every);
  std::string text = line;
  text += reductions_table(outcome.table);
  text += "\nSteps with";
  for (const auto& [name, count] : outcome.features) text += " " + name + ": " + std::to_string(count) + ",";
  text.back() = '.';
  return text + "\n";
}

}  // namespace isoshard::mutation

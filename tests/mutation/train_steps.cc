#include "tests/mutation/train_steps.h"

#include <algorithm>
#include <cstdio>

#include "tests/mutation/rewrite.h"
#include "tests/mutation/truth.h"

namespace isoshard::mutation {
namespace {

using Mistake = ReductionSite::Mistake;

std::string shown(const ModelRequest& request) {
  std::string text;
  for (const MeshAxis& axis : request.mesh) text += axis.name + "=" + std::to_string(axis.size) + " ";
  for (const SettingValue& setting : request.settings) text += setting.name + "=" + setting.value + " ";
  text.pop_back();
  return text;
}

std::vector<MeshAxis> random_mesh(Dice& dice) {
  while (true) {
    std::vector<MeshAxis> axes{
        {"dp", dice.in(1, 3)}, {"fsdp", dice.in(1, 2)}, {"pp", dice.in(1, 2)}, {"tp", dice.in(1, 3)}};
    int64_t devices = 1;
    for (const MeshAxis& axis : axes) devices *= axis.size;
    if (devices > 1 && devices <= 12) return axes;
  }
}

ModelRequest random_step(Dice& dice, size_t index) {
  const std::vector<std::string> optimizers{"sgd", dice.chance(50) ? "momentum" : "nesterov", "adam", "adamw"};
  const std::string optimizer = optimizers[index % optimizers.size()];
  ModelRequest request{"train_step", random_mesh(dice), {}};
  const auto set = [&](const std::string& name, const std::string& value) {
    request.settings.push_back({name, value});
  };
  const auto number = [&](const std::string& name, int64_t low, int64_t high) {
    set(name, std::to_string(dice.in(low, high)));
    return request.settings.back().value;
  };
  set("optimizer", optimizer);
  number("accumulate", 1, 4);
  set("accumulation", dice.chance(50) ? "scan" : "loop");
  const bool clip = number("clip", 0, 1) == "1";
  number("zero", 0, 3);
  set("dropout", dice.chance(15) ? "0.5" : "0");
  set("layer_loop", dice.chance(50) ? "scan" : "row");
  // Denominators of its own for each number make formulas large.
  const bool small = optimizer[0] == 'a' || clip;
  number("micro_batches", 1, small ? 1 : 3);
  number("inputs", 1, small ? 2 : 3);
  number("width", 1, small ? 2 : 4);
  number("outputs", 1, small ? 1 : 2);
  if (small) set("hidden", std::to_string(request.mesh[3].size));
  return request;
}

bool has_integer(const Program& program, ValueId value) {
  const OpId definition = program.value(value).definition;
  const Constant* constant = definition.valid() ? std::get_if<Constant>(&program.op(definition).data) : nullptr;
  return constant != nullptr && constant->value.is_integer() && constant->value.value() > 1;
}

bool is_sum(const AllReduce& op) { return op.op == Reducer::none || op.op == Reducer::add; }

bool is_partial(const OpData& data) {
  const DotGeneral* dot = std::get_if<DotGeneral>(&data);
  const Reduce* reduce = std::get_if<Reduce>(&data);
  return (dot != nullptr && !dot->partial.empty()) || (reduce != nullptr && !reduce->partial.empty());
}

/// The mistakes that can be made in an op; `carry`: its first operand is what a scan has carried.
std::vector<Mistake> mistakes(const Program& program, const Op& op, bool carry) {
  const AllReduce* sum = std::get_if<AllReduce>(&op.data);
  const bool division = std::holds_alternative<Divide>(op.data) && has_integer(program, op.operands[1]);
  if (std::holds_alternative<ReduceScatter>(op.data) || (sum != nullptr && is_sum(*sum)) || division) {
    return {Mistake::drop, Mistake::twice};
  }
  if (std::holds_alternative<Add>(op.data) && carry) return {Mistake::drop};
  return is_partial(op.data) ? std::vector{Mistake::mark} : std::vector<Mistake>{};
}

void add_sites(const Module& module, ProgramId id, std::vector<ReductionSite>& sites) {
  const Program& program = module.program(id);
  for (const OpId op_id : live_ops(program)) {
    const Op& op = program.op(op_id);
    const bool carry = !op.operands.empty() && !program.value(op.operands[0]).definition.valid();
    for (const Mistake mistake : mistakes(program, op, carry)) sites.push_back({id, op_id, mistake});
    if (const Call* call = std::get_if<Call>(&op.data)) {
      const bool known =
          std::any_of(sites.begin(), sites.end(), [&](const auto& s) { return s.program == call->callee; });
      if (!known) add_sites(module, call->callee, sites);
    }
  }
}

Replacement dropped(Place& p) {
  if (const ReduceScatter* op = p.as<ReduceScatter>()) return p.append(SliceBlock{op->axis, op->dim}, p.operands());
  return std::vector{p.operand(p.as<Add>() == nullptr ? 0 : 1)};
}

Replacement doubled(Place& p) {
  if (const ReduceScatter* op = p.as<ReduceScatter>()) {
    return p.again(p.append(AllReduce{op->axis, State::replicated, Reducer::none}, p.operands()));
  }
  if (p.as<Divide>() == nullptr) return p.again(p.again(p.operands()));
  return p.again({p.again(p.operands())[0], p.operand(1)});
}

Replacement unmarked(Place& p) {
  OpData data = p.op().data;
  if (DotGeneral* dot = std::get_if<DotGeneral>(&data)) dot->partial = {};
  if (Reduce* reduce = std::get_if<Reduce>(&data)) reduce->partial = {};
  return p.append(std::move(data), p.operands());
}

Replacement write(Place& p, Mistake mistake) {
  constexpr const char* kDid[] = {"left out", "made twice", "without the mark"};
  p.did = kDid[static_cast<size_t>(mistake)];
  return mistake == Mistake::drop ? dropped(p) : mistake == Mistake::twice ? doubled(p) : unmarked(p);
}

/// Adds or counts what one mistake showed.
void add(Count& count, Truth truth, const Answer& answer) {
  const bool alarm = answer.verdict == verify::Verdict::not_equal;
  ++count.made;
  if (truth == Truth::same) {
    ++count.same;
    count.false_alarms += alarm ? 1 : 0;
    count.undecided += !alarm && answer.verdict != verify::Verdict::equal ? 1 : 0;
  } else {
    ++count.wrong;
    ++(alarm ? count.caught : count.missed);
    count.by_running += answer.failed ? 1 : 0;
    count.by_states += answer.state_errors ? 1 : 0;
  }
}

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

class Run {
 public:
  Run(const TrainStepOptions& options, const Checker& checker) : options_(options), checker_(checker) {
    outcome_.table = {Count{"left out"}, Count{"made twice"}, Count{"without the mark"}};
  }

  TrainStepOutcome all() {
    for (const ModelRequest& request : random_train_steps(options_.seed, options_.steps)) {
      for (const std::string& feature : features(request)) ++outcome_.features[feature];
      step(request);
    }
    return std::move(outcome_);
  }

 private:
  void step(const ModelRequest& request) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(request, sink);
    const std::string name = shown(request);
    if (!module) return finding(name + ": " + render(sink.diagnostics().at(0)));
    const Check& check = module->checks.at(0);
    const Answer answer = checker_(*module, check);
    if (answer.verdict == verify::Verdict::equal && !answer.state_errors) {
      ++outcome_.equal;
    } else {
      finding(name + ": " + std::string(verify::name(answer.verdict)) + " " + answer.reason);
    }
    const Judge judge(*module, check.right, options_.seed, magnitudes(*module));
    if (!judge.usable()) return finding(name + ": the interpreter cannot judge it");
    if (judge.judge(*module, check.left) != Truth::same) finding(name + ": the interpreter says it is not the same");
    for (const ReductionSite& site : reduction_sites(*module)) {
      if (next_++ % options_.every == 0) mistake(*module, site, judge, name);
    }
  }

  void mistake(const Module& module, const ReductionSite& site, const Judge& judge, const std::string& name) {
    const std::optional<WrongStep> wrong = with_mistake(module, site);
    if (!wrong) return finding(name + ": a mistake cannot be written");
    const Check& check = wrong->module.checks.at(0);
    const Truth truth = judge.judge(wrong->module, check.left);
    Count& count = outcome_.table[static_cast<size_t>(site.mistake)];
    if (truth == Truth::unknown) {
      ++count.unknown;
      return;
    }
    const Answer answer = checker_(wrong->module, check);
    add(count, truth, answer);
    const bool alarm = answer.verdict == verify::Verdict::not_equal;
    if (alarm == (truth != Truth::same)) return;
    if (truth == Truth::same) return finding(name + ": " + wrong->what + ": a false alarm");
    finding(name + ": " + wrong->what + " is WRONG, the checker says " + std::string(verify::name(answer.verdict)) +
            " " + answer.reason);
  }

  void finding(std::string text) { outcome_.findings.push_back(std::move(text)); }

  const TrainStepOptions options_;
  const Checker& checker_;
  TrainStepOutcome outcome_;
  uint32_t next_ = 0;
};

}  // namespace

std::vector<ModelRequest> random_train_steps(uint64_t seed, uint32_t count) {
  std::vector<ModelRequest> result;
  for (uint32_t i = 0; i < count; ++i) {
    Dice dice(seed * 1000 + i);
    result.push_back(random_step(dice, i));
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

std::vector<ReductionSite> reduction_sites(const Module& module) {
  std::vector<ReductionSite> sites;
  add_sites(module, module.checks.at(0).left, sites);
  return sites;
}

std::optional<WrongStep> with_mistake(const Module& module, const ReductionSite& site) {
  WrongStep result{module, {}};
  const Apply apply = [&](Place& p) { return write(p, site.mistake); };
  const std::string name = module.program(site.program).name();
  std::optional<Rewritten> made = rewrite(result.module, site.program, name + ".wrong", site.op, 1, apply);
  if (!made) return std::nullopt;
  result.what = "@" + name + ": " + made->where + " " + made->did;
  Check& check = result.module.checks.at(0);
  if (site.program != check.left) {
    const ProgramId wrong = made->program;
    const Apply call_it = [&](Place& p) -> Replacement {
      const Call* call = p.as<Call>();
      if (call == nullptr || call->callee != site.program) return std::nullopt;
      p.did = "calls it";
      return p.append(Call{wrong}, p.operands());
    };
    made = rewrite_all(result.module, check.left, "step.wrong", 1, call_it);
    if (!made) return std::nullopt;
  }
  check.left = made->program;
  return result;
}

TrainStepOutcome run_train_steps(const TrainStepOptions& options, const Checker& checker) {
  return Run(options, checker).all();
}

std::string to_table(const TrainStepOutcome& outcome, const TrainStepOptions& options) {
  char line[256];
  std::snprintf(line, sizeof line, "%u random training steps (seed %llu), %u EQUAL; one in %u of their mistakes:\n\n",
                options.steps, static_cast<unsigned long long>(options.seed), outcome.equal, options.every);
  std::string text = line;
  text +=
      "| reduction | made | WRONG | SAME | caught | missed | false alarms | undecided | by states |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Count& c : outcome.table) {
    std::snprintf(line, sizeof line, "| %s | %u | %u | %u | %u | %u | %u | %u | %u |\n", c.name.c_str(), c.made,
                  c.wrong, c.same, c.caught, c.missed, c.false_alarms, c.undecided, c.by_states);
    text += line;
  }
  text += "\nSteps with";
  for (const auto& [name, count] : outcome.features) text += " " + name + ": " + std::to_string(count) + ",";
  text.back() = '.';
  return text + "\n";
}

}  // namespace isoshard::mutation

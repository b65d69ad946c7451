// What gradients cost: the loss of a catalogue model, and its value and gradients with respect to all parameters, run
// in turn on one thread. Times are CPU times of that thread, the least of all turns; `flops` is the ratio of the
// products in the two Plans, `ratio` that of the times.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "bench/planned.h"
#include "bench/report.h"
#include "core/plan/flops.h"
#include "core/plan/passes/lower.h"
#include "core/support/check.h"
#include "core/support/result.h"
#include "core/transform/as_function.h"
#include "core/transform/autodiff/vjp.h"
#include "parallel/module/model_builder.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"

namespace isoshard::bench {
namespace {

/// The axes over which a value has that state.
Group axes_with_state(ModelBuilder& m, ValueId value, State state) {
  Group group;
  const States& states = m.builder().type(value).states;
  for (size_t a = 0; a < states.size(); ++a) {
    if (states[a] == state) group.axes.emplace_back(a);
  }
  return group;
}

/// Programs of one model: its loss, and its loss with gradients.
class LossPrograms {
 public:
  explicit LossPrograms(const ModelRequest& request)
      : module_(model(request)), program_(module_.program(module_.checks.front().left)) {
    function_ = as_function(module_, module_.checks.front().left, "f", sink_).value();
    loss_ = add_loss();
    const Program& loss = module_.program(loss_);
    for (size_t i = 0; i < function_.views.size(); ++i) {
      const View& view = std::get<View>(program_.op(function_.views[i]).data);
      if (module_.global(view.global).role == Role::param) wrt_.push_back(i);
    }
    ISOSHARD_CHECK(loss.body().arguments.size() == function_.views.size(), "a loss of what the program reads");
  }

  Planned forward() { return planned("forward", loss_, 0); }
  Planned gradient() {
    return planned("gradient", autodiff::build_grad(module_, loss_, wrt_, sink_).value(), wrt_.size());
  }

 private:
  /// The sum of the squares of the program's output.
  ProgramId add_loss() {
    ModelBuilder m(module_, "loss", program_.shared_mesh(), sink_, BuilderOptions{ProgramKind::function, true, {}});
    const Program function = module_.program(function_.function);
    std::vector<ValueId> arguments;
    for (const ValueId id : function.body().arguments) {
      arguments.push_back(m.builder().argument("", function.value(id).type));
    }
    const ValueId y = m.builder().append(Call{function_.function}, arguments, {}).front();
    const AxisSet split = axes_with_state(m, y, State::varying).set();
    m.builder().results({m.op(Reduce{Reducer::add, {0, 1}, split}, {m.multiply(y, y)})});
    return m.finish().value();
  }

  /// A program that calls `callee` and returns the loss and that many gradients.
  Planned planned(const std::string& name, ProgramId callee, size_t gradients) {
    ModelBuilder m(module_, name, program_.shared_mesh(), sink_);
    std::vector<ValueId> arguments;
    for (const OpId view : function_.views) arguments.push_back(m.op(program_.op(view).data, {}));
    const std::vector<ValueId> results = m.builder().append(Call{callee}, arguments, {});
    m.output("loss", reduced(m, results.front()), {});
    for (size_t i = 0; i < gradients; ++i) {
      const View& view = std::get<View>(program_.op(function_.views[wrt_[i]]).data);
      m.output("d_" + module_.global(view.global).name, reduced(m, results[i + 1]), view.layout);
    }
    Plan plan = lower(module_, m.finish().value());
    std::vector<sim::Value> globals = small_numbers(plan);
    return Planned{std::move(plan), std::move(globals)};
  }

  /// The sum of what is P.
  static ValueId reduced(ModelBuilder& m, ValueId x) {
    const Group terms = axes_with_state(m, x, State::partial);
    if (terms.empty()) return x;
    const bool has_gradient = m.builder().type(x).has_gradient;
    return m.op(AllReduce{terms, has_gradient ? std::optional(State::invariant) : std::nullopt}, {x});
  }

  DiagnosticSink sink_;
  Module module_;
  Program program_;
  FunctionOfGlobals function_;
  ProgramId loss_;
  std::vector<size_t> wrt_;
};

/// CPU seconds of one run on the calling thread.
double run_once(const Planned& planned) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  sim::RunOptions options;
  options.workers = 1;
  const double start = now();
  const Result<sim::RunResult> result = sim::run(planned.plan, sim::float_domain(), planned.globals, options);
  ISOSHARD_CHECK(result.has_value(), "the program runs");
  return now() - start;
}

/// Argument: devices; 512 rows, 1024 features, 4096 hidden ones.
void tp_mlp(benchmark::State& state) {
  LossPrograms programs({"tp_mlp",
                         {MeshAxis{"data", 1}, MeshAxis{"model", state.range(0)}},
                         {SettingValue{"b", "512"}, SettingValue{"d", "1024"}, SettingValue{"f", "4096"}}});
  const Planned forward = programs.forward(), gradient = programs.gradient();
  double forward_time = std::numeric_limits<double>::infinity(), gradient_time = forward_time;
  std::vector<double> ratios;
  for (auto _ : state) {
    const double before = run_once(forward), longer = run_once(gradient), after = run_once(forward);
    forward_time = std::min({forward_time, before, after});
    gradient_time = std::min(gradient_time, longer);
    ratios.push_back(2 * longer / (before + after));
  }
  const auto median = ratios.begin() + std::ssize(ratios) / 2;
  std::nth_element(ratios.begin(), median, ratios.end());
  const double forward_flops = matmul_flops(forward.plan), gradient_flops = matmul_flops(gradient.plan);
  state.counters["forward_s"] = forward_time;
  state.counters["gradient_s"] = gradient_time;
  state.counters["ratio"] = *median;
  state.counters["flops"] = gradient_flops / forward_flops;
  state.counters["forward_GF"] = forward_flops / forward_time / 1e9;
  state.counters["gradient_GF"] = gradient_flops / gradient_time / 1e9;
}

BENCHMARK(tp_mlp)->ArgName("devices")->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace isoshard::bench

#include <utility>

#include "catalogue/models.h"
#include "core/transform/autodiff/vjp.h"
#include "core/transform/pipeline/pipeline_parts.h"

namespace isoshard {
namespace {

/// Stages x + silu(x W + b), and the mean of squares behind them.
struct ScheduledPipeline {
  const ModelSettings& settings;
  Module& module;
  DiagnosticSink& sink;
  int64_t stages = settings.mesh->axis(*settings.mesh->find("pp")).size;
  int64_t data = settings.mesh->axis(*settings.mesh->find("data")).size;
  int64_t micro_batches = settings.number("micro_batches"), width = settings.number("width");
  int64_t rows = settings.number("rows"), batch = rows * micro_batches * data;
  GlobalId x = declare(module, "x", {batch, width}, Role::input, InitKind::normal);
  GlobalId t = declare(module, "t", {batch, width}, Role::input, InitKind::normal);
  GlobalId w = declare(module, "w", {stages, width, width}, Role::param, InitKind::lecun_normal);
  GlobalId b = declare(module, "b", {stages, width}, Role::param, InitKind::zeros);

  bool build();

 private:
  using Mean = std::pair<Group, int64_t>;  ///< the axes over which a sum of squares is partial, and its divisor

  static BuilderOptions function() { return BuilderOptions{ProgramKind::function, true, Location::here()}; }
  static ValueId apply_stage(ModelBuilder& m, ValueId x, ValueId kernel, ValueId bias) {
    const ValueId h = m.add(m.matmul(x, kernel), m.broadcast_rows(bias, m.shape(x)[0]));
    return m.add(x, activate(m, Activation::silu, h, ""));
  }
  static ValueId mean_of_squares(ModelBuilder& m, ValueId y, ValueId target, const Mean& mean) {
    const ValueId e = m.op(Subtract{}, {y, target});
    const ValueId sum = m.op(Reduce{Reducer::add, {0, 1}, mean.first.set()}, {m.multiply(e, e)});
    return m.with_constant(Divide{}, sum, Rational(mean.second), "loss");
  }
  std::optional<ProgramId> stage_function(const ValueType& rows_type, const ValueType& kernel, const ValueType& bias);
  std::optional<ProgramId> loss_function(const ValueType& rows_type);
  std::optional<ProgramId> pipeline();
  std::optional<ProgramId> whole_model();
  std::optional<ProgramId> sequential();
};

std::optional<ProgramId> ScheduledPipeline::stage_function(const ValueType& rows_type, const ValueType& kernel,
                                                           const ValueType& bias) {
  ModelBuilder m(module, "stage", settings.mesh, sink, function());
  const ValueId in = m.builder().argument("x", rows_type), w_own = m.builder().argument("w", kernel),
                b_own = m.builder().argument("b", bias);
  m.builder().results({apply_stage(m, in, w_own, b_own)});
  return m.finish();
}

std::optional<ProgramId> ScheduledPipeline::loss_function(const ValueType& rows_type) {
  ModelBuilder m(module, "loss", settings.mesh, sink, function());
  const ValueId y = m.builder().argument("y", rows_type), target = m.builder().argument("t", rows_type);
  m.builder().results({mean_of_squares(m, y, target, {m.group("data"), rows * data * width})});
  return m.finish();
}

std::optional<ProgramId> ScheduledPipeline::pipeline() {
  ModelBuilder m(module, "pipeline", settings.mesh, sink);
  const Group pp = m.group("pp"), over_data = m.group("data");
  const ViewEntry own{pp, 0, std::nullopt, Split::stack};
  const ValueId xs = m.view(x, {m.split("data"), {}}, "x"), ts = m.view(t, {m.split("data"), {}}, "t");
  const ValueId ws = m.view(w, {own, {}, {}}, "w"), bs = m.view(b, {own, {}}, "b");
  PipelineRun run{{}, {}, pp, micro_batches, {1, 2}, settings.word("schedule"), "", LossOf::mean};
  const auto argument = [&](ValueId value, bool cut) {
    return stage_argument(m.builder().type(value), run, cut ? OperandPart::micro_batch : OperandPart::whole, cut);
  };
  const std::optional<ProgramId> stage = stage_function(argument(xs, true), argument(ws, false), argument(bs, false));
  const std::optional<ProgramId> loss = loss_function(argument(xs, true));
  if (!stage || !loss) return std::nullopt;
  run.stage = *stage, run.loss = *loss;
  const std::vector<ValueId> results = m.builder().append(run, {xs, ws, bs, ts}, {"l", "dw", "db"});
  if (!results[0].valid() || !check_pipeline(module, run, sink, Location::here())) return std::nullopt;
  const auto sum = [&](ValueId value, const Group& axes, const char* name) {
    return m.op(AllReduce{axes, std::nullopt}, {value}, name);
  };
  Group both = over_data;
  both.axes.push_back(pp.axes[0]);
  m.output("loss", sum(results[0], both, "loss"), {});
  m.output("dw", sum(results[1], over_data, "gw"), {own, {}, {}});
  m.output("db", sum(results[2], over_data, "gb"), {own, {}});
  return m.finish();
}

std::optional<ProgramId> ScheduledPipeline::whole_model() {
  ModelBuilder m(module, "model", std::make_shared<const Mesh>(), sink, function());
  const auto argument = [&](const char* name, GlobalId global) {
    return m.builder().argument(name, ValueType{module.global(global).type, {}, true});
  };
  const ValueId xs = argument("x", x), ts = argument("t", t), ws = argument("w", w), bs = argument("b", b);
  ValueId y = xs;
  for (int64_t s = 0; s < stages; ++s) y = apply_stage(m, y, m.element(ws, s), m.element(bs, s));
  m.builder().results({mean_of_squares(m, y, ts, {Group{}, batch * width})});
  return m.finish();
}

std::optional<ProgramId> ScheduledPipeline::sequential() {
  const std::optional<ProgramId> model = whole_model();
  const std::optional<ProgramId> grad =
      model ? autodiff::build_grad(module, *model, {2, 3}, sink, Location::here()) : std::nullopt;
  if (!grad) return std::nullopt;
  ModelBuilder m(module, "sequential", std::make_shared<const Mesh>(), sink);
  const std::vector<ValueId> results = m.builder().append(
      Call{*grad},
      {m.view(x, Layout(2), "x"), m.view(t, Layout(2), "t"), m.view(w, Layout(3), "w"), m.view(b, Layout(2), "b")},
      {"loss", "dw", "db"});
  m.output("loss", results[0], {});
  m.output("dw", results[1], Layout(3));
  m.output("db", results[2], Layout(2));
  return m.finish();
}

bool ScheduledPipeline::build() {
  const std::optional<ProgramId> piped = pipeline();
  return piped && add_check(module, piped, sequential());
}

bool build_pipeline(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  return ScheduledPipeline{settings, module, sink}.build();
}

}  // namespace

Model scheduled_pipeline_model() {
  ModelInfo info;
  info.name = "pipeline";
  info.doc = "loss and gradients of stages x + silu(x W + b) in the order of a schedule of sends and receives";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"pp", 4, "has a stage per coordinate"});
  info.settings.push_back(
      SettingInfo{"schedule", 0, "", {"1F1B", "GPipe", "ZB-H1"}, "which rank does what in which order"});
  info.settings.push_back(SettingInfo{"micro_batches", 8, "", {}, "equal parts of the batch of a device"});
  info.settings.push_back(SettingInfo{"rows", 2, "", {}, "of a micro-batch on one device"});
  info.settings.push_back(SettingInfo{"width", 3, "", {}, "features"});
  return Model{std::move(info), {}, build_pipeline};
}

}  // namespace isoshard

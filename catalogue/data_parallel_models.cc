#include "catalogue/data_parallel_models.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/transform/autodiff/vjp.h"
#include "parallel/layers/dense.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/training/sync_gradients.h"

namespace isoshard {
namespace {

const char* const kTwoAxes = "copies of the parameters, or with `fsdp` the axes that they are sharded over";

std::vector<AxisInfo> axes() { return {{"data", 2, kTwoAxes}, {"fsdp", 4, "whose devices hold blocks of parameters"}}; }

ViewEntry over(const Group& axis) { return ViewEntry{axis}; }

ValueId scaled_sum_of_squares(ModelBuilder& m, ValueId y, const Rational& divisor, const Group& partial) {
  const ValueId sum = m.op(Reduce{Reducer::add, {0, 1}, partial.set()}, {m.multiply(y, y)});
  return m.with_constant(Divide{}, sum, divisor, "loss");
}

ModuleFn mlp(const ModelSettings& settings) {
  const int64_t hidden = settings.number("hidden"), out = settings.number("out");
  return [hidden, out](Scope& self, ValueId x) {
    Scope up = self.child("up"), down = self.child("down");
    const ValueId h = activate(self.m(), Activation::silu, dense(up, Dense{hidden}, x), "h");
    return dense(down, Dense{out}, h, "y");
  };
}

/// A loss as a func of x and of the parameters that its module asks for, and a program that differentiates it.
class LossGradients {
 public:
  using Loss = std::function<ValueId(Scope& root, ValueId x)>;
  using Read = std::function<ValueId(ModelBuilder& m, const ParamSpec& spec)>;

  LossGradients(std::string name, std::shared_ptr<const Mesh> mesh, Module& module, DiagnosticSink& sink)
      : m_(module, name, mesh, sink), f_(module, name + "_loss", mesh, sink, {ProgramKind::function, true, {}}) {}

  ModelBuilder& m() { return m_; }

  /// The gradients of the parameters, in the order of `specs`; nothing after an error.
  std::optional<ParamTree> run(ValueId x, const Read& read, const Loss& loss) {
    std::vector<ValueId> operands{x};
    std::vector<ParamSpec> specs;
    Scope root(f_, [&](ModelBuilder&, const ParamSpec& spec) {
      operands.push_back(read(m_, spec));
      specs.push_back(spec);
      return operands.back().valid() ? f_.builder().argument("", m_.builder().type(operands.back())) : ValueId();
    });
    const ValueId result = loss(root, f_.builder().argument("x", m_.builder().type(x)));
    if (!result.valid()) return std::nullopt;
    f_.builder().results({result});
    const std::optional<ProgramId> function = f_.finish();
    if (!function) return std::nullopt;
    std::vector<size_t> wrt;
    for (size_t i = 1; i < operands.size(); ++i) wrt.push_back(i);
    const std::optional<ProgramId> derived = autodiff::build_grad(m_.module(), *function, wrt, m_.sink());
    if (!derived) return std::nullopt;
    const std::vector<ValueId> values = m_.builder().append(Call{*derived}, operands, {});
    ParamTree result_tree;
    for (size_t i = 0; i < specs.size(); ++i) {
      result_tree.push_back(ParamLeaf{specs[i].name(), specs[i].names(), values[i + 1]});
    }
    specs_ = std::move(specs);
    return result_tree;
  }
  const std::vector<ParamSpec>& specs() const { return specs_; }

 private:
  ModelBuilder m_, f_;
  std::vector<ParamSpec> specs_;
};

std::string output_name(const ParamSpec& spec) {
  std::string name = "gradient";
  for (const std::string& word : spec.path) name += "." + word;
  return name;
}

/// The original divides gradients of blocks where they are scattered, and the others in sync_gradients.
ValueId mean_where_whole(ModelBuilder& m, const ParamLeaf& leaf, const Group& fsdp) {
  const std::vector<Group> names = leaf.names.value_or(std::vector<Group>());
  const bool sharded = std::find(names.begin(), names.end(), fsdp) != names.end();
  return sharded ? leaf.value : m.with_constant(Divide{}, leaf.value, Rational(m.mesh().size(fsdp)));
}

std::optional<ProgramId> build_sharded_mlp(const ModelSettings& settings, GlobalId x, Params& params, Module& module,
                                           DiagnosticSink& sink) {
  LossGradients gradients("shard_module_params", settings.mesh, module, sink);
  ModelBuilder& m = gradients.m();
  const Group fsdp = layer_axis(settings, "fsdp"), all = settings.mesh->all();
  const bool mean = settings.word("gradients") == "mean";
  GatherOptions options;
  options.mean_gradients = mean;
  const int64_t rows = module.global(x).type.shape.front() / (mean ? m.mesh().size(fsdp) : 1);
  const auto loss = [&](Scope& root, ValueId own) {
    const ValueId y = shard_module_params(root, fsdp, mlp(settings), own, settings.number("min_weight_size"), options);
    return y.valid() ? scaled_sum_of_squares(root.m(), y, Rational(rows * settings.number("out")), all) : y;
  };
  const ValueId own = m.view(x, {over(all), {}}, "x");
  const auto read = [&](ModelBuilder& builder, const ParamSpec& spec) { return params.read(builder, spec); };
  const std::optional<ParamTree> raw = gradients.run(own, read, loss);
  if (!raw) return std::nullopt;
  const ParamTree synced = sync_gradients(m, *raw, all);
  for (size_t i = 0; i < synced.size(); ++i) {
    const ValueId value = mean ? mean_where_whole(m, synced[i], fsdp) : synced[i].value;
    m.output(output_name(gradients.specs()[i]), value, gradients.specs()[i].layout());
  }
  return m.finish();
}

std::optional<ProgramId> build_whole_mlp(const ModelSettings& settings, GlobalId x, const Params& params,
                                         Module& module, DiagnosticSink& sink) {
  LossGradients gradients("dense", std::make_shared<const Mesh>(), module, sink);
  ModelBuilder& m = gradients.m();
  const int64_t rows = module.global(x).type.shape.front();
  const auto loss = [&](Scope& root, ValueId all) {
    return scaled_sum_of_squares(root.m(), mlp(settings)(root, all), Rational(rows * settings.number("out")), {});
  };
  const auto read = [&](ModelBuilder& builder, const ParamSpec& spec) {
    const GlobalId global = builder.module().find_global(params.global_name(spec)).value();
    return builder.view(global, Layout(spec.shape.size()), "");
  };
  const std::optional<ParamTree> made = gradients.run(m.view(x, Layout(2), "x"), read, loss);
  if (!made) return std::nullopt;
  for (size_t i = 0; i < made->size(); ++i) {
    m.output(output_name(gradients.specs()[i]), (*made)[i].value, Layout(m.shape((*made)[i].value).size()));
  }
  return m.finish();
}

bool build_shard_module_params(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId x =
      declare(module, "x", {2 * settings.mesh->device_count(), settings.number("in")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_mlp(settings, x, params, module, sink);
  if (!sharded) return false;
  return add_check(module, sharded, build_whole_mlp(settings, x, params, module, sink));
}

/// The gradient of sum(c y) for y = gather(x): with the devices' own c, those of all devices count.
std::optional<ProgramId> build_gather(const ModelSettings& settings, GlobalId x, GlobalId c, Module& module,
                                      DiagnosticSink& sink) {
  ModelBuilder m(module, "gather_array_with_mean_grads", settings.mesh, sink);
  const Group fsdp = layer_axis(settings, "fsdp"), all = settings.mesh->all();
  const auto dim = static_cast<size_t>(settings.word("dim").front() - '0');
  Layout layout(2);
  layout[dim] = over(fsdp);
  const ValueId block = m.view(x, layout, "block");
  const ValueId own = m.view(c, {ViewEntry{all, 0, std::nullopt, Split::stack}, {}, {}}, "c");
  ModelBuilder f(module, "weighted_sum", settings.mesh, sink, {ProgramKind::function, true, {}});
  const ValueId argument = f.builder().argument("block", m.builder().type(block));
  const ValueId weights = f.builder().argument("c", m.builder().type(own));
  const ValueId y = gather_array_with_mean_grads(f, argument, fsdp, static_cast<int64_t>(dim));
  f.builder().results({f.op(Reduce{Reducer::add, {0, 1}, all.set()}, {f.multiply(y, weights)})});
  const std::optional<ProgramId> function = f.finish();
  if (!function) return std::nullopt;
  const std::optional<ProgramId> derived = autodiff::build_grad(module, *function, {0}, sink);
  if (!derived) return std::nullopt;
  const ValueId gradient = m.builder().append(Call{*derived}, {block, own}, {})[1];
  const ParamLeaf leaf{"x", std::vector<Group>{dim == 0 ? fsdp : Group{}, dim == 1 ? fsdp : Group{}}, gradient};
  m.output("gradient", sync_gradients(m, {leaf}, all).front().value, layout);
  return m.finish();
}

bool build_gather_check(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t devices = settings.mesh->device_count(), size = 2 * devices;
  const GlobalId x = declare(module, "x", {size, size}, Role::param, InitKind::normal);
  const GlobalId c = declare(module, "c", {devices, size, size}, Role::constant, InitKind::normal);
  const std::optional<ProgramId> gather = build_gather(settings, x, c, module, sink);
  ModelBuilder m(module, "mean_of_c", std::make_shared<const Mesh>(), sink);
  const ValueId sum = m.op(Reduce{Reducer::add, {0}, {}}, {m.view(c, Layout(3), "c")});
  const int64_t shares = settings.mesh->size(layer_axis(settings, "fsdp"));
  const ValueId zero = m.with_constant(Multiply{}, m.view(x, Layout(2), "x"), Rational(0));
  m.output("gradient", m.add(m.with_constant(Divide{}, sum, Rational(shares)), zero), Layout(2));
  return add_check(module, gather, m.finish());
}

/// A leaf that all devices share, and one that is a block of rows on each device of `fsdp`.
bool build_sync(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t devices = settings.mesh->device_count();
  const GlobalId terms = declare(module, "terms", {devices, 4}, Role::constant, InitKind::normal);
  ModelBuilder m(module, "sync_gradients", settings.mesh, sink);
  const Group fsdp = layer_axis(settings, "fsdp"), all = settings.mesh->all();
  Group others;
  for (const AxisId axis : all.axes) {
    if (std::find(fsdp.axes.begin(), fsdp.axes.end(), axis) == fsdp.axes.end()) others.axes.push_back(axis);
  }
  const ValueId own = m.view(terms, {ViewEntry{all, 0, std::nullopt, Split::stack}, {}}, "terms");
  const ValueId row = m.op(Reshape{{1, 4}}, {own});
  const ValueId block = as_state(m, row, others, State::partial);
  const ParamTree synced = sync_gradients(m,
                                          {ParamLeaf{"shared", std::nullopt, as_state(m, own, all, State::partial)},
                                           ParamLeaf{"sharded", std::vector<Group>{fsdp, {}}, block}},
                                          all);
  m.output("shared", synced[0].value, Layout(1));
  m.output("sharded", synced[1].value, {over(fsdp), {}});
  const std::optional<ProgramId> program = m.finish();
  ModelBuilder sums(module, "sums", std::make_shared<const Mesh>(), sink);
  const ValueId whole = sums.view(terms, Layout(2), "terms");
  sums.output("shared", sums.op(Reduce{Reducer::add, {0}, {}}, {whole}), Layout(1));
  const int64_t shares = settings.mesh->size(fsdp);
  const ValueId split = sums.op(Reshape{{devices / shares, shares, 4}}, {whole});
  sums.output("sharded", sums.op(Reduce{Reducer::add, {0}, {}}, {split}), Layout(2));
  return add_check(module, program, sums.finish());
}

ModelInfo fsdp_info(std::string name, std::string doc) {
  ModelInfo result;
  result.name = std::move(name);
  result.doc = std::move(doc);
  result.axes = axes();
  result.settings.push_back(layer_axis_setting("fsdp"));
  return result;
}

}  // namespace

std::vector<Model> data_parallel_models() {
  Model layer{fsdp_info("shard_module_params", "gradients of an MLP whose parameters are sharded between uses (FSDP)"),
              {},
              build_shard_module_params};
  layer.info.settings.push_back(
      SettingInfo{"gradients", 0, "", {"true", "mean"}, "the derived backward of the gathers, or the original's"});
  layer.info.settings.push_back(SettingInfo{"in", 6, "", {}, "input features"});
  layer.info.settings.push_back(SettingInfo{"hidden", 24, "", {}, "hidden features"});
  layer.info.settings.push_back(SettingInfo{"out", 3, "", {}, "output features"});
  layer.info.settings.push_back(
      SettingInfo{"min_weight_size", 12, "", {}, "parameters with no more elements stay whole"});
  Model gather{fsdp_info("gather_array_with_mean_grads", "a gather whose gradient is divided by the number of devices"),
               {},
               build_gather_check};
  gather.info.settings.push_back(SettingInfo{"dim", 0, "", {"0", "1"}, "the dimension that is gathered"});
  Model sync{
      fsdp_info("sync_gradients", "sync_gradients: sums over the axes that are no names of a leaf"), {}, build_sync};
  return {std::move(layer), std::move(gather), std::move(sync)};
}

}  // namespace isoshard

// The catalogue's entries about random numbers.

#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/dropout.h"
#include "parallel/module/initializers.h"

namespace isoshard {
namespace {

/// The two words of a key as one row of `shape`.
ValueId words(ModelBuilder& m, ValueId key, Shape shape) {
  return m.op(Reshape{std::move(shape)}, {m.op(BitcastConvert{DType::u32}, {key})});
}

/// The axis or tuple of axes that a setting names: `tp`, `dp_tp`.
Group group_of(const ModelBuilder& m, const std::string& word) {
  Group group;
  for (size_t at = 0; at < word.size(); at += 3) group.axes.push_back(m.group(word.substr(at, 2)).axes.front());
  return group;
}

/// A loop over the devices: each one's index within the group, row-major in the order of the tuple, is folded in.
std::optional<ProgramId> build_folds(GlobalId global, const std::string& axis, const Mesh& mesh, Module& module,
                                     DiagnosticSink& sink) {
  ModelBuilder m(module, "keys_of_all", std::make_shared<const Mesh>(), sink);
  const ValueId key = m.view(global, {}, "key");
  const int64_t dp = mesh.axes()[0].size, tp = mesh.axes()[1].size;
  std::vector<ValueId> rows;
  for (int64_t d = 0; d < dp; ++d) {
    for (int64_t t = 0; t < tp; ++t) {
      const int64_t index = axis == "dp" ? d : axis == "tp" ? t : axis == "dp_tp" ? d * tp + t : t * dp + d;
      const ValueId data = m.op(Constant{Rational(index), DType::u32, {}}, {});
      rows.push_back(words(m, m.op(RngFoldIn{}, {key, data}), {1, 2}));
    }
  }
  m.output("keys", m.op(Reshape{{dp, tp, 2}}, {m.op(Concatenate{0}, rows)}, "keys"), Layout(3));
  return m.finish();
}

bool build_fold_rng_over_axis(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId global = declare_key(module, "key");
  ModelBuilder m(module, "fold_rng_over_axis", settings.mesh, sink);
  const ValueId key = m.view(global, {}, "key");
  const ValueId folded = fold_rng_over_axis(m, key, group_of(m, settings.word("axis")), "folded");
  m.output("keys", words(m, folded, {1, 1, 2}), {m.split("dp"), m.split("tp"), ViewEntry{}});
  const std::optional<ProgramId> sharded = m.finish();
  return add_check(module, sharded, build_folds(global, settings.word("axis"), *settings.mesh, module, sink));
}

Initializer initializer_of(const std::string& name) {
  if (name == "normal") return normal_initializer(0.02);
  if (name == "uniform") return uniform_initializer(0.01);
  if (name == "small") return small_initializer(64);
  if (name == "wang") return wang_initializer(64, 2);
  if (name == "wang2") return wang2_initializer(64, 2);
  if (name == "zeros") return zeros_initializer();
  return name == "ones" ? ones_initializer() : lecun_normal_initializer();
}

/// The whole array, times the factor.
std::optional<ProgramId> build_scaled(GlobalId global, const Initializer& initializer, const Shape& shape, float factor,
                                      Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "scaled", std::make_shared<const Mesh>(), sink);
  const ValueId whole = initializer(m, m.view(global, {}, "key"), Draw{shape});
  const Rational c = Rational::from_double(static_cast<double>(factor));
  m.output("kernel", m.with_constant(Multiply{}, whole, c, "kernel"), Layout(2));
  return m.finish();
}

/// Every device draws its own columns of the array.
bool build_scale_init(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId global = declare_key(module, "key");
  const Shape shape{settings.number("rows"), settings.number("columns")};
  const Initializer initializer = initializer_of(settings.word("init"));
  const double factor = static_cast<double>(settings.number("percent")) / 100;
  ModelBuilder m(module, "scale_init", settings.mesh, sink);
  const ViewEntry columns{layer_axis(settings, "tp", "dp")};
  const int64_t devices = m.mesh().size(columns.axes);
  if (shape[1] % devices != 0) {
    sink.error("C-divide", Location(),
               "scale_init: columns = " + std::to_string(shape[1]) + " is not divisible by " + std::to_string(devices) +
                   ", the size of " + m.mesh().to_string(columns.axes) + "; try columns = " + std::to_string(devices));
    return false;
  }
  const ValueId key = m.view(global, {}, "key");
  const Draw block = draw_block(m, {shape[0], shape[1] / devices}, {ViewEntry{}, columns});
  m.output("kernel", scale_init(initializer, factor)(m, key, block), {ViewEntry{}, columns});
  const std::optional<ProgramId> sharded = m.finish();
  return add_check(module, sharded, build_scaled(global, initializer, shape, static_cast<float>(factor), module, sink));
}

}  // namespace

Model fold_rng_over_axis_model() {
  ModelInfo info;
  info.name = "fold_rng_over_axis";
  info.doc = "A key per index within an axis: the index of the device folded into the global @key; @keys[dp, tp, 2]";
  info.axes.push_back(AxisInfo{"dp", 2, "devices"});
  info.axes.push_back(AxisInfo{"tp", 4, "devices"});
  info.settings.push_back(SettingInfo{
      "axis", 0, "", {"tp", "dp", "dp_tp", "tp_dp"}, "whose index is folded in; of a tuple, the row-major one"});
  return Model{std::move(info), {}, build_fold_rng_over_axis};
}

Model scale_init_model() {
  ModelInfo info;
  info.name = "scale_init";
  info.doc = "Initial values times a number, each device drawing its own columns: @kernel[rows, columns] of @key";
  info.axes.push_back(AxisInfo{"dp", 1, "copies, or with `tp` splits the columns"});
  info.axes.push_back(AxisInfo{"tp", 4, "splits the columns"});
  info.settings.push_back(layer_axis_setting("tp", "dp"));
  info.settings.push_back(SettingInfo{"rows", 6, "", {}, "of the kernel: its fan-in"});
  info.settings.push_back(SettingInfo{"columns", 840, "", {}, "of the kernel"});
  info.settings.push_back(SettingInfo{"percent", 50, "", {}, "100 times the number"});
  info.settings.push_back(
      SettingInfo{"init",
                  0,
                  "",
                  {"lecun_normal", "normal", "uniform", "small", "wang", "wang2", "zeros", "ones"},
                  "the initialiser; normal of deviation 0.02, uniform below 0.01, the others of dim 64 and 2 blocks"});
  return Model{std::move(info), {}, build_scale_init};
}

}  // namespace isoshard

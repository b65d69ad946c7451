#include <utility>

#include "core/parallel/device_params.h"
#include "core/parallel/init_program.h"
#include "core/parallel/models.h"
#include "core/parallel/tensor_parallel.h"

namespace isoshard {
namespace {

/// What the settings say.
struct Case {
  TpAsyncDense layer;
  bool over_data = true;  ///< whether the batch is split over `data`
  int64_t devices = 1;    ///< of the layer's axis
};

Case read_case(const ModelSettings& settings) {
  Case result;
  result.layer.dense_fn = dense_fn(settings.number("features"));
  result.layer.axis = layer_axis(settings);
  result.over_data = result.layer.axis.axes.size() == 1;
  result.devices = settings.mesh->size(result.layer.axis);
  result.layer.tp_mode = settings.word("mode");
  result.layer.use_bidirectional_gather = result.layer.use_bidirectional_scatter =
      settings.word("bidirectional") == "1";
  result.layer.use_bias = settings.word("use_bias") == "1";
  return result;
}

std::optional<ProgramId> build_sharded(const Case& c, GlobalId x, Params& params, const ModelSettings& settings,
                                       Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_async_dense", settings.mesh, sink);
  const ViewEntry rows = c.over_data ? m.split("data") : ViewEntry{}, features{c.layer.axis};
  Scope root(m, params);
  const ValueId y = tp_async_dense(root, c.layer, m.view(x, {rows, features}, "x"), "y");
  if (!y.valid()) return std::nullopt;
  m.output("y", y, {rows, features});
  return m.finish();
}

/// The layer as a loop over devices: who multiplies what with which shard, and who adds it up.
class Loop {
 public:
  Loop(ModelBuilder& m, const Case& c, GlobalId x, const Params& params, const ModelSettings& settings)
      : m_(m), c_(c), mesh_(settings.mesh), params_(m, params, settings.mesh), features_(settings.number("features")) {
    const ValueId whole = m.view(x, Layout(2), "x");
    const int64_t rows = m.shape(whole).front(), width = m.shape(whole).back() / c.devices;
    for (int64_t d = 0; d < c.devices; ++d) {
      x_.push_back(m.op(Slice{{0, d * width}, {rows, (d + 1) * width}, {}}, {whole}));
    }
  }

  ValueId result() {
    std::vector<ValueId> results;
    for (int64_t d = 0; d < c_.devices; ++d) results.push_back(of_device(d));
    return m_.op(Concatenate{1}, results);
  }

 private:
  ValueId of_device(int64_t d) {
    if (!params_.has("shard_0/sharded/kernel")) return product(d, 0, d);
    if (c_.layer.tp_mode == "gather") return sum([&](int64_t k) { return product(d - k, k, d); });
    const ValueId up = sum([&](int64_t k) { return product(d + 1 + k, k, d + 1 + k); });
    if (!c_.layer.use_bidirectional_scatter) return up;
    const ValueId down = sum([&](int64_t k) { return product(d - 1 - k, k, d - 1 - k); });
    return m_.op(Concatenate{1}, {columns(up, 0, features_ / 2), columns(down, features_ / 2, features_)});
  }

  template <class Term>
  ValueId sum(const Term& term) {
    std::vector<ValueId> terms;
    for (int64_t k = 0; k < c_.devices; ++k) terms.push_back(term(k));
    return m_.sum(terms);
  }

  /// x of device `source` times shard `k` of device `holder`, with its bias.
  ValueId product(int64_t source, int64_t k, int64_t holder) {
    const int64_t n = c_.devices, from = (source % n + n) % n, index = (holder % n + n) % n;
    const std::string shard = "shard_" + std::to_string(k);
    const std::string module = params_.has(shard + "/kernel") ? shard : shard + "/sharded";
    return params_.dense(module, x_[static_cast<size_t>(from)], mesh_->member(c_.layer.axis, 0, index));
  }

  ValueId columns(ValueId x, int64_t start, int64_t limit) {
    return m_.op(Slice{{0, start}, {m_.shape(x).front(), limit}, {}}, {x});
  }

  ModelBuilder& m_;
  const Case& c_;
  std::shared_ptr<const Mesh> mesh_;
  DeviceParams params_;
  int64_t features_;
  std::vector<ValueId> x_;  ///< the columns of each device
};

bool build(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Case c = read_case(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), c.devices * settings.number("in")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, "tp_async_dense", settings.mesh, module, sink)) return false;
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  m.output("y", Loop(m, c, x, params, settings).result(), Layout(2));
  return add_check(module, sharded, m.finish());
}

}  // namespace

Model tp_async_dense_model() {
  ModelInfo info;
  info.name = "tp_async_dense";
  info.doc = "TPAsyncDense: a dense layer as a ring of permutes beside one block product per device";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layer"});
  info.axes.push_back(AxisInfo{"model", 4, "the ring"});
  info.settings.push_back(SettingInfo{"mode", 0, "", {"gather", "scatter", "none"}, "tp_mode"});
  info.settings.push_back(
      SettingInfo{"bidirectional", 0, "", {"0", "1"}, "gather from both sides; scatter halves in opposite directions"});
  info.settings.push_back(SettingInfo{"use_bias", 0, "", {"1", "0"}, "of shard_0"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"in", 3, "", {}, "features of x that a device holds"});
  info.settings.push_back(SettingInfo{"features", 5, "", {}, "of dense_fn: columns of y that a device holds"});
  return Model{std::move(info), {{"b", "data"}}, build};
}

}  // namespace isoshard

#include <utility>

#include "catalogue/loops/device_params.h"
#include "catalogue/models.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// x + x W + b.
ValueId add_dense(Scope& self, ValueId x) { return self.m().add(x, dense(self, Dense{self.m().shape(x).back()}, x)); }

WrapperOptions options_of(const ModelSettings& settings, int64_t devices) {
  const std::string& mask = settings.word("mask_except");
  WrapperOptions options;
  options.split_rngs = settings.word("split_rngs") == "1";
  if (mask != "none") options.mask_except_model_idx = mask == "last" ? devices - 1 : 0;
  return options;
}

/// The layers, with the wrapper inside or around the scan over them, or alone.
ValueId run_wrapped_layers(Scope& root, const ModelSettings& settings, const Group& axis, ValueId x) {
  const WrapperOptions options = options_of(settings, settings.mesh->size(axis));
  const int64_t layers = settings.number("layers");
  const std::string& scan = settings.word("scan");
  if (scan == "around") {
    const ModuleFn layer = [=](Scope& self, ValueId v) {
      return model_parallelism_wrapper(self, axis, add_dense, v, options);
    };
    return scan_layers(root.child("block"), layers, layer, x, "y");
  }
  const ModuleFn inner = [&](Scope& self, ValueId v) {
    return scan == "none" ? add_dense(self, v) : scan_layers(self.child("block"), layers, add_dense, v, "y");
  };
  Scope wrapper = root.child("w");
  return model_parallelism_wrapper(wrapper, axis, inner, x, options);
}

/// Where the parameters of the layers stand.
std::string module_path(const std::string& scan) {
  return scan == "around" ? "block/sharded" : scan == "inside" ? "w/sharded/block" : "w/sharded";
}

/// One device after another, one layer after another.
std::optional<ProgramId> build_wrapper_loop(GlobalId x, const Params& params, const ModelSettings& settings,
                                            Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  DeviceParams device(m, params, settings.mesh);
  const ValueId whole = m.view(x, Layout(2), "x");
  const int64_t rows = m.shape(whole).front(), width = settings.number("width"),
                devices = m.shape(whole).back() / width;
  const std::string& scan = settings.word("scan");
  const std::string path = module_path(scan);
  std::vector<ValueId> results;
  for (int64_t d = 0; d < devices; ++d) {
    const int64_t position = settings.mesh->member(layer_axis(settings), 0, d);
    ValueId v = m.op(Slice{{0, d * width}, {rows, (d + 1) * width}, {}}, {whole});
    const ValueId kernels = device.at(path + "/kernel", position), biases = device.at(path + "/bias", position);
    for (int64_t l = 0; l < (scan == "none" ? 1 : settings.number("layers")); ++l) {
      const ValueId kernel = scan == "none" ? kernels : m.element(kernels, l);
      const ValueId bias = scan == "none" ? biases : m.element(biases, l);
      v = m.add(v, m.add(m.matmul(v, kernel), m.broadcast_rows(bias, rows)));
    }
    results.push_back(v);
  }
  m.output("y", m.op(Concatenate{1}, results), Layout(2));
  return m.finish();
}

bool build_wrapper_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Group axis = layer_axis(settings);
  const int64_t devices = settings.mesh->size(axis);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), devices * settings.number("width")}, Role::input, InitKind::normal);
  ModelBuilder m(module, "model_parallelism_wrapper", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  m.output("y", run_wrapped_layers(root, settings, axis, m.view(x, {{}, ViewEntry{axis}}, "x")), {{}, ViewEntry{axis}});
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "model_parallelism_wrapper", settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_wrapper_loop(x, params, settings, module, sink));
}

}  // namespace

Model model_parallelism_wrapper_model() {
  ModelInfo info;
  info.name = "model_parallelism_wrapper";
  info.doc = "ModelParallelismWrapper: residual layers with parameters of their own on every device, alone or scanned";
  info.axes.push_back(AxisInfo{"data", 1, "copies, or with `model` the axes of the wrapper"});
  info.axes.push_back(AxisInfo{"model", 4, "whose devices have a module each"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{
      "scan", 0, "", {"none", "inside", "around"}, "a scan over layers: none, inside or around the wrapper"});
  info.settings.push_back(
      SettingInfo{"mask_except", 0, "", {"none", "0", "last"}, "zeros at first on all other devices"});
  info.settings.push_back(SettingInfo{"split_rngs", 0, "", {"1", "0"}, "each device begins with values of its own"});
  info.settings.push_back(SettingInfo{"layers", 3, "", {}, "of the scan"});
  info.settings.push_back(SettingInfo{"b", 2, "", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"width", 3, "", {}, "features of x that a device holds"});
  return Model{std::move(info), {}, build_wrapper_model};
}

}  // namespace isoshard

#include <utility>

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"
#include "parallel/layers/embed.h"
#include "parallel/layers/norms.h"
#include "parallel/sharding/array_utils.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

constexpr const char* kLlmToyModel = "llm_toy_model";
constexpr int64_t kLlmToyBlocks = 2;

/// The layers of the model in one region of the program.
class LlmToy {
 public:
  LlmToy(Scope& root, const ModelSettings& settings)
      : root_(root), m_(root.m()), settings_(settings), pp_(m_.group("pp")), tp_(m_.group("tp")) {
    fsdp_ = m_.group("fsdp");
    if (settings.word("fsdp_axis") == "dp_fsdp") fsdp_.axes.insert(fsdp_.axes.begin(), m_.group("dp").axes.front());
  }

  ValueId logits(ValueId ids) {
    const Embed embedding{settings_.number("v"), settings_.number("width")};
    ValueId h = wrapped(
        "embed", [&](Scope& self, ValueId v) { return embed(self, embedding, v); }, ids);
    for (int64_t i = 0; i < kLlmToyBlocks; ++i) h = block(std::to_string(i), h);
    h = m_.all_gather(norm("out_norm", h), tp_, 2);
    for (const Group& axis : {pp_, tp_}) {
      h = as_state(m_, split_array_over_mesh(m_, h, axis, 1), axis, State::varying);
    }
    const ModuleFn output = [&](Scope& self, ValueId v) { return dense(self, Dense{settings_.number("v")}, v, "y"); };
    return sharded("output_layer", output, h);
  }

 private:
  ValueId block(const std::string& index, ValueId x) {
    const int64_t devices = m_.mesh().size(tp_);
    const ValueId hidden =
        tp_layer("up_" + index, TpDense{dense_fn(settings_.number("hidden")), tp_, "gather"}, norm("norm_" + index, x));
    const ValueId active = activate(m_, Activation::silu, hidden, "");
    return tp_layer("down_" + index, TpDense{dense_fn(settings_.number("width") * devices), tp_, "scatter"}, active);
  }

  ValueId norm(const std::string& name, ValueId x) {
    return wrapped(
        name, [&](Scope& self, ValueId v) { return layer_norm(self, LayerNorm{tp_}, v); }, x);
  }

  ValueId tp_layer(const std::string& name, const TpDense& layer, ValueId x) {
    return sharded(
        name, [&](Scope& self, ValueId v) { return tp_dense(self, layer, v); }, x);
  }

  ValueId wrapped(const std::string& name, const ModuleFn& module_fn, ValueId x) {
    Scope scope = root_.child(name);
    return model_parallelism_wrapper(scope, tp_, module_fn, x);
  }

  ValueId sharded(const std::string& name, const ModuleFn& module_fn, ValueId x) {
    Scope scope = root_.child(name);
    return shard_module_params(scope, fsdp_, module_fn, x, settings_.number("min_weight_size"));
  }

  Scope& root_;
  ModelBuilder& m_;
  const ModelSettings& settings_;
  Group pp_, tp_, fsdp_;
};

std::optional<ProgramId> build_sharded_llm_toy(GlobalId ids, Params& params, const ModelSettings& settings,
                                               Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, kLlmToyModel, settings.mesh, sink);
  const auto tuple = [&](const char* first, const char* second) {
    return ViewEntry{Group{{m.group(first).axes.front(), m.group(second).axes.front()}}};
  };
  const ViewEntry rows = tuple("dp", "fsdp"), positions = tuple("pp", "tp");
  Scope root(m, params);
  const ValueId y = LlmToy(root, settings).logits(m.view(ids, {rows, {}}, "ids"));
  if (!y.valid()) return std::nullopt;
  m.output("y", y, {rows, positions, {}});
  return m.finish();
}

/// The whole batch on one device, which has the layers of all devices of `tp` one after another.
std::optional<ProgramId> build_llm_toy_loop(GlobalId ids, const Params& params, const ModelSettings& settings,
                                            Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, Group{{*settings.mesh->find("tp")}});
  const ValueId all = m.view(ids, Layout(2), "ids");
  DeviceValues xs = loop.each([&](int64_t d) {
    return m.op(Gather{0, 0}, {loop.param(d, "embed/sharded/embedding"), all});
  });
  for (int64_t i = 0; i < kLlmToyBlocks; ++i) {
    const std::string index = std::to_string(i);
    const DeviceValues hidden = loop.gather({"up_" + index}, loop.layer_norm("norm_" + index + "/sharded", xs));
    const DeviceValues active = loop.each([&](int64_t d) {
      const ValueId h = hidden[static_cast<size_t>(d)];
      return m.multiply(m.logistic(h), h);
    });
    xs = loop.scatter({"down_" + index}, active);
  }
  const ValueId normal = loop.join(loop.layer_norm("out_norm/sharded", xs));
  m.output("y", device_dense()(loop, 0, "output_layer", normal), Layout(3));
  return m.finish();
}

bool build_llm_toy_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Mesh& mesh = *settings.mesh;
  const auto size = [&](const char* axis) { return mesh.axis(*mesh.find(axis)).size; };
  const int64_t rows = settings.number("b") * size("dp") * size("fsdp");
  const GlobalId ids = declare_ids(module, "ids", {rows, settings.number("s") * size("pp") * size("tp")});
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_llm_toy(ids, params, settings, module, sink);
  if (!sharded || !add_init_program(params, kLlmToyModel, settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_llm_toy_loop(ids, params, settings, module, sink));
}

}  // namespace

Model llm_toy_model() {
  ModelInfo info;
  info.name = kLlmToyModel;
  info.doc = "LLMToyModel: an embedding, two MLPs of sharded TPDense layers with norms over `tp`, and logits";
  info.axes.push_back(AxisInfo{"dp", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"fsdp", 2, "splits the batch, and parameters that nobody reads"});
  info.axes.push_back(AxisInfo{"pp", 1, "splits the positions before the output layer"});
  info.axes.push_back(AxisInfo{"tp", 2, "splits features, then positions before the output layer"});
  info.settings.push_back(SettingInfo{"fsdp_axis", 0, "", {"fsdp", "dp_fsdp"}, "of parameters: fsdp or (dp, fsdp)"});
  info.settings.push_back(SettingInfo{"b", 1, "", {}, "sequences of a device of `dp` and `fsdp`"});
  info.settings.push_back(SettingInfo{"s", 1, "", {}, "positions of a sequence whose logits a device has"});
  info.settings.push_back(SettingInfo{"v", 5, "", {}, "entries of the vocabulary"});
  info.settings.push_back(SettingInfo{"width", 2, "", {}, "features of a device of `tp`"});
  info.settings.push_back(SettingInfo{"hidden", 4, "", {}, "hidden features of a device of `tp`"});
  info.settings.push_back(
      SettingInfo{"min_weight_size", 1, "", {}, "parameters with no more elements on a device are not sharded"});
  return Model{std::move(info), {}, build_llm_toy_model};
}

}  // namespace isoshard

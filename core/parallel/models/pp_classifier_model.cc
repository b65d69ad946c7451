#include <utility>

#include "core/parallel/init_program.h"
#include "core/parallel/models/pipeline_models.h"
#include "core/parallel/param_key.h"
#include "core/parallel/pp_classifier.h"

namespace isoshard {
namespace {

const std::string kBlock = "pipeline/sharded/mlp_layers/block";

/// The masks of dropout with rate 1/2, as the devices draw them: each from the key of its own place in the mesh, of the
/// iteration in which it has the micro-batch in that round, and of the layer.
class Masks {
 public:
  Masks(ModelBuilder& m, const PipelineCase& c, ValueId key) : m_(m), c_(c), key_(key) {}

  /// h where it is kept, twice as large; h itself where there is no key.
  ValueId apply(ValueId h, int64_t round, int64_t stage, int64_t layer) {
    if (!key_.valid()) return h;
    const int64_t blocks = c_.settings.mesh->device_count() / c_.stages;
    const int64_t iterations = c_.settings.number("loops") * c_.micro_batches + c_.stages - 1;
    const Shape rows{m_.shape(h)[0] / (blocks * c_.micro_batches), m_.shape(h)[1]};
    std::vector<ValueId> masks;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t position = c_.settings.mesh->member(c_.axis, block * c_.stages, stage);
      const ValueId own = m_.op(RngFoldIn{}, {key_, number(position)});
      for (int64_t micro_batch = 0; micro_batch < c_.micro_batches; ++micro_batch) {
        const ValueId step = split_key(m_, own, round * c_.micro_batches + micro_batch + stage, iterations);
        masks.push_back(
            bernoulli(m_, of_module(split_key(m_, step, layer, c_.settings.number("layers"))), {rows}, 0.5F));
      }
    }
    const ValueId kept = masks.size() == 1 ? masks[0] : m_.op(Concatenate{0}, masks);
    return m_.op(Select{}, {kept, m_.add(h, h), m_.constant_like(h, Rational(0))});
  }

 private:
  /// Below two scans that split keys the first draw of a scope has the counter 4, below a third one over rounds 8.
  ValueId of_module(ValueId key) {
    const int64_t counter = c_.settings.number("loops") == 1 ? 4 : 8;
    const uint32_t word = param_fold({"pipeline", "sharded", "mlp_layers", "block", "Dropout_0"}, counter);
    return m_.op(RngFoldIn{}, {key, number(word)});
  }
  ValueId number(int64_t value) { return m_.op(Constant{Rational(value), DType::u32, {}}, {}); }

  ModelBuilder& m_;
  const PipelineCase& c_;
  ValueId key_;
};

/// The stages one after another, on one device: what each gives as the logits. The head of the last one sees the
/// result, the others see zeros.
ValueId sequential(const DeviceLoop& stages, const PpClassifier& classifier, Masks masks, ValueId x) {
  ModelBuilder& m = stages.m();
  const DeviceFn apply = device_dense();
  // What other devices than the first make of x goes nowhere.
  const DeviceValues inputs = stages.each([&](int64_t d) { return apply(stages, d, "input_dense/sharded", x); });
  ValueId h = inputs.front();
  for (int64_t step = 0; step < classifier.loops * stages.devices(); ++step) {
    const int64_t round = step / stages.devices(), d = step % stages.devices();
    for (int64_t l = 0; l < classifier.layers; ++l) {
      const DeviceLoop layer = (classifier.loops == 1 ? stages : stages.layer(round)).layer(l);
      const ValueId z =
          apply(layer, d, below(kBlock, "input_dense"), layer.layer_norm(d, below(kBlock, "pre_norm"), h));
      const ValueId a = masks.apply(m.multiply(z, m.logistic(z)), round, d, l);
      h = m.add(h, apply(layer, d, below(kBlock, "output_dense"), a));
    }
  }
  const ValueId zeros = m.constant_like(h, Rational(0));
  return m.stack(stages.each([&](int64_t d) {
    const ValueId seen = d + 1 == stages.devices() ? h : zeros;
    return apply(stages, d, "output_dense/sharded", stages.layer_norm(d, "output_norm/sharded", seen));
  }));
}

bool build(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("features")}, Role::input, InitKind::normal);
  std::optional<GlobalId> key;
  if (settings.word("dropout") != "0") key = declare_key(module, "dropout_key");
  ModelBuilder m(module, "pp_classifier", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  const Group all{{*settings.mesh->find("data"), *settings.mesh->find("model")}};
  if (key) root.set_key("dropout", fold_rng_over_axis(m, m.view(*key, {}, "dropout_key"), all));
  const PpClassifier layer{c.axis,
                           c.micro_batches,
                           settings.number("hidden"),
                           settings.number("layers"),
                           settings.number("classes"),
                           key ? 0.5 : 0,
                           settings.number("loops")};
  m.output("logits", pp_classifier(root, layer, m.view(x, {c.rows, {}}, "x")), c.stacked());
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "pp_classifier", settings.mesh, module, sink)) return false;
  ModelBuilder s(module, "sequential", std::make_shared<const Mesh>(), sink);
  const Masks masks(s, c, key ? s.view(*key, {}, "dropout_key") : ValueId());
  s.output("logits", sequential(c.loop(s, params), layer, masks, s.view(x, Layout(2), "x")), Layout(3));
  return add_check(module, sharded, s.finish());
}

}  // namespace

Model pp_classifier_model() {
  ModelInfo info = pipeline_info("pp_classifier",
                                 "PPClassifier: dense, pipeline of MLP layers, norm and dense; every "
                                 "device's logits, of which the last one's count");
  info.settings.push_back(SettingInfo{"layers", 1, "", {}, "of a stage"});
  info.settings.push_back(SettingInfo{"loops", 1, "", {}, "stages of a device; more than one: a looping pipeline"});
  info.settings.push_back(SettingInfo{"features", 3, "", {}, "of x"});
  info.settings.push_back(SettingInfo{"hidden", 4, "", {}, "features of the layers"});
  info.settings.push_back(
      SettingInfo{"dropout", 0, "", {"0", "0.5"}, "rate; every device draws from @dropout_key, folded over all axes"});
  info.settings.push_back(SettingInfo{"classes", 2, "", {}, "logits"});
  return Model{std::move(info), {{"b", "data"}}, build};
}

}  // namespace isoshard

#include "catalogue/loops/pp_classifier_loop.h"

#include <utility>

#include "parallel/module/param_key.h"

namespace isoshard {
namespace {

const std::string kBlock = "pipeline/sharded/mlp_layers/block";

/// The masks of dropout as the devices draw them: each from the key of its own place in the mesh, of the iteration in
/// which it has the micro-batch in that round, and of the layer.
class Masks {
 public:
  Masks(ModelBuilder& m, const PpClassifier& model, const Mesh& mesh, ValueId key)
      : m_(m), model_(model), mesh_(mesh), key_(key) {}

  /// h where it is kept, divided by the part that is; h itself where nothing is dropped.
  ValueId apply(ValueId h, int64_t round, int64_t stage, int64_t layer) {
    if (!key_.valid() || model_.dropout == 0) return h;
    const int64_t stages = mesh_.size(model_.axis), blocks = mesh_.device_count() / stages;
    const int64_t iterations = model_.loops * model_.num_microbatches + stages - 1;
    const Shape rows{m_.shape(h)[0] / (blocks * model_.num_microbatches), m_.shape(h)[1]};
    const auto keep = static_cast<float>(1 - model_.dropout);
    std::vector<ValueId> masks;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t position = mesh_.member(model_.axis, block * stages, stage);
      const ValueId own = m_.op(RngFoldIn{}, {key_, number(position)});
      for (int64_t micro_batch = 0; micro_batch < model_.num_microbatches; ++micro_batch) {
        const ValueId step = split_key(m_, own, round * model_.num_microbatches + micro_batch + stage, iterations);
        masks.push_back(bernoulli(m_, of_module(split_key(m_, step, layer, model_.layers)), {rows}, keep));
      }
    }
    const ValueId kept = masks.size() == 1 ? masks[0] : m_.op(Concatenate{0}, masks);
    const ValueId scaled = m_.with_constant(Divide{}, h, Rational::from_double(static_cast<double>(keep)));
    return m_.op(Select{}, {kept, scaled, m_.constant_like(h, Rational(0))});
  }

 private:
  /// Below two scans that split keys the first draw of a scope has the counter 4, below a third one over rounds 8.
  ValueId of_module(ValueId key) {
    const int64_t counter = model_.loops == 1 ? 4 : 8;
    const uint32_t word = param_fold({"pipeline", "sharded", "mlp_layers", "block", "Dropout_0"}, counter);
    return m_.op(RngFoldIn{}, {key, number(word)});
  }
  ValueId number(int64_t value) { return m_.op(Constant{Rational(value), DType::u32, {}}, {}); }

  ModelBuilder& m_;
  const PpClassifier& model_;
  const Mesh& mesh_;
  ValueId key_;
};

}  // namespace

DeviceValues device_pp_classifier(const DeviceLoop& stages, const PpClassifier& model, const Mesh& mesh, ValueId key,
                                  ValueId x) {
  ModelBuilder& m = stages.m();
  Masks masks(m, model, mesh, key);
  const DeviceFn apply = device_dense();
  // What other devices than the first make of x goes nowhere.
  const DeviceValues inputs = stages.each([&](int64_t d) { return apply(stages, d, "input_dense/sharded", x); });
  ValueId h = inputs.front();
  for (int64_t step = 0; step < model.loops * stages.devices(); ++step) {
    const int64_t round = step / stages.devices(), d = step % stages.devices();
    for (int64_t l = 0; l < model.layers; ++l) {
      const DeviceLoop layer = (model.loops == 1 ? stages : stages.layer(round)).layer(l);
      const ValueId z =
          apply(layer, d, below(kBlock, "input_dense"), layer.layer_norm(d, below(kBlock, "pre_norm"), h));
      const ValueId a = masks.apply(m.multiply(z, m.logistic(z)), round, d, l);
      h = m.add(h, apply(layer, d, below(kBlock, "output_dense"), a));
    }
  }
  const ValueId zeros = m.constant_like(h, Rational(0));
  return stages.each([&](int64_t d) {
    const ValueId seen = d + 1 == stages.devices() ? h : zeros;
    return apply(stages, d, "output_dense/sharded", stages.layer_norm(d, "output_norm/sharded", seen));
  });
}

}  // namespace isoshard

#include "catalogue/training/train_init.h"

#include <utility>

#include "core/support/check.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

ValueId first_value(ModelBuilder& m, const TrainParam& param, ValueId key) {
  const Draw draw{param.shape};
  switch (param.init) {
    case InitKind::zeros:
      return zeros_initializer()(m, key, draw);
    case InitKind::ones:
      return ones_initializer()(m, key, draw);
    case InitKind::normal:
      return normal(m, key, draw);
    case InitKind::lecun_normal:
      return lecun_normal_initializer()(m, key, draw);
    case InitKind::uniform:
    case InitKind::value:
      break;
  }
  ISOSHARD_CHECK(false, "an initialiser of networks");
  return {};
}

/// All layers of a parameter of the blocks, each from a key of its own.
ValueId first_layers(ModelBuilder& m, const TrainParam& param, int64_t layers, ValueId key) {
  const ValueId keys = m.op(RngSplit{layers}, {key});
  std::vector<ValueId> values;
  for (int64_t l = 0; l < layers; ++l) values.push_back(first_value(m, param, m.element(keys, l)));
  return m.stack(values);
}

}  // namespace

bool add_train_init(const std::string& name, const TrainNetwork& network, const TrainSizes& sizes,
                    const std::shared_ptr<const Mesh>& mesh, Module& module, DiagnosticSink& sink) {
  const GlobalId base = declare_key(module, kInitKeyName);
  ModelBuilder m(module, name + kInitSuffix, mesh, sink);
  const ValueId key = m.view(base, {}, "key");
  int64_t drawn = 0;
  const auto next_key = [&] {
    const ValueId number = m.op(Constant{Rational(drawn++), DType::u32, {}}, {});
    return m.op(RngFoldIn{}, {key, number});
  };
  const auto begin = [&](const std::string& global, ValueId value) {
    const Layout whole(m.shape(value).size());
    m.builder().update(*module.find_global(global), value, whole);
  };
  for (const TrainParam& param : network.outer) begin(param.name, first_value(m, param, next_key()));
  for (const TrainParam& param : network.blocks) begin(param.name, first_layers(m, param, sizes.layers, next_key()));
  for (const TrainNetwork::Leaf& leaf : network.batch) {
    const Draw draw{leaf.type.shape};
    const bool is_float = leaf.type.dtype == DType::f32;
    const ValueId value = is_float ? normal(m, next_key(), draw)
                                   : randint(m, next_key(), draw, 0, static_cast<int32_t>(sizes.vocabulary));
    m.output(leaf.name, value, Layout(draw.shape.size()));
  }
  if (const std::optional<GlobalId> own = module.find_global("key")) m.builder().update(*own, next_key(), {});
  return m.finish().has_value();
}

}  // namespace isoshard

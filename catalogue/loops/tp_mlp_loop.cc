#include "catalogue/loops/tp_mlp_loop.h"

namespace isoshard {

DeviceValues device_mlp(const DeviceLoop& loop, const DeviceMlp& block, const DeviceValues& xs) {
  const DeviceFn dense = device_dense();
  const DeviceFn up = [&](const DeviceLoop& l, int64_t device, const std::string& path, ValueId x) {
    const ValueId n = block.async ? x : l.rms_norm(device, below(path, "pre_norm"), x);
    return dense(l, device, below(path, "dense"), n);
  };
  const DeviceFn down = [&](const DeviceLoop& l, int64_t device, const std::string& path, ValueId h) {
    return dense(l, device, below(path, "dense"), activate(l.m(), block.activation, h, ""));
  };
  const DeviceLayer input{below(block.path, "input"), up, "MLPBlockInput"};
  const DeviceLayer output{below(block.path, "output"), down, "MLPBlockOutput"};
  if (!block.async) return loop.scatter(output, loop.gather(input, xs));
  const DeviceValues ns = loop.rms_norm(below(block.path, "pre_norm/sharded"), xs);
  const DeviceValues hs = loop.async_gather(input, ns);
  return block.split_scatter ? loop.async_scatter_split(output, hs) : loop.async_scatter(output, hs);
}

ValueId device_classifier(const DeviceLoop& loop, const TpClassifier& model, ValueId x) {
  ModelBuilder& m = loop.m();
  const DeviceMlp mlp{"mlp/block", Activation::silu, model.async, model.split_scatter};
  const DeviceValues rows(static_cast<size_t>(loop.devices()), x);
  DeviceValues vs = loop.skip_communication(DeviceLayer{"input_layer"}, rows);
  for (int64_t l = 0; l < model.layers; ++l) {
    const DeviceValues ys = device_mlp(loop.layer(l), mlp, vs);
    vs = loop.each([&](int64_t d) { return m.add(vs[static_cast<size_t>(d)], ys[static_cast<size_t>(d)]); });
  }
  return m.sum(loop.skip_communication(DeviceLayer{"output_layer"}, vs));
}

}  // namespace isoshard

// Runs one module many times, each time with parameters and keys of its own, as one `scan` (Flax's nn.scan). The
// parameters of all layers are one array each, whose first dimension counts layers and is cut into slices by the scan,
// so that a program has one copy of the layer whatever their number. Which parameters there are is found by a trial run
// (body_params.cc), since the body of a scan captures nothing. Cost: two runs of the module.
#include "parallel/module/scan_layers.h"

#include <utility>

#include "parallel/module/body_params.h"

namespace isoshard {
namespace {

/// The parameters for all layers, then one array of keys for each stream.
ScanOperands layer_operands(const Scope& outside, const BodyParams& found, int64_t layers, ValueId x,
                            const std::string& name) {
  ModelBuilder& m = outside.m();
  ScanOperands operands;
  operands.initial = {x};
  operands.trips = layers;
  operands.carry_names = {"x"};
  if (!name.empty()) operands.result_names = {name};
  for (const ParamSpec& spec : found.params) operands.stacked.push_back(outside.value_of(spec));
  for (const auto& [stream, key] : outside.frame()->keys) operands.stacked.push_back(m.op(RngSplit{layers}, {key}));
  operands.slice_names.resize(operands.stacked.size());
  return operands;
}

/// The frame of the body: parameters and keys are the slices of this layer.
std::shared_ptr<Scope::Frame> layer_frame(const Scope& outside, const BodyParams& found, const ScanArguments& in) {
  std::map<std::string, ValueId> keys = outside.frame()->keys;
  size_t next = found.params.size();
  for (auto& [stream, key] : keys) key = in.slices[next++];
  return body_frame(outside, found, in.slices, std::move(keys));
}

}  // namespace

ValueId scan_layers(Scope self, int64_t layers, const ModuleFn& body, ValueId x, const std::string& name,
                    const Location& location) {
  if (!x.valid()) return {};
  ModelBuilder& m = self.m();
  const Scope inside = self.transformed(ParamTransform{ParamTransform::Kind::layers, {}, true, std::nullopt, layers});
  const BodyFn trial = [&](Scope& scope, const std::vector<ValueId>& inputs) { return body(scope, inputs[0]); };
  const std::optional<BodyParams> found = find_body_params(inside, self.frame()->keys, trial, {m.builder().type(x)});
  if (!found) return {};
  if (found->params.empty()) {
    return m.error("C-layers", "scan_layers: the body has no parameters; expected one for each layer to differ in",
                   location);
  }
  const ScanBody scan_body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    Scope scope = inside.in_frame(layer_frame(self, *found, in));
    const ValueId y = body(scope, in.carries[0]);
    if (!y.valid()) return std::nullopt;
    return ScanYield{{y}, {}, location};
  };
  return m.builder().scan(layer_operands(self, *found, layers, x, name), scan_body, location).front();
}

}  // namespace isoshard

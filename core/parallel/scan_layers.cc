#include "core/parallel/scan_layers.h"

#include <utility>

namespace isoshard {
namespace {

/// What a first run of the body has shown.
struct Found {
  std::vector<ParamSpec> params;
  std::shared_ptr<std::map<std::string, int64_t>> draws;
  bool good = false;
};

/// What a region within `scans` scans reads of it.
ValueType type_inside(const ModelBuilder& m, const ParamSpec& spec, int64_t scans) {
  const bool has_gradient = spec.is_param;
  const ParamSpec::Local local = spec.local(scans);
  States states(m.mesh().axis_count(), has_gradient && m.typed() ? State::replicated : State::equal);
  for (size_t i = 0; i < states.size(); ++i) {
    if (local.varying.contains(AxisId(i))) states[i] = State::varying;
  }
  return ValueType{TensorType{DType::f32, local.shape}, std::move(states), has_gradient};
}

/// Runs the body in a function of its own, in a copy of the module that is thrown away.
Found find_params(const Scope& inside, int64_t scans, const ModuleFn& body, ValueId x) {
  ModelBuilder& m = inside.m();
  Found found;
  const size_t errors = m.sink().error_count();
  Module copy = m.module();
  ModelBuilder trial(copy, "trial", m.builder().program().shared_mesh(), m.sink(),
                     BuilderOptions{ProgramKind::function, m.typed(), {}});
  auto frame = std::make_shared<Scope::Frame>();
  frame->m = &trial;
  frame->reader = [&](ModelBuilder&, const ParamSpec& spec) {
    found.params.push_back(spec);
    return trial.builder().argument("", type_inside(m, spec, scans));
  };
  for (const auto& [stream, key] : inside.frame()->keys) {
    frame->keys[stream] = trial.builder().argument("", m.builder().type(key));
  }
  frame->draws = found.draws = std::make_shared<std::map<std::string, int64_t>>();
  frame->counting = true;
  Scope scope = inside.in_frame(std::move(frame));
  const ValueId y = body(scope, trial.builder().argument("", m.builder().type(x)));
  found.good = y.valid() && m.sink().error_count() == errors;
  return found;
}

/// The frame of the body: parameters and keys are the slices of this layer.
std::shared_ptr<Scope::Frame> body_frame(const Scope& outside, const Found& found, const ScanArguments& in) {
  auto frame = std::make_shared<Scope::Frame>(*outside.frame());
  std::map<std::string, ValueId> slices;
  for (size_t i = 0; i < found.params.size(); ++i) slices[found.params[i].name()] = in.slices[i];
  frame->reader = [slices = std::move(slices)](ModelBuilder&, const ParamSpec& spec) { return slices.at(spec.name()); };
  size_t next = found.params.size();
  for (auto& [stream, key] : frame->keys) key = in.slices[next++];
  frame->draws = found.draws;
  frame->counting = false;
  return frame;
}

/// The parameters for all layers, then one array of keys for each stream.
ScanOperands operands_of(const Scope& outside, const Found& found, int64_t layers, ValueId x, const std::string& name) {
  ModelBuilder& m = outside.m();
  ScanOperands operands;
  operands.initial = {x};
  operands.trips = layers;
  operands.carry_names = {"x"};
  if (!name.empty()) operands.result_names = {name};
  for (const ParamSpec& spec : found.params) {
    operands.stacked.push_back(outside.value_of(spec));
    operands.slice_names.emplace_back();
  }
  for (const auto& [stream, key] : outside.frame()->keys) {
    operands.stacked.push_back(m.op(RngSplit{layers}, {key}));
    operands.slice_names.emplace_back();
  }
  return operands;
}

}  // namespace

ValueId scan_layers(Scope self, int64_t layers, const ModuleFn& body, ValueId x, const std::string& name,
                    const Location& location) {
  if (!x.valid()) return {};
  const Scope inside = self.transformed(ParamTransform{ParamTransform::Kind::layers, {}, true, std::nullopt, layers});
  const Found found = find_params(inside, self.scans() + 1, body, x);
  if (!found.good) return {};
  if (found.params.empty()) {
    return self.m().error(
        "C-layers", "scan_layers: the body has no parameters; expected one for each layer to differ in", location);
  }
  // What a scan around this one counts, it counts in the body of this one as well.
  if (self.frame()->counting) self.frame()->draws->insert(found.draws->begin(), found.draws->end());
  const ScanBody scan_body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    Scope scope = inside.in_frame(body_frame(self, found, in));
    const ValueId y = body(scope, in.carries[0]);
    if (!y.valid()) return std::nullopt;
    return ScanYield{{y}, {}, location};
  };
  return self.m().builder().scan(operands_of(self, found, layers, x, name), scan_body, location).front();
}

}  // namespace isoshard

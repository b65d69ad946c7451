// Finds out what a module reads before it stands in a region that captures nothing. The module is run once in a
// function that is thrown away, on a copy of the Module, with a reader that notes each parameter and gives an argument
// of its type; then the program reads these parameters outside and passes them in. The trial run also counts how many
// keys each scope draws, because Flax traces the body of a scan more than once and its counters say so
// (docs/spec/random.md, "Keys of modules"). Cost: one more run of the module per enclosing region, so 2^depth for
// regions in regions.
#include "parallel/module/body_params.h"

#include <utility>

namespace isoshard {
namespace {

/// What a region within `scans` scans over layers reads of it.
ValueType type_inside(const ModelBuilder& m, const ParamSpec& spec, int64_t scans) {
  const bool has_gradient = spec.is_param;
  const ParamSpec::Local local = spec.local(scans);
  States states(m.mesh().axis_count(), has_gradient && m.typed() ? State::replicated : State::equal);
  for (size_t i = 0; i < states.size(); ++i) {
    if (local.varying.contains(AxisId(i))) states[i] = State::varying;
  }
  return ValueType{TensorType{DType::f32, local.shape}, std::move(states), has_gradient};
}

}  // namespace

std::optional<BodyParams> find_body_params(const Scope& inside, const std::map<std::string, ValueId>& keys,
                                           const BodyFn& body, const std::vector<ValueType>& inputs) {
  ModelBuilder& m = inside.m();
  BodyParams found;
  const size_t errors = m.sink().error_count();
  Module copy = m.module();
  ModelBuilder trial(copy, "trial", m.builder().program().shared_mesh(), m.sink(),
                     BuilderOptions{ProgramKind::function, m.typed(), {}});
  auto frame = std::make_shared<Scope::Frame>();
  frame->m = &trial;
  frame->reader = [&](ModelBuilder&, const ParamSpec& spec) {
    found.params.push_back(spec);
    return trial.builder().argument("", type_inside(m, spec, inside.scans("params")));
  };
  for (const auto& [stream, key] : keys) {
    frame->keys[stream] = trial.builder().argument("", m.builder().type(key));
  }
  frame->draws = found.draws = std::make_shared<std::map<std::string, int64_t>>();
  frame->counting = true;
  Scope scope = inside.in_frame(std::move(frame));
  std::vector<ValueId> arguments;
  arguments.reserve(inputs.size());
  for (const ValueType& type : inputs) arguments.push_back(trial.builder().argument("", type));
  const ValueId y = body(scope, arguments);
  if (!y.valid() || m.sink().error_count() != errors) return std::nullopt;
  found.result = trial.builder().type(y).tensor;
  const auto& outer = *inside.frame();
  if (outer.counting) outer.draws->insert(found.draws->begin(), found.draws->end());
  return found;
}

std::vector<ValueId> read_params(const Scope& outside, const BodyParams& found) {
  std::vector<ValueId> values;
  for (const ParamSpec& spec : found.params) values.push_back(outside.frame()->reader(outside.m(), spec));
  return values;
}

std::shared_ptr<Scope::Frame> body_frame(const Scope& outside, const BodyParams& found,
                                         const std::vector<ValueId>& values, std::map<std::string, ValueId> keys) {
  auto frame = std::make_shared<Scope::Frame>(*outside.frame());
  std::map<std::string, ValueId> by_name;
  for (size_t i = 0; i < found.params.size(); ++i) by_name[found.params[i].name()] = values[i];
  frame->reader = [by_name = std::move(by_name)](ModelBuilder&, const ParamSpec& spec) {
    return by_name.at(spec.name());
  };
  frame->keys = std::move(keys);
  frame->draws = found.draws;
  frame->counting = false;
  return frame;
}

}  // namespace isoshard

#include "core/parallel/pipeline_parallel.h"

#include <algorithm>
#include <utility>

#include "core/parallel/body_params.h"
#include "core/parallel/dense.h"
#include "core/parallel/ring_collectives.h"

namespace isoshard {
namespace {

constexpr const char* kDropout = "dropout";
constexpr const char* kParams = "params";

/// How the batch goes through the pipeline.
struct Schedule {
  int64_t micro_batches, stages;

  int64_t iterations() const { return micro_batches + stages - 1; }
};

ValueId error(ModelBuilder& m, const std::string& message, const Location& location) {
  return m.error("C-pipeline", "execute_pipeline: " + message, location);
}

bool check_batch(ModelBuilder& m, ValueId x, int64_t micro_batches, const Location& location) {
  const Shape& shape = m.shape(x);
  if (shape.empty()) {
    error(m, "x is a scalar; expected rows along dimension 0, which are cut into micro-batches", location);
    return false;
  }
  if (micro_batches < 1) {
    error(m, std::to_string(micro_batches) + " micro-batches; expected at least 1", location);
    return false;
  }
  if (shape[0] % micro_batches == 0) return true;
  error(m,
        "the batch of " + std::to_string(shape[0]) + " rows cannot be cut into " + std::to_string(micro_batches) +
            " equal micro-batches; expected a multiple of " + std::to_string(micro_batches),
        location);
  return false;
}

/// x, V over `axis`.
ValueId varying(ModelBuilder& m, ValueId x, const Group& axis, const Location& location) {
  Group invariant;
  for (const AxisId a : axis.axes) {
    if (m.builder().type(x).states[a.index()] == State::invariant) invariant.axes.push_back(a);
  }
  const ValueId replicated = invariant.empty() ? x : as_state(m, x, invariant, State::replicated, location);
  return as_state(m, replicated, axis, State::varying, location);
}

/// [batch, ..] -> [iterations, rows, ..]: the micro-batches, then zeros for the stages behind the first.
ValueId stacked_inputs(ModelBuilder& m, ValueId x, const Schedule& schedule, const Location& location) {
  Shape shape = m.shape(x);
  const DType dtype = m.builder().type(x).tensor.dtype;
  shape[0] /= schedule.micro_batches;
  shape.insert(shape.begin(), schedule.micro_batches);
  const ValueId parts = m.op(Reshape{shape}, {x}, "", location);
  if (schedule.stages == 1) return parts;
  shape[0] = schedule.stages - 1;
  const ValueId zeros = m.op(Constant{Rational(0), dtype, std::move(shape)}, {}, "", location);
  return m.op(Concatenate{0}, {parts, zeros}, "", location);
}

/// [iterations, rows, ..] -> [batch, ..]: what the last stage gives when the first micro-batch has reached it.
ValueId joined_outputs(ModelBuilder& m, ValueId outputs, const Schedule& schedule, const std::string& name,
                       const Location& location) {
  Shape limit = m.shape(outputs), start(limit.size(), 0), shape(limit.begin() + 1, limit.end());
  start[0] = schedule.stages - 1;
  shape[0] *= schedule.micro_batches;
  const ValueId last = m.op(Slice{std::move(start), std::move(limit), {}}, {outputs}, "", location);
  return m.op(Reshape{std::move(shape)}, {last}, name, location);
}

std::map<std::string, ValueId> lifted_keys(const Scope& self) {
  std::map<std::string, ValueId> keys = self.frame()->keys;
  std::erase_if(keys, [](const auto& entry) { return entry.first != kDropout && entry.first != kParams; });
  return keys;
}

/// Of the number of a micro-batch.
ValueType number_type(const ModelBuilder& m, const Group& axis) {
  States states(m.mesh().axis_count(), State::equal);
  for (const AxisId a : axis.axes) states[a.index()] = State::varying;
  return ValueType{TensorType{DType::i32, {}}, std::move(states), false};
}

/// What one micro-batch needs of the module; nothing after an error.
std::optional<BodyParams> find_params(const Scope& inside, const std::map<std::string, ValueId>& keys,
                                      const Pipeline& pipeline, const PipelineFn& module, ValueId x,
                                      const Location& location) {
  ModelBuilder& m = inside.m();
  std::vector<ValueType> types{m.builder().type(x)};
  types[0].tensor.shape[0] /= pipeline.num_microbatches;
  for (const ValueId extra : pipeline.kwargs) types.push_back(m.builder().type(extra));
  if (pipeline.with_number) types.push_back(number_type(m, pipeline.axis));
  const BodyFn body = [&](Scope& scope, const std::vector<ValueId>& inputs) {
    return module(scope, inputs[0], {inputs.begin() + 1, inputs.end()});
  };
  std::optional<BodyParams> found = find_body_params(inside, keys, body, types);
  if (!found || found->result == types[0].tensor) return found;
  error(m,
        "the module makes " + to_string(found->result) + " of a micro-batch " + to_string(types[0].tensor) +
            "; expected the same dtype and shape, because the next stage takes it",
        location);
  return std::nullopt;
}

/// The scan over iterations: what it carries and slices, and one iteration.
class Loop {
 public:
  Loop(Scope& self, const Pipeline& pipeline, const PipelineFn& module, const Location& location)
      : self_(self), inside_(self.in_micro_batches()), pipeline_(pipeline), module_(module), location_(location) {}

  /// [iterations, rows, ..]; invalid after an error.
  ValueId run(ValueId x) {
    found_ = find_params(inside_, keys_, pipeline_, module_, x, location_);
    if (!found_) return {};
    const ScanBody body = [&](const ScanArguments& in, bool) { return iteration(in); };
    return self_.m().builder().scan(operands(x), body, location_).back();
  }

  Schedule schedule() const { return {pipeline_.num_microbatches, self_.m().mesh().size(pipeline_.axis)}; }

 private:
  /// The state of a stage, then what does not change: parameters, kwargs and the key of `params`; stacked are the
  /// inputs and the keys of `dropout`.
  ScanOperands operands(ValueId x) {
    ModelBuilder& m = self_.m();
    ScanOperands result;
    result.stacked = {stacked_inputs(m, x, schedule(), location_)};
    result.slice_names = {"input"};
    Shape rows = m.shape(result.stacked[0]);
    rows.erase(rows.begin());
    result.initial = {m.op(Constant{Rational(0), found_->result.dtype, std::move(rows)}, {}, "", location_)};
    for (const ValueId value : read_params(self_, *found_)) result.initial.push_back(value);
    for (const ValueId value : pipeline_.kwargs) result.initial.push_back(value);
    if (keys_.contains(kParams)) result.initial.push_back(keys_.at(kParams));
    result.carry_names.resize(result.initial.size());
    result.carry_names[0] = "state";
    result.with_index = pipeline_.with_number;
    if (!keys_.contains(kDropout)) return result;
    result.stacked.push_back(m.op(RngSplit{schedule().iterations()}, {keys_.at(kDropout)}, "", location_));
    result.slice_names.emplace_back();
    return result;
  }

  /// The micro-batch that this stage has in iteration `index`: the first one needs an iteration a stage to get here.
  ValueId number(ValueId index) {
    ModelBuilder& m = self_.m();
    return m.op(Subtract{}, {index, m.op(AxisIndex{pipeline_.axis}, {}, "", location_)}, "", location_);
  }

  std::optional<ScanYield> iteration(const ScanArguments& in) {
    const auto params = in.carries.begin() + 1, kwargs = params + std::ssize(found_->params);
    std::map<std::string, ValueId> keys = keys_;
    if (keys.contains(kParams)) keys[kParams] = in.carries.back();
    if (keys.contains(kDropout)) keys[kDropout] = in.slices.back();
    Scope scope = inside_.in_frame(body_frame(self_, *found_, {params, kwargs}, std::move(keys)));
    std::vector<ValueId> own(kwargs, kwargs + std::ssize(pipeline_.kwargs));
    if (pipeline_.with_number) own.push_back(number(in.index));
    const ModuleFn module = [&](Scope& self, ValueId x) { return module_(self, x, own); };
    const PipelineStep step =
        execute_pipeline_step(scope, module, in.carries[0], in.slices[0], pipeline_.axis, location_);
    if (!step.state.valid() || !step.output.valid()) return std::nullopt;
    std::vector<ValueId> next = in.carries;
    next[0] = step.state;
    return ScanYield{std::move(next), {step.output}, location_};
  }

  Scope& self_;
  Scope inside_;
  const Pipeline& pipeline_;
  const PipelineFn& module_;
  const Location& location_;
  std::map<std::string, ValueId> keys_ = lifted_keys(self_);
  std::optional<BodyParams> found_{};
};

}  // namespace

PipelineStep execute_pipeline_step(Scope& self, const ModuleFn& module, ValueId state, ValueId input, const Group& axis,
                                   const Location& location) {
  ModelBuilder& m = self.m();
  const ValueId stage = m.op(AxisIndex{axis}, {}, "stage", location);
  const auto is = [&](int64_t index, const std::string& name) {
    return m.with_constant(Compare{Direction::eq}, stage, Rational(index), name, location);
  };
  const ValueId first = is(0, "first"), last = is(m.mesh().size(axis) - 1, "last");
  const ValueId y = module(self, m.op(Select{}, {first, input, state}, "x", location));
  if (!y.valid()) return {};
  const ValueId zeros = m.constant_like(y, Rational(0), "", location);
  return {ring_step(m, y, axis, true, "next", location), m.op(Select{}, {last, y, zeros}, "output", location)};
}

ValueId execute_pipeline(Scope& self, const Pipeline& pipeline, const PipelineFn& module, ValueId x,
                         const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  const bool poisoned =
      std::any_of(pipeline.kwargs.begin(), pipeline.kwargs.end(), [](ValueId v) { return !v.valid(); });
  if (!x.valid() || poisoned || !check_batch(m, x, pipeline.num_microbatches, location)) return {};
  Loop loop(self, pipeline, module, location);
  const ValueId outputs = loop.run(varying(m, x, pipeline.axis, location));
  return outputs.valid() ? joined_outputs(m, outputs, loop.schedule(), name, location) : ValueId();
}

ValueId pipeline_module(Scope& self, const Group& axis, int64_t num_microbatches, const ModuleFn& module_fn, ValueId x,
                        const std::string& name, const Location& location) {
  const PipelineFn module = [&](Scope& scope, ValueId v, const std::vector<ValueId>&) { return module_fn(scope, v); };
  return execute_pipeline(self, Pipeline{axis, num_microbatches}, module, x, name, location);
}

}  // namespace isoshard

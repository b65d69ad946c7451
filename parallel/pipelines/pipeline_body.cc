// What the two schedules of pipelines by permutes share (docs/spec/originals.md, "Pipeline"). A batch is cut into
// micro-batches along dimension 0. The module of a stage becomes the body of a scan over iterations: since that
// captures nothing, its parameters, extra arguments and the key of parameters are carried through all iterations
// unchanged, and keys of dropout are split, one per iteration. Which parameters there are is found by a trial run
// (body_params.cc). The output of a stage must have the type of its input, because the next stage takes it. Cost: two
// runs of the module, whatever the number of micro-batches.
#include "parallel/pipelines/pipeline_body.h"

#include <algorithm>
#include <utility>

#include "parallel/layers/dense.h"
#include "parallel/layers/dropout.h"

namespace isoshard {
namespace {

constexpr const char* kParams = "params";

bool check_batch(ModelBuilder& m, const std::string& called, ValueId x, int64_t micro_batches,
                 const Location& location) {
  const Shape& shape = m.shape(x);
  if (shape.empty()) {
    pipeline_error(m, called, "x is a scalar; expected rows along dimension 0, which are cut into micro-batches",
                   location);
    return false;
  }
  if (micro_batches < 1) {
    pipeline_error(m, called, std::to_string(micro_batches) + " micro-batches; expected at least 1", location);
    return false;
  }
  if (shape[0] % micro_batches == 0) return true;
  pipeline_error(m, called,
                 "the batch of " + std::to_string(shape[0]) + " rows cannot be cut into " +
                     std::to_string(micro_batches) + " equal micro-batches; expected a multiple of " +
                     std::to_string(micro_batches),
                 location);
  return false;
}

/// Of the number of a micro-batch.
ValueType number_type(const ModelBuilder& m, const Group& axis) {
  States states(m.mesh().axis_count(), State::equal);
  for (const AxisId a : axis.axes) states[a.index()] = State::varying;
  return ValueType{TensorType{DType::i32, {}}, std::move(states), false};
}

std::map<std::string, ValueId> lifted_keys(const Scope& self) {
  std::map<std::string, ValueId> keys = self.frame()->keys;
  std::erase_if(keys, [](const auto& entry) { return entry.first != kDropout && entry.first != kParams; });
  return keys;
}

}  // namespace

ValueId pipeline_error(ModelBuilder& m, const std::string& called, const std::string& message,
                       const Location& location) {
  return m.error("C-pipeline", called + ": " + message, location);
}

ValueId pipeline_input(ModelBuilder& m, const std::string& called, const Pipeline& pipeline, ValueId x,
                       const Location& location) {
  const bool poisoned =
      std::any_of(pipeline.kwargs.begin(), pipeline.kwargs.end(), [](ValueId v) { return !v.valid(); });
  if (!x.valid() || poisoned || !check_batch(m, called, x, pipeline.num_microbatches, location)) return {};
  Group invariant;
  for (const AxisId a : pipeline.axis.axes) {
    if (m.builder().type(x).states[a.index()] == State::invariant) invariant.axes.push_back(a);
  }
  const ValueId replicated = invariant.empty() ? x : as_state(m, x, invariant, State::replicated, location);
  return as_state(m, replicated, pipeline.axis, State::varying, location);
}

ValueId micro_batches_of(ModelBuilder& m, ValueId x, int64_t count, const Location& location) {
  Shape shape = m.shape(x);
  shape[0] /= count;
  shape.insert(shape.begin(), count);
  return m.op(Reshape{std::move(shape)}, {x}, "", location);
}

ValueId joined_outputs(ModelBuilder& m, ValueId outputs, int64_t micro_batches, const std::string& name,
                       const Location& location) {
  Shape limit = m.shape(outputs), start(limit.size(), 0), shape(limit.begin() + 1, limit.end());
  start[0] = limit[0] - micro_batches;
  shape[0] *= micro_batches;
  const ValueId last = m.op(Slice{std::move(start), std::move(limit), {}}, {outputs}, "", location);
  return m.op(Reshape{std::move(shape)}, {last}, name, location);
}

PipelineBody::PipelineBody(const Scope& self, Scope inside, const Pipeline& pipeline, const PipelineFn& module,
                           Location location)
    : self_(self),
      inside_(std::move(inside)),
      pipeline_(pipeline),
      module_(module),
      location_(std::move(location)),
      keys_(lifted_keys(self)) {}

std::optional<PipelineBody> PipelineBody::find(const Scope& self, Scope inside, const std::string& called,
                                               const Pipeline& pipeline, const PipelineFn& module, ValueId x,
                                               const Location& location) {
  ModelBuilder& m = self.m();
  PipelineBody result(self, std::move(inside), pipeline, module, location);
  std::vector<ValueType> types{m.builder().type(x)};
  types[0].tensor.shape[0] /= pipeline.num_microbatches;
  for (const ValueId extra : pipeline.kwargs) types.push_back(m.builder().type(extra));
  if (pipeline.with_number) types.push_back(number_type(m, pipeline.axis));
  const BodyFn body = [&](Scope& scope, const std::vector<ValueId>& inputs) {
    return module(scope, inputs[0], {inputs.begin() + 1, inputs.end()});
  };
  std::optional<BodyParams> found = find_body_params(result.inside_, result.keys_, body, types);
  if (!found) return std::nullopt;
  result.found_ = std::move(*found);
  if (result.type() == types[0].tensor) return result;
  pipeline_error(m, called,
                 "the module makes " + to_string(result.type()) + " of a micro-batch " + to_string(types[0].tensor) +
                     "; expected the same dtype and shape, because the next stage takes it",
                 location);
  return std::nullopt;
}

void PipelineBody::add_operands(ScanOperands& operands, const std::vector<ValueId>& params, int64_t iterations) {
  first_ = std::ssize(operands.initial);
  operands.initial.insert(operands.initial.end(), params.begin(), params.end());
  operands.initial.insert(operands.initial.end(), pipeline_.kwargs.begin(), pipeline_.kwargs.end());
  if (keys_.contains(kParams)) operands.initial.push_back(keys_.at(kParams));
  operands.carry_names.resize(operands.initial.size());
  if (!keys_.contains(kDropout)) return;
  operands.stacked.push_back(self_.m().op(RngSplit{iterations}, {keys_.at(kDropout)}, "", location_));
  operands.slice_names.emplace_back();
}

std::vector<ValueId> PipelineBody::params(const ScanArguments& in) const {
  const auto begin = in.carries.begin() + first_;
  return {begin, begin + std::ssize(found_.params)};
}

Scope PipelineBody::scope(const ScanArguments& in, const std::vector<ValueId>& params) const {
  std::map<std::string, ValueId> keys = keys_;
  if (keys.contains(kParams)) keys[kParams] = in.carries.back();
  if (keys.contains(kDropout)) keys[kDropout] = in.slices.back();
  return inside_.in_frame(body_frame(self_, found_, params, std::move(keys)));
}

ModuleFn PipelineBody::module(const ScanArguments& in, ValueId number) const {
  const auto begin = in.carries.begin() + first_ + std::ssize(found_.params);
  std::vector<ValueId> kwargs(begin, begin + std::ssize(pipeline_.kwargs));
  if (pipeline_.with_number) kwargs.push_back(number);
  return [this, kwargs](Scope& self, ValueId x) { return module_(self, x, kwargs); };
}

}  // namespace isoshard

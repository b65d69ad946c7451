// The pipeline of M micro-batches over N stages, one per device (Huang et al. 2019; docs/spec/originals.md,
// "Pipeline"). All devices run the same scan of M + N - 1 iterations: the first stage takes the next micro-batch, the
// others what their neighbour has sent, and each sends its result one device up. The last stage's results are kept and
// the others are zeros, so that in the last M iterations stand the outputs in order. Stages compute on zeros while they
// wait, the bubble; its results are thrown away. Cost: (M + N - 1) / M of the work, one permute per iteration.
#include "parallel/pipelines/pipeline_parallel.h"

#include <utility>

#include "parallel/pipelines/pipeline_body.h"
#include "parallel/sharding/ring_collectives.h"

namespace isoshard {
namespace {

constexpr const char* kExecutePipeline = "execute_pipeline";

/// The micro-batches, then zeros for the stages behind the first.
ValueId stacked_inputs(ModelBuilder& m, ValueId x, int64_t micro_batches, int64_t stages, const Location& location) {
  const ValueId parts = micro_batches_of(m, x, micro_batches, location);
  if (stages == 1) return parts;
  const TensorType type = m.builder().type(parts).tensor;
  Shape shape = type.shape;
  shape[0] = stages - 1;
  const ValueId zeros = m.op(Constant{Rational(0), type.dtype, std::move(shape)}, {}, "", location);
  return m.op(Concatenate{0}, {parts, zeros}, "", location);
}

/// The state of a stage is carried, the inputs are stacked.
ScanOperands pipeline_operands(ModelBuilder& m, const PipelineBody& body, ValueId inputs, const Location& location) {
  ScanOperands result;
  result.stacked = {inputs};
  result.slice_names = {"input"};
  result.initial = {m.op(Constant{Rational(0), body.type().dtype, body.type().shape}, {}, "", location)};
  result.carry_names = {"state"};
  return result;
}

/// The micro-batch that this stage has in iteration `index`: the first one needs an iteration a stage to get here.
ValueId number_in(ModelBuilder& m, ValueId index, const Group& axis, const Location& location) {
  return m.op(Subtract{}, {index, m.op(AxisIndex{axis}, {}, "", location)}, "", location);
}

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
  x = pipeline_input(m, kExecutePipeline, pipeline, x, location);
  if (!x.valid()) return {};
  std::optional<PipelineBody> body =
      PipelineBody::find(self, self.in_micro_batches(), kExecutePipeline, pipeline, module, x, location);
  if (!body) return {};
  const int64_t stages = m.mesh().size(pipeline.axis);
  const ValueId inputs = stacked_inputs(m, x, pipeline.num_microbatches, stages, location);
  ScanOperands operands = pipeline_operands(m, *body, inputs, location);
  operands.with_index = pipeline.with_number;
  body->add_operands(operands, read_params(self, body->found()), pipeline.num_microbatches + stages - 1);
  const ScanBody iteration = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    Scope scope = body->scope(in, body->params(in));
    const ValueId number = pipeline.with_number ? number_in(m, in.index, pipeline.axis, location) : ValueId();
    const PipelineStep step =
        execute_pipeline_step(scope, body->module(in, number), in.carries[0], in.slices[0], pipeline.axis, location);
    if (!step.state.valid() || !step.output.valid()) return std::nullopt;
    std::vector<ValueId> next = in.carries;
    next[0] = step.state;
    return ScanYield{std::move(next), {step.output}, location};
  };
  const ValueId outputs = m.builder().scan(operands, iteration, location).back();
  return outputs.valid() ? joined_outputs(m, outputs, pipeline.num_microbatches, name, location) : ValueId();
}

ValueId pipeline_module(Scope& self, const Group& axis, int64_t num_microbatches, const ModuleFn& module_fn, ValueId x,
                        const std::string& name, const Location& location) {
  const PipelineFn module = [&](Scope& scope, ValueId v, const std::vector<ValueId>&) { return module_fn(scope, v); };
  return execute_pipeline(self, Pipeline{axis, num_microbatches}, module, x, name, location);
}

}  // namespace isoshard

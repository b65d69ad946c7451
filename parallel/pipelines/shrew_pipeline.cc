// The pipeline of the Rust crate shrew: stages that run one after the other for each chunk of a batch
// (docs/spec/originals.md, "Pipeline of shrew"). It schedules nothing over devices; what can be wrong is how a batch is
// cut, so the rule is the original one: chunks of ceil(batch / n) rows and a last one with what is left, which may make
// them fewer than n. All chunks pass through one set of parameters, which a trial run finds beforehand. Cost: the batch
// once.
#include "parallel/pipelines/shrew_pipeline.h"

#include <algorithm>
#include <utility>

#include "parallel/module/body_params.h"

namespace isoshard {
namespace {}  // namespace

PipelineStage PipelineStage::add_layer(ModuleFn layer) const {
  PipelineStage result = *this;
  result.layers_.push_back(std::move(layer));
  return result;
}

ValueId PipelineStage::forward(Scope& self, ValueId x) const {
  for (size_t k = 0; k < layers_.size() && x.valid(); ++k) {
    Scope layer = self.child("layer_" + std::to_string(k));
    x = layers_[k](layer, x);
  }
  return x;
}

std::optional<PipelineParallel> PipelineParallel::make(std::vector<PipelineStage> stages, int64_t num_micro_batches,
                                                       DiagnosticSink& sink) {
  if (stages.empty()) {
    sink.error("C-pipeline", Location::here(), "PipelineParallel: no stages; expected at least one");
    return std::nullopt;
  }
  if (num_micro_batches < 1) {
    sink.error("C-pipeline", Location::here(),
               "PipelineParallel: " + std::to_string(num_micro_batches) + " micro-batches; expected at least 1");
    return std::nullopt;
  }
  return PipelineParallel(std::move(stages), num_micro_batches);
}

const PipelineStage* PipelineParallel::stage(int64_t index) const {
  return 0 <= index && index < num_stages() ? &stages_[static_cast<size_t>(index)] : nullptr;
}

std::vector<int64_t> PipelineParallel::chunks(int64_t batch) const {
  const int64_t n = std::min(num_micro_batches_, batch);
  if (n <= 1) return {batch};
  const int64_t size = (batch + n - 1) / n;
  std::vector<int64_t> result;
  for (int64_t start = 0; start < batch; start += size) result.push_back(std::min(size, batch - start));
  return result;
}

ValueId PipelineParallel::run_stages(Scope& self, ValueId x) const {
  for (size_t k = 0; k < stages_.size() && x.valid(); ++k) {
    Scope stage = self.child("stage_" + std::to_string(k));
    x = stages_[k].forward(stage, x);
  }
  return x;
}

std::vector<ParamSpec> PipelineParallel::parameters(const Scope& self, ValueId x) const {
  const BodyFn body = [this](Scope& scope, const std::vector<ValueId>& inputs) { return run_stages(scope, inputs[0]); };
  std::optional<BodyParams> found = find_body_params(self, {}, body, {self.m().builder().type(x)});
  return found ? std::move(found->params) : std::vector<ParamSpec>();
}

ValueId PipelineParallel::forward(Scope& self, ValueId x) const {
  if (!x.valid()) return {};
  ModelBuilder& m = self.m();
  if (m.shape(x).empty())
    return m.error("C-pipeline", "PipelineParallel: x is a scalar; expected rows along dimension 0");
  const BodyFn body = [this](Scope& scope, const std::vector<ValueId>& inputs) { return run_stages(scope, inputs[0]); };
  const std::optional<BodyParams> found = find_body_params(self, {}, body, {m.builder().type(x)});
  if (!found) return {};
  const std::vector<ValueId> params = read_params(self, *found);
  std::vector<ValueId> results;
  int64_t start = 0;
  for (const int64_t rows : chunks(m.shape(x)[0])) {
    // Every chunk passes through the same modules with the same parameters.
    Scope scope = self.in_frame(body_frame(self, *found, params, {}));
    results.push_back(run_stages(scope, m.slice(x, 0, start, start + rows)));
    if (!results.back().valid()) return {};
    start += rows;
  }
  return results.size() == 1 ? results[0] : m.op(Concatenate{0}, results);
}

}  // namespace isoshard

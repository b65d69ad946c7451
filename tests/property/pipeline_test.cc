// Pipelines of random sizes on random meshes equal their stages one after another, whatever the number of
// micro-batches: fewer than stages, one, or one for each row.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "catalogue/catalogue.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard::pipeline_test {
namespace {

int64_t size_at_most(int64_t most) { return *rc::gen::inRange<int64_t>(1, most + 1); }
int64_t devices_at_most(int64_t most) { return size_at_most(kSanitized ? 3 : most); }

SettingValue number(const std::string& name, int64_t value) { return {name, std::to_string(value)}; }

/// The verdict about a model of the catalogue.
int exit_code(const ModelRequest& request) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) RC_FAIL(render(d));
  return verify::check(*module, module->checks.front()).exit_code();
}

/// What the models of pipelines have in common: `rows` of a micro-batch.
ModelRequest request(const std::string& name, int64_t most_stages) {
  const bool tuple = *rc::gen::arbitrary<bool>();
  const int64_t data = devices_at_most(tuple ? 3 : 2), model = devices_at_most(tuple ? 3 : most_stages);
  const int64_t micro_batches = size_at_most(6), rows = size_at_most(3);
  return {name,
          {{"data", data}, {"model", model}},
          {{"axis", tuple ? "data_model" : "model"},
           number("micro_batches", micro_batches),
           number("b", data * micro_batches * rows)}};
}

RC_GTEST_PROP(Pipeline, OfOneMatrixPerStageIsTheStagesInARow, ()) {
  ModelRequest pipeline = request("execute_pipeline", 8);
  pipeline.settings.push_back(number("width", size_at_most(4)));
  RC_ASSERT(exit_code(pipeline) == 0);
}

RC_GTEST_PROP(Pipeline, OfScannedLayersIsTheLayersInARow, ()) {
  ModelRequest pipeline = request("pipeline_module", 6);
  pipeline.settings.push_back(number("layers", size_at_most(3)));
  pipeline.settings.push_back(number("width", size_at_most(3)));
  pipeline.settings.push_back(number("hidden", size_at_most(4)));
  RC_ASSERT(exit_code(pipeline) == 0);
}

RC_GTEST_PROP(Pipeline, InChunksIsTheWholeBatchAtOnce, ()) {
  const int64_t data = devices_at_most(4);
  RC_ASSERT(exit_code({"shrew_pipeline",
                       {{"data", data}},
                       {number("micro_batches", size_at_most(7)), number("b", data * size_at_most(9))}}) == 0);
}

}  // namespace
}  // namespace isoshard::pipeline_test

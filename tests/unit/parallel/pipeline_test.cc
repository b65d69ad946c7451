// Pipelines: states, parameters and keys of what execute_pipeline builds, what it refuses, and the pipeline of shrew.
#include <stdexcept>

#include "parallel/pipelines/pipeline_parallel.h"

#include <gtest/gtest.h>

#include "parallel/layers/dense.h"
#include "parallel/layers/dropout.h"
#include "parallel/pipelines/shrew_pipeline.h"
#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard::pipeline_test {
namespace {

class Pipelines : public ::testing::Test {
 protected:
  /// The same array on every device.
  ValueId input(const std::string& name, Shape shape, const Group& invariant = {}) {
    const Layout layout(shape.size());
    return m.view(declare(module, name, std::move(shape), Role::input, InitKind::normal), layout, name, invariant);
  }
  std::string state_of(ValueId value) { return to_string(m.builder().type(value), m.mesh()); }
  std::string message() const {
    const auto& all = sink.diagnostics();
    return all.size() == 1 ? all[0].rule + ": " + all[0].message : std::to_string(all.size()) + " messages";
  }
  /// The names and shapes of the parameters.
  std::vector<std::string> declared() const {
    std::vector<std::string> result;
    for (const ParamSpec& spec : params.specs())
      result.push_back(spec.name() + " " + to_string(module.global(spec.global).type));
    return result;
  }
  /// The program that returns y of every stage is built without errors, also of states.
  void expect_good(ModelBuilder& builder, ValueId y) {
    builder.output("y", y, {ViewEntry{pp, 0, std::nullopt, Split::stack}, {}, {}});
    const std::optional<ProgramId> id = builder.finish();
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
    ASSERT_TRUE(id.has_value());
    for (const Diagnostic& d : module.state_errors(*id)) ADD_FAILURE() << render(d);
  }
  const Op& scan() {
    const Program& program = m.builder().program();
    for (const OpId id : program.body().ops) {
      if (std::holds_alternative<Scan>(program.op(id).data)) return program.op(id);
    }
    throw std::runtime_error("no scan");
  }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"pp", 4}, {"tp", 2}}), sink};
  Params params;
  Scope root{m, params};
  Group pp = m.group("pp");
};

using Lines = std::vector<std::string>;

ModuleFn linear(int64_t features) {
  return [features](Scope& self, ValueId x) {
    Scope stage = self.child("stage");
    return dense(stage, Dense{features}, x);
  };
}

TEST_F(Pipelines, ParametersAreDeclaredOnceAndCarriedUnchanged) {
  const ValueId y = model_parallelism_wrapper(
      root, pp, [&](Scope& self, ValueId v) { return pipeline_module(self, pp, 3, linear(2), v, "y"); },
      input("x", {6, 2}));
  EXPECT_EQ(declared(), (Lines{"sharded/stage/kernel f32[4,2,2]", "sharded/stage/bias f32[4,2]"}));
  EXPECT_EQ(state_of(y), "f32[6,2] {R: tp, V: pp}");
  const Op& op = scan();
  EXPECT_EQ(std::get<Scan>(op.data).trips, 6) << "M + N - 1";
  EXPECT_EQ(std::get<Scan>(op.data).carries, 3);
  const Region& body = op.regions.at(0);
  EXPECT_EQ(body.results[1], body.arguments[1]);
  EXPECT_EQ(body.results[2], body.arguments[2]);
  expect_good(m, y);
}

TEST_F(Pipelines, TheInputBecomesVAndASumBringsTheResultToAllDevices) {
  const ModuleFn twice = [](Scope& self, ValueId v) { return self.m().add(v, v); };
  ValueId y;
  for (const Group& invariant : {Group{}, pp}) {
    const std::string name = invariant.empty() ? "w" : "v";
    const GlobalId w = declare(module, name, {4, 2}, Role::param, InitKind::normal);
    y = pipeline_module(root, pp, 2, twice, m.view(w, Layout(2), name, invariant));
    EXPECT_EQ(state_of(y), "f32[4,2] {R: tp, V: pp}");
    const ValueId sum = m.all_reduce(as_state(m, y, pp, State::partial), pp, State::replicated);
    EXPECT_EQ(state_of(sum), "f32[4,2] {R: (pp, tp)}");
  }
  expect_good(m, y);
}

TEST_F(Pipelines, UntypedProgramsDoNotReinterpret) {
  ModelBuilder untyped(module, "u", m.builder().program().shared_mesh(), sink,
                       BuilderOptions{ProgramKind::program, false, {}});
  Params own("u.");
  Scope scope(untyped, own);
  const GlobalId x = declare(module, "x", {4, 2}, Role::input, InitKind::normal);
  const ValueId y = pipeline_module(scope, pp, 4, linear(2), untyped.view(x, Layout(2), "x"));
  EXPECT_EQ(to_string(untyped.builder().type(y), untyped.mesh()), "f32[4,2] {V: pp, =: tp}");
  expect_good(untyped, y);
}

/// Trap P7: what is beside x is the same in every iteration, and has to fit the rows of a micro-batch.
TEST_F(Pipelines, KwargsAreNotCutIntoMicroBatches) {
  std::vector<Shape> seen;
  const PipelineFn masked = [&](Scope& self, ValueId x, const std::vector<ValueId>& kwargs) {
    seen.push_back(self.m().shape(kwargs.at(0)));
    return self.m().multiply(x, kwargs[0]);
  };
  const ValueId x = input("x", {6, 2});
  EXPECT_TRUE(execute_pipeline(root, Pipeline{pp, 3, {input("fits", {2, 2})}}, masked, x).valid());
  EXPECT_TRUE(sink.diagnostics().empty());
  for (const Shape& shape : seen) EXPECT_EQ(shape, (Shape{2, 2}));
  EXPECT_FALSE(execute_pipeline(root, Pipeline{pp, 3, {input("batch", {6, 2})}}, masked, x).valid());
  EXPECT_EQ(message(),
            "T-shape: multiply: the operands are f32[2,2] and f32[6,2]; expected one shape (use "
            "broadcast_in_dim, nothing is broadcast silently)");
}

TEST_F(Pipelines, AScalarHasNoRows) {
  EXPECT_FALSE(pipeline_module(root, pp, 2, linear(2), input("x", {})).valid());
  EXPECT_EQ(message(),
            "C-pipeline: execute_pipeline: x is a scalar; expected rows along dimension 0, which are cut into "
            "micro-batches");
}

TEST_F(Pipelines, OnlyDropoutHasKeysInside) {
  root.set_key("dropout", prng_key(m, 1));
  root.set_key("noise", prng_key(m, 2));
  const ValueId x = input("x", {4, 2});
  const auto drawing = [](const std::string& stream) -> ModuleFn {
    return [=](Scope& self, ValueId v) {
      Scope stage = self.child("stage");
      return stage.make_key(stream).valid() ? v : ValueId();
    };
  };
  EXPECT_TRUE(pipeline_module(root, pp, 2, drawing("dropout"), x).valid());
  EXPECT_TRUE(sink.diagnostics().empty());
  EXPECT_FALSE(pipeline_module(root, pp, 2, drawing("noise"), x).valid());
  EXPECT_EQ(message(),
            "C-pipeline: the module stage draws a key of the stream `noise` inside a pipeline; expected "
            "`dropout`, the stream that micro-batches split");
}

/// Linear 4 -> 8 | 8 -> 2, the tests of the crate.
PipelineParallel two_stages(int64_t micro_batches, DiagnosticSink& sink) {
  const auto layer = [](int64_t features) -> ModuleFn {
    return [features](Scope& self, ValueId x) { return dense(self, Dense{features}, x); };
  };
  return PipelineParallel::make({PipelineStage(7).add_layer(layer(8)), PipelineStage(7).add_layer(layer(2))},
                                micro_batches, sink)
      .value();
}

TEST_F(Pipelines, ShrewRunsChunksThroughAllStages) {
  const PipelineParallel pipeline = two_stages(2, sink);
  const ValueId y = pipeline.forward(root, input("x", {4, 4}));
  EXPECT_EQ(m.shape(y), (Shape{4, 2}));
  EXPECT_EQ(declared(), (Lines{"stage_0/layer_0/kernel f32[4,8]", "stage_0/layer_0/bias f32[8]",
                               "stage_1/layer_0/kernel f32[8,2]", "stage_1/layer_0/bias f32[2]"}));
  int products = 0;
  const Program& program = m.builder().program();
  for (const OpId id : program.body().ops) products += std::holds_alternative<DotGeneral>(program.op(id).data) ? 1 : 0;
  EXPECT_EQ(products, 4) << "two stages for each of two micro-batches";
  EXPECT_EQ(pipeline.num_stages(), 2);
  EXPECT_EQ(pipeline.stage(1)->stage_id(), 7) << "a label, which another stage may have";
  EXPECT_EQ(pipeline.stage(2), nullptr);
  EXPECT_EQ(pipeline.stage(-1), nullptr);
}

TEST_F(Pipelines, ShrewsParametersStandInTheOrderOfStages) {
  int64_t elements = 0;
  Lines names;
  for (const ParamSpec& spec : two_stages(1, sink).parameters(root, input("x", {4, 4}))) {
    elements += element_count(spec.global_shape());
    names.push_back(spec.name());
  }
  EXPECT_EQ(elements, 58);
  EXPECT_EQ(names, (Lines{"stage_0/layer_0/kernel", "stage_0/layer_0/bias", "stage_1/layer_0/kernel",
                          "stage_1/layer_0/bias"}));
  EXPECT_TRUE(params.specs().empty()) << "nothing is declared";
}

TEST_F(Pipelines, ShrewMayHaveFewerChunksThanItIsAskedFor) {
  using Rows = std::vector<int64_t>;
  const auto chunks = [&](int64_t micro_batches, int64_t batch) {
    return two_stages(micro_batches, sink).chunks(batch);
  };
  EXPECT_EQ(chunks(4, 5), (Rows{2, 2, 1}));
  EXPECT_EQ(chunks(2, 4), (Rows{2, 2}));
  EXPECT_EQ(chunks(9, 3), (Rows{1, 1, 1}));
  EXPECT_EQ(chunks(1, 5), (Rows{5}));
  EXPECT_EQ(chunks(4, 1), (Rows{1}));
  EXPECT_EQ(chunks(4, 0), (Rows{0}));
}

TEST_F(Pipelines, AnEmptyStageOfShrewIsTheIdentityAndAnEmptyBatchRunsOnce) {
  const std::optional<PipelineParallel> nothing = PipelineParallel::make({PipelineStage(0)}, 3, sink);
  EXPECT_EQ(m.shape(nothing->forward(root, input("x", {5, 2}))), (Shape{5, 2}));
  EXPECT_EQ(m.shape(two_stages(3, sink).forward(root, input("empty", {0, 4}))), (Shape{0, 2}));
  EXPECT_TRUE(sink.diagnostics().empty());
}

TEST_F(Pipelines, ShrewNeedsStagesMicroBatchesAndRows) {
  EXPECT_FALSE(PipelineParallel::make({}, 2, sink).has_value());
  EXPECT_EQ(message(), "C-pipeline: PipelineParallel: no stages; expected at least one");
  EXPECT_FALSE(PipelineParallel::make({PipelineStage(0)}, 0, sink).has_value());
  EXPECT_EQ(sink.diagnostics().back().message, "PipelineParallel: 0 micro-batches; expected at least 1");
  EXPECT_FALSE(two_stages(2, sink).forward(root, input("x", {})).valid());
  EXPECT_EQ(sink.diagnostics().back().message, "PipelineParallel: x is a scalar; expected rows along dimension 0");
}

}  // namespace
}  // namespace isoshard::pipeline_test

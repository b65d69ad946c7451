// The looping pipeline: what each device does in each iteration, its parameters, and that it equals its stages in a
// row, values and gradients.
#include "parallel/pipelines/looping_pipeline.h"

#include <gtest/gtest.h>

#include <map>

#include "core/transform/autodiff/gradient_check.h"
#include "parallel/layers/dense.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/golden/program_run.h"
#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard::looping_pipeline_test {
namespace {

using golden::ProgramRun;
using testing::expect_equal;
using testing::expect_rejected;
using testing::made;

using Row = std::vector<int32_t>;

/// Each index over the iterations, by the device: what the ops of a program come to.
struct Tables {
  std::vector<Row> input, update, params, output, number;
};

Tables tables(int64_t stages, int64_t loops, int64_t micro_batches) {
  ProgramRun run(std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"pp", stages}}));
  ModelBuilder& m = run.m();
  const LoopingSchedule schedule{m.group("pp"), stages, loops, micro_batches};
  ScanOperands operands;
  operands.trips = schedule.iterations();
  operands.with_index = true;
  const ScanBody body = [&](const ScanArguments& in, bool) {
    const LoopingIndices index = looping_indices(m, schedule, in.index);
    return ScanYield{{}, {index.input, index.update, index.params, index.output, index.number}, Location::here()};
  };
  const std::vector<ValueId> stacks = m.builder().scan(operands, body);
  const std::vector<std::string> names{"input", "update", "params", "output", "number"};
  for (size_t i = 0; i < names.size(); ++i) run.output(names[i], stacks.at(i));
  const auto outputs = run.run();
  Tables result;
  std::vector<Row>* const all[] = {&result.input, &result.update, &result.params, &result.output, &result.number};
  for (size_t i = 0; i < names.size(); ++i) {
    for (const Tensor& row : outputs.at(names[i])) {
      all[i]->push_back(Row(row.as<int32_t>().begin(), row.as<int32_t>().end()));
    }
  }
  return result;
}

Row none(size_t iterations) { return Row(iterations, -1); }

/// The tables of docs/spec/originals.md, "Looping pipeline".
TEST(LoopingPipeline, HasTheIndexTablesOfTheNotebooks) {
  const Tables t = tables(3, 2, 4);
  EXPECT_EQ(t.input, (std::vector<Row>{{0, 1, 2, 3, 0, 1, 2, 3, -1, -1}, none(10), none(10)}));
  EXPECT_EQ(t.update, (std::vector<Row>{{-1, -1, -1, 0, 1, 2, 3, -1, -1, -1}, none(10), none(10)}));
  EXPECT_EQ(t.params,
            (std::vector<Row>{
                {0, 0, 0, 0, 1, 1, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1}}));
  EXPECT_EQ(t.output, (std::vector<Row>{none(10), none(10), {-1, -1, -1, -1, -1, -1, 0, 1, 2, 3}}));
}

/// As many micro-batches as devices: one that comes round goes on at once. Written down by hand.
TEST(LoopingPipeline, HasTheIndexTablesOfThreeRoundsOnTwoDevices) {
  const Tables t = tables(2, 3, 2);
  EXPECT_EQ(t.input, (std::vector<Row>{{0, 1, 0, 1, 0, 1, -1}, none(7)}));
  EXPECT_EQ(t.update, (std::vector<Row>{{-1, -1, 0, 1, 0, 1, -1}, none(7)}));
  EXPECT_EQ(t.params, (std::vector<Row>{{0, 0, 1, 1, 2, 2, 0}, {0, 0, 0, 1, 1, 2, 2}}));
  EXPECT_EQ(t.output, (std::vector<Row>{none(7), {-1, -1, -1, -1, -1, 0, 1}}));
  EXPECT_EQ(t.number, (std::vector<Row>{{0, 1, 0, 1, 0, 1, 6}, {-1, 0, 1, 0, 1, 0, 1}}));
}

/// One micro-batch waits for an iteration. Written down by hand.
TEST(LoopingPipeline, HasTheIndexTablesOfFiveMicroBatchesOnFourDevices) {
  const Tables t = tables(4, 2, 5);
  EXPECT_EQ(t.input[0], (Row{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, -1, -1, -1}));
  EXPECT_EQ(t.update[0], (Row{-1, -1, -1, -1, 0, 1, 2, 3, 4, -1, -1, -1, -1}));
  EXPECT_EQ(t.params, (std::vector<Row>{{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0},
                                        {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0},
                                        {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0},
                                        {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}}));
  EXPECT_EQ(t.output[3], (Row{-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4}));
  for (const size_t stage : {1U, 2U, 3U}) {
    EXPECT_EQ(t.input[stage], none(13));
    EXPECT_EQ(t.update[stage], none(13));
    EXPECT_EQ(t.output[stage - 1], none(13));
  }
}

struct Sizes {
  int64_t devices, loops, micro_batches;
};

ModelRequest looping(const Sizes& sizes) {
  return {"looping_pipeline",
          {{"model", sizes.devices}},
          {{"loops", std::to_string(sizes.loops)},
           {"micro_batches", std::to_string(sizes.micro_batches)},
           {"b", std::to_string(2 * sizes.micro_batches)}}};
}

TEST(LoopingPipeline, IsItsStagesInARow) {
  for (const Sizes& sizes : {Sizes{1, 1, 1}, {1, 3, 2}, {2, 1, 1}, {2, 2, 2}, {2, 3, 2}, {3, 2, 4}, {4, 2, 5}}) {
    expect_equal(looping(sizes));
  }
  expect_equal({"looping_pipeline", {{"data", 2}, {"model", 2}}, {}});
  if (!kSanitized) expect_equal({"looping_pipeline", {{"data", 2}, {"model", 3}}, {{"axis", "data_model"}}});
}

TEST(LoopingPipeline, RunsTheClassifier) {
  const auto classifier = [](int64_t devices, std::vector<SettingValue> more) {
    more.push_back({"loops", "2"});
    return ModelRequest{"pp_classifier", {{"model", devices}}, std::move(more)};
  };
  expect_equal(classifier(2, {}));
  expect_equal(classifier(2, {{"dropout", "0.5"}}));
  if (!kSanitized) expect_equal(classifier(1, {{"dropout", "0.5"}, {"layers", "2"}}));
}

/// The verdict about the gradients of all that the programs read.
int check_gradients(const ModelRequest& request) {
  Module module = made(request);
  DiagnosticSink sink;
  std::map<std::string, ProgramId> programs;
  const std::optional<Check> check = autodiff::gradient_check(module, module.checks.at(0), programs, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return check ? verify::check(module, *check).exit_code() : 2;
}

TEST(LoopingPipeline, HasTheGradientsOfItsStagesInARow) {
  for (const Sizes& sizes : {Sizes{1, 2, 1}, {2, 2, 2}, {2, 2, 3}, {3, 2, 4}}) {
    EXPECT_EQ(check_gradients(looping(sizes)), 0) << sizes.devices << " " << sizes.loops << " " << sizes.micro_batches;
    if (kSanitized) break;
  }
}

TEST(LoopingPipeline, MistakesInTheScheduleAreFound) {
  const ModelRequest request = looping({3, 2, 4});
  expect_rejected(request, {"to the stage before", "shift=1}", "shift=-1}"});
  expect_rejected(request,
                  {"outputs one step early", "start=[6, 0, 0], limit=[10, 2, 3]", "start=[5, 0, 0], limit=[9, 2, 3]"});
  expect_rejected(request, {"stages in another order", "[stack model, -, -, -]", "[stack model-1, -, -, -]"});
  expect_rejected(request, {"what comes back is dropped", "%waiting = select %62, %60, %inputs",
                            "%waiting = select %62, %inputs, %inputs"});
  expect_rejected(request, {"the first round's parameters in all rounds", "%round = select %23, %32, %53",
                            "%round = select %23, %53, %53"});
}

class LoopingErrors : public ::testing::Test {
 protected:
  /// One dense layer a stage, on 4 devices.
  ValueId run(int64_t micro_batches, int64_t loops, Shape shape = {12, 2}) {
    const ModuleFn stage = [](Scope& self, ValueId v) {
      Scope own = self.child("stage");
      return dense(own, Dense{2}, v);
    };
    const ValueId x = m.view(declare(module, "x", shape, Role::input, InitKind::normal), Layout(shape.size()), "x");
    return model_parallelism_wrapper(
        root, pp,
        [&](Scope& self, ValueId v) { return looping_pipeline_module(self, pp, micro_batches, loops, stage, v, "y"); },
        x);
  }
  std::string message() const {
    const auto& all = sink.diagnostics();
    return all.size() == 1 ? all[0].rule + ": " + all[0].message : std::to_string(all.size()) + " messages";
  }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"pp", 4}}), sink};
  Params params;
  Scope root{m, params};
  Group pp = m.group("pp");
};

TEST_F(LoopingErrors, ParametersHaveADimensionForTheRounds) {
  EXPECT_TRUE(run(4, 3).valid());
  ASSERT_EQ(params.specs().size(), 2U);
  EXPECT_EQ(params.specs()[0].name(), "sharded/stage/kernel");
  EXPECT_EQ(params.specs()[0].global_shape(), (Shape{4, 3, 2, 2}));
  EXPECT_EQ(params.specs()[1].global_shape(), (Shape{4, 3, 2}));
  EXPECT_TRUE(sink.diagnostics().empty());
}

TEST_F(LoopingErrors, AMicroBatchHasToBeBackForItsNextRound) {
  EXPECT_FALSE(run(3, 2).valid());
  EXPECT_EQ(message(),
            "C-pipeline: execute_looping_pipeline: 3 micro-batches on 4 devices; expected as many micro-batches as "
            "devices or more, because the first one has to be back at the first device when its next round begins");
}

TEST_F(LoopingErrors, OneRoundNeedsNoMoreMicroBatchesThanOne) { EXPECT_TRUE(run(1, 1).valid()); }

TEST_F(LoopingErrors, ThereIsAtLeastOneRound) {
  EXPECT_FALSE(run(4, 0).valid());
  EXPECT_EQ(message(), "C-pipeline: execute_looping_pipeline: 0 loops; expected at least 1");
}

TEST_F(LoopingErrors, TheBatchIsCutEqually) {
  EXPECT_FALSE(run(5, 2).valid());
  EXPECT_EQ(message(),
            "C-pipeline: execute_looping_pipeline: the batch of 12 rows cannot be cut into 5 equal micro-batches; "
            "expected a multiple of 5");
}

}  // namespace
}  // namespace isoshard::looping_pipeline_test

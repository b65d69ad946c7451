// curves.json: the training steps of the tutorials. The small runs, all of whose parameters are given, step by step:
// names and first values of the parameters, the data, the first synchronised gradients, every loss and accuracy, the
// parameters after the last step. The large runs are those of tests/cli/published_runs_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/pipelines/pp_classifier.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"
#include "parallel/training/classifier_training.h"
#include "parallel/training/dp_classifier.h"
#include "parallel/training/init_program.h"
#include "tests/golden/layer.h"
#include "tests/golden/module_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::curves_golden_test {
namespace {

/// What the issue allows of a loss: 1e-5 + 1e-3 of it. Small runs are much closer.
constexpr double kSmallLoss = 1e-5;
/// AdamW divides gradients by their size, so that the rounding of one near 0 is a step of the learning rate, 1e-3.
constexpr double kFinal = 2e-5;

Group axis_of(const Mesh& mesh, const char* name) { return Group{{*mesh.find(name)}}; }

ClassifierFn tp_model(const Json& fields, const Mesh& mesh, ClassifierTraining& training) {
  const std::string variant = fields.at("variant");
  const TpClassifier model{axis_of(mesh, "model"), fields.at("hidden"), fields.at("layers"),
                           fields.at("classes"),   variant != "sync",   variant == "async_split"};
  training.owner = LossOwner{model.axis, 0};
  return [model](Scope& root, ValueId x) { return tp_classifier(root, model, x); };
}

ClassifierFn pp_model(const Json& fields, const Mesh& mesh, ClassifierTraining& training) {
  const Group axis = axis_of(mesh, "model");
  const int64_t stages = mesh.size(axis);
  const PpClassifier model{axis,
                           fields.at("num_microbatches"),
                           fields.at("hidden"),
                           fields.at("layers").get<int64_t>() / stages,
                           fields.at("classes"),
                           fields.at("dropout")};
  training.owner = LossOwner{axis, stages - 1};
  return [model](Scope& root, ValueId x) { return pp_classifier(root, model, x); };
}

ClassifierFn dp_model(const Json& fields, const Mesh&, ClassifierTraining& training) {
  DpClassifier model{fields.at("hidden"), fields.at("classes"), fields.at("dropout")};
  training.num_minibatches = fields.at("num_minibatches");
  if (!fields.at("fsdp_min_weight_size").is_null()) {
    model.fsdp = training.data;
    model.min_weight_size = fields.at("fsdp_min_weight_size");
  }
  return [model](Scope& root, ValueId x) { return dp_classifier(root, model, x); };
}

/// The programs of a case, and the arrays between its steps.
class TrainingRun {
 public:
  explicit TrainingRun(const Json& c) : mesh_(mesh(c.at("mesh"))) {
    const Json& fields = c.at("model");
    const std::string kind = fields.at("kind");
    ClassifierTraining training;
    training.batch = c.at("batch");
    training.features = fields.at("features");
    training.classes = fields.at("classes");
    training.data = axis_of(*mesh_, "data");
    training.return_gradients = true;
    const auto model = kind == "tp_classifier" ? tp_model : kind == "pp_classifier" ? pp_model : dp_model;
    const ClassifierFn classifier = model(fields, *mesh_, training);
    DiagnosticSink sink;
    const auto step = build_classifier_training("step", training, classifier, mesh_, module_, params_, sink);
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
    step_ = step.value();
    const InitProgram init = find_init_program(module_, step_).value();
    const Tensor key = Tensor::from<uint64_t>(DType::key, {}, std::vector{key_of_seed(c)});
    arrays_ = run_program(module_, init.program, {{module_.global(init.key).name, key}});
  }

  /// Runs a step: what it returns, by name, beside what it updates.
  std::map<std::string, Tensor> step() {
    std::map<std::string, Tensor> outputs = run_program(module_, step_, arrays_);
    for (const auto& [name, tensor] : outputs) {
      if (module_.find_global(name)) arrays_[name] = tensor;
    }
    return outputs;
  }

  const Tensor& array(const std::string& name) const { return arrays_.at(name); }
  /// What stands for a leaf of a tree.
  const Tensor& param(const Leaf& leaf) const { return arrays_.at(global_name(leaf)); }
  std::string global_name(const Leaf& leaf) const { return params_.global_name(spec(leaf)); }
  const ParamSpec& spec(const Leaf& leaf) const { return spec_of(params_, leaf.path); }
  const Params& params() const { return params_; }
  const Mesh& on() const { return *mesh_; }

 private:
  std::shared_ptr<const Mesh> mesh_;
  Module module_;
  Params params_;
  ProgramId step_{};
  std::map<std::string, Tensor> arrays_;
};

void compare_beginning(const TrainingRun& run, const Json& c) {
  const std::vector<Leaf> leaves = tree(c.at("init"));
  EXPECT_EQ(run.params().specs().size(), leaves.size());
  for (const Leaf& leaf : leaves) {
    EXPECT_EQ(names_of(run.spec(leaf), run.on()), leaf.names) << leaf.path;
    EXPECT_TRUE(close(run.param(leaf), leaf.arrays.at(0), kDrawn, 0)) << leaf.path;
  }
  EXPECT_TRUE(close(run.array("x"), array(c.at("x")), kDrawn, 0));
  EXPECT_TRUE(close(run.array("y"), array(c.at("y")), 0, 0));
}

void compare_curve(const Json& c) {
  TrainingRun run(c);
  compare_beginning(run, c);
  const std::vector<double> losses = c.at("loss").at("data"), accuracies = c.at("accuracy");
  for (size_t i = 0; i < losses.size(); ++i) {
    const std::map<std::string, Tensor> outputs = run.step();
    EXPECT_NEAR(outputs.at("loss").as<float>()[0], losses[i], kSmallLoss * losses[i]) << "step " << i + 1;
    EXPECT_NEAR(outputs.at("accuracy").as<float>()[0], accuracies[i], 1e-6) << "step " << i + 1;
    for (const Leaf& leaf : tree(c.at("step1_grads"))) {
      if (i != 0) break;
      const Tensor& made = outputs.at("grad." + run.global_name(leaf));
      EXPECT_TRUE(close(made, leaf.arrays.at(0), kAbsolute, kDeep)) << "gradient of " << leaf.path;
    }
  }
  for (const Leaf& leaf : tree(c.at("final_params"))) {
    EXPECT_TRUE(close(run.param(leaf), leaf.arrays.at(0), kFinal, 0)) << leaf.path << " at last";
  }
}

TEST(Golden, SmallCurves) {
  const Family family = load_family("curves");
  size_t ran = 0;
  for (const Json& c : family.cases) {
    if (!c.contains("init")) continue;
    SCOPED_TRACE(c.at("name").get<std::string>());
    compare_curve(c);
    ++ran;
  }
  std::printf("curves: %zu/%zu, the others in tests/cli/published_runs_test.py\n", ran, family.cases.size());
  EXPECT_EQ(ran, 6U);
}

}  // namespace
}  // namespace isoshard::golden::curves_golden_test

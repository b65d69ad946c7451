// The pipeline of the original: every case of pipeline.json. Names, paths and shapes of parameters, their first values,
// outputs, gradients, dropout and errors.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "parallel/layers/dropout.h"
#include "parallel/module/scan_layers.h"
#include "parallel/pipelines/pipeline_parallel.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/golden/layer.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::pipeline_golden_test {
namespace {

ValueId act(ModelBuilder& m, const std::string& name, ValueId x) {
  if (name == "silu") return activate(m, Activation::silu, x, "");
  if (name == "linear") return x;
  // The derivative of jax.nn.relu at 0 is 0; a maximum has half of it there.
  const ValueId zero = m.constant_like(x, Rational(0));
  return m.op(Select{}, {m.op(Compare{Direction::gt}, {x, zero}), x, zero});
}

/// x + w2(drop(act(w1(x)))), the stages of the data.
ModuleFn residual_mlp(const Json& c) {
  return [&c](Scope& self, ValueId x) {
    ModelBuilder& m = self.m();
    Scope w1 = self.child("w1"), w2 = self.child("w2");
    ValueId h = act(m, c.at("act"), dense(w1, Dense{c.at("hidden")}, x));
    if (c.contains("rate")) {
      Scope drop = self.next_child("Dropout");
      h = dropout(drop, c.at("rate"), h);
    }
    return m.add(x, dense(w2, Dense{m.shape(x).back()}, h));
  };
}

PipelineFn stage_of(const Json& c) {
  const ModuleFn mlp = residual_mlp(c);
  return [&c, mlp](Scope& self, ValueId x, const std::vector<ValueId>& kwargs) {
    Scope stage = self.child("stage");
    if (c.contains("layers")) return scan_layers(stage.child("block"), c.at("layers"), mlp, x);
    const ValueId y = mlp(stage, x);
    return kwargs.empty() ? y : self.m().add(y, self.m().broadcast_like(kwargs[0], {1}, y));
  };
}

/// Of the field `kwarg_bias`: 0, 1, ...
std::vector<ValueId> kwargs_of(ModelBuilder& m, const Json& c) {
  if (!c.contains("kwarg_bias")) return {};
  const Tensor bias = array(c.at("kwarg_bias"));
  for (int64_t i = 0; i < bias.size(); ++i) EXPECT_EQ(bias.as<float>()[static_cast<size_t>(i)], static_cast<float>(i));
  return {m.op(Convert{DType::f32}, {m.op(Iota{DType::i32, bias.shape(), 0}, {})})};
}

/// A pipeline over `axis` of stages with parameters of their own.
Build piped(const Group& axis, int64_t micro_batches, const PipelineFn& stage, const Json& c) {
  return [=, &c](Scope& root, ValueId x) {
    const Pipeline pipeline{axis, micro_batches, kwargs_of(root.m(), c)};
    const ModuleFn inner = [&](Scope& self, ValueId v) { return execute_pipeline(self, pipeline, stage, v); };
    return model_parallelism_wrapper(root, axis, inner, x);
  };
}

void pipeline_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  std::optional<uint32_t> dropout;
  if (!c.at("dropout_key").is_null()) dropout = c.at("dropout_key").at(1).get<uint32_t>();
  const Shape x = c.at("runs").at(0).at("x").at("shape");
  compare_layer(on, x, piped(axis(c.at("axis"), *on), c.at("num_microbatches"), stage_of(c), c), c, true, dropout);
}

/// sqrt(x inner) outer: what reaches bubbles has an infinite derivative, but a value.
ValueId root_stage(Scope& self, ValueId x, const std::vector<ValueId>&) {
  ModelBuilder& m = self.m();
  Scope stage = self.child("stage");
  const auto times = [&](ValueId v, const std::string& name) {
    const ValueId factor = m.op(Reshape{{}}, {stage.param(name, ones_initializer(), {1})});
    return m.multiply(v, m.broadcast_like(factor, {}, v));
  };
  const ValueId root = m.op(Sqrt{}, {times(x, "inner")});
  return times(root, "outer");
}

void bubble_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::vector<Tensor> x = per_device(c.at("x"));
  const Layer made(on, x[0].shape(), piped(axis("pp", *on), c.at("num_microbatches"), root_stage, c));
  const Tensor expected = Layer::stacked(per_device(c.at("y")));
  EXPECT_TRUE(close(made.output(made.init(0), x), expected, kAbsolute, kRelative));
  // 0 times infinity: the gradients that pass a bubble are NaN, on the devices where they are in the original.
  const Layer untyped(on, x[0].shape(), piped(axis("pp", *on), c.at("num_microbatches"), root_stage, c), false);
  const std::vector<float> ones(static_cast<size_t>(x[0].size()), 1);
  const std::vector<Tensor> cotangents(x.size(), Tensor::from<float>(DType::f32, x[0].shape(), ones));
  expect_gradients(untyped.gradients(made.init(0), x, cotangents), c, kDeep);
}

PipelineFn failing_stage(const std::string& name) {
  return [=](Scope& self, ValueId x, const std::vector<ValueId>&) {
    Scope stage = self.child("stage");
    const ValueId y = dense(stage, Dense{name == "error/shape_change" ? 5 : 2}, x);
    if (name == "error/dtype_change") return self.m().op(Convert{DType::bf16}, {y});
    if (name == "error/batch_stats_inside") return self.m().add(y, stage.variable("mean", zeros_initializer(), {4, 2}));
    return y;
  };
}

/// What isoshard says where the original raises an error. An argument by position has no counterpart: a module's
/// arguments beside x are `kwargs`.
std::string message_of(const std::string& name) {
  const std::map<std::string, std::string> messages{
      {"error/batch_not_divisible/B6_M4",
       "execute_pipeline: the batch of 6 rows cannot be cut into 4 equal micro-batches; expected a multiple of 4"},
      {"error/batch_smaller/B2_M4",
       "execute_pipeline: the batch of 2 rows cannot be cut into 4 equal micro-batches; expected a multiple of 4"},
      {"error/zero_microbatches", "execute_pipeline: 0 micro-batches; expected at least 1"},
      {"error/negative_microbatches", "execute_pipeline: -2 micro-batches; expected at least 1"},
      {"error/dtype_change",
       "execute_pipeline: the module makes bf16[2,2] of a micro-batch f32[2,2]; expected the same dtype and shape, "
       "because the next stage takes it"},
      {"error/shape_change",
       "execute_pipeline: the module makes f32[2,5] of a micro-batch f32[2,2]; expected the same dtype and shape, "
       "because the next stage takes it"},
      {"error/batch_stats_inside",
       "the module sharded/stage has the variable mean inside a pipeline, whose micro-batches share parameters only; "
       "expected a parameter, or a module without state"},
      {"error/positional_extra", ""}};
  const std::string& message = messages.at(name);
  return message.empty() ? "" : "C-pipeline " + message + "\n";
}

void error_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::string name = c.at("name");
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  const int64_t batch = has("B6") ? 6 : has("B2") ? 2 : 4;
  const int64_t micro_batches = has("M4") ? 4 : has("zero") ? 0 : has("negative") ? -2 : 2;
  const Layer made(on, {batch, 2}, piped(axis("pp", *on), micro_batches, failing_stage(name), c));
  ASSERT_TRUE(error(c.at("error")).has_value());
  EXPECT_EQ(made.messages(), message_of(name));
  EXPECT_EQ(made.program.has_value(), message_of(name).empty());
}

void run_case(const Json& c) {
  const std::map<std::string, void (*)(const Json&)> ops{
      {"pipeline", pipeline_case}, {"bubble_nan", bubble_case}, {"error", error_case}};
  ops.at(c.at("op"))(c);
}

TEST(Golden, Pipeline) { run_family("pipeline", 33, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::pipeline_golden_test

// The tensor-parallel layers of the original: every case of tp.json. Names, paths and shapes of parameters, their first
// values, and outputs; the gradients of the cases are compared by a later step.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/layers/dropout.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/golden/layer.h"
#include "tests/golden/module_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::tp_golden_test {
namespace {

Shape local_x(const Json& c) { return c.at("runs").at(0).at("x").at("shape"); }

Group axis_of(const Json& c, const Mesh& mesh) { return axis(c.contains("axis") ? c.at("axis") : Json("tp"), mesh); }

void sync_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  TpDense layer{dense_fn(c.at("features")), axis_of(c, *on)};
  layer.tp_mode = c.at("tp_mode");
  layer.skip_communication = c.at("skip_communication");
  layer.kernel_init_adjustment = c.at("kernel_init_adjustment");
  layer.use_bias = c.at("use_bias");
  // What a device returns is its term of a sum: a typed program would have to add it up.
  const bool typed = !(layer.tp_mode == "scatter" && layer.skip_communication);
  compare_layer(
      on, local_x(c), [&](Scope& root, ValueId x) { return tp_dense(root, layer, x); }, c, typed);
}

void async_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  TpAsyncDense layer{dense_fn(c.at("features")), axis_of(c, *on)};
  layer.tp_mode = c.at("tp_mode");
  layer.use_bidirectional_gather = c.at("use_bidirectional_gather");
  layer.use_bidirectional_scatter = c.at("use_bidirectional_scatter");
  layer.kernel_init_adjustment = c.at("kernel_init_adjustment");
  layer.use_bias = c.at("use_bias");
  compare_layer(
      on, local_x(c), [&](Scope& root, ValueId x) { return tp_async_dense(root, layer, x); }, c);
}

/// Dense `first`, a factor `gain`, Dense `second` without bias; a running statistic.
ValueId pair(Scope& self, ValueId x, bool stats = false) {
  ModelBuilder& m = self.m();
  Scope first = self.child("first"), second = self.child("second");
  const ValueId h = dense(first, Dense{2}, x);
  const ValueId gain = self.param("gain", normal_initializer(0.01), {2});
  if (stats) self.variable("count", ones_initializer(), {2});
  Dense last{2};
  last.use_bias = false;
  return dense(second, last, m.multiply(h, m.broadcast_like(gain, {1}, h)));
}

ModuleFn plain_dense(int64_t features, bool use_bias = true) {
  return [=](Scope& self, ValueId x) { return dense(self, Dense{features, lecun_normal_initializer(), use_bias}, x); };
}

WrapperOptions options_of(const std::string& name, int64_t devices) {
  WrapperOptions options;
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("mask0")) options.mask_except_model_idx = 0;
  if (has("mask_last")) options.mask_except_model_idx = devices - 1;
  options.split_rngs = !has("same_rngs");
  return options;
}

/// The module that the data's README describes by the name of its case.
Build wrapped_module(const Json& c, const Mesh& on) {
  const std::string name = c.at("name");
  const Group tp = axis("tp", on);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  const bool use_bias = !has("no_bias");
  const WrapperOptions options = options_of(name, on.size(tp));
  const ModuleFn make_pair = [](Scope& self, ValueId x) { return pair(self, x); };
  const auto step = [](const ModuleFn& layer) -> ModuleFn {
    return [layer](Scope& self, ValueId x) { return self.m().add(x, layer(self, x)); };
  };
  if (has("scan_of_wrapper")) {
    const ModuleFn block = [=](Scope& s, ValueId x) {
      return model_parallelism_wrapper(s, tp, plain_dense(2, use_bias), x);
    };
    return [=](Scope& root, ValueId x) { return scan_layers(root.child("block"), 3, step(block), x); };
  }
  if (has("wrapper_of_scan")) {
    const ModuleFn stack = [=](Scope& s, ValueId x) {
      return scan_layers(s.child("block"), 3, step(plain_dense(2, use_bias)), x);
    };
    return [=](Scope& root, ValueId x) {
      Scope w = root.child("w");
      return model_parallelism_wrapper(w, tp, stack, x);
    };
  }
  if (has("nested")) {
    const Group outer = axis(has("pp_outside") ? "pp" : "tp", on), inner = axis(has("pp_outside") ? "tp" : "pp", on);
    const ModuleFn child = [=](Scope& s, ValueId x) { return model_parallelism_wrapper(s, inner, plain_dense(2), x); };
    return [=](Scope& root, ValueId x) {
      Scope w = root.child("w");
      return model_parallelism_wrapper(w, outer, child, x);
    };
  }
  if (c.at("init").at(0).at("path") == "after/bias") {
    return [=](Scope& root, ValueId x) {
      Scope before = root.child("before"), wrapped = root.child("wrapped"), after = root.child("after");
      return dense(after, Dense{2},
                   model_parallelism_wrapper(wrapped, tp, make_pair, dense(before, Dense{2}, x), options));
    };
  }
  const ModuleFn module_fn = has("module_kwargs") ? plain_dense(2, false) : make_pair;
  return [=](Scope& root, ValueId x) {
    Scope w = root.child("w");
    return model_parallelism_wrapper(w, tp, module_fn, x, options);
  };
}

void wrapper_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  compare_layer(on, local_x(c), wrapped_module(c, *on), c);
}

/// The forward pass of the initialisation sees values without the mask.
void init_output_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const auto build = [&](std::optional<int64_t> mask) {
    return [&on, mask](Scope& root, ValueId x) {
      return model_parallelism_wrapper(root, axis("tp", *on), plain_dense(2), x, WrapperOptions{mask});
    };
  };
  const std::vector<Tensor> x = per_device(c.at("x"));
  const Layer masked(on, x[0].shape(), build(0)), whole(on, x[0].shape(), build(std::nullopt));
  const std::map<std::string, Tensor> init = compare_init(masked, c);
  const auto expected = [&](const char* field) { return Layer::stacked(per_device(c.at(field))); };
  EXPECT_TRUE(close(masked.output(init, x), expected("y_apply"), kAbsolute, kRelative));
  const Tensor during = whole.output(whole.init(key_of_seed(c)), x);
  EXPECT_TRUE(close(during, expected("y_during_init"), kAbsolute, kRelative));
}

void dropout_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::vector<Tensor> x = per_device(c.at("x"));
  const double rate = c.at("rate");
  const ModuleFn layer = [&](Scope& self, ValueId v) { return dropout(self, rate, v); };
  const Build build = [&](Scope& root, ValueId v) {
    return model_parallelism_wrapper(root, axis("tp", *on), layer, v);
  };
  const Layer made(on, x[0].shape(), build, true, c.at("seed").get<uint32_t>());
  EXPECT_TRUE(same_bits(made.output({}, x), Layer::stacked(per_device(c.at("y")))));
}

/// Only the parameters are stacked.
void collections_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const Layer made(on, {1, 2}, [&](Scope& root, ValueId x) {
    const ModuleFn module_fn = [](Scope& self, ValueId v) { return pair(self, v, true); };
    return model_parallelism_wrapper(root, axis("tp", *on), module_fn, x);
  });
  const std::map<std::string, Tensor> init = made.init(key_of_seed(c));
  size_t leaves = 0;
  for (const auto& [collection, json] : c.at("collections").items()) {
    for (const Leaf& leaf : tree(json)) {
      SCOPED_TRACE(leaf.path);
      const ParamSpec& spec = spec_of(made, leaf.path);
      EXPECT_EQ(spec.is_param, collection == "params");
      EXPECT_EQ(names_of(spec, *on), leaf.names);
      EXPECT_TRUE(close(init.at(leaf.path), assembled(spec, *on, leaf.arrays), kDrawn, 0));
      ++leaves;
    }
  }
  EXPECT_EQ(leaves, made.params.specs().size());
}

/// What an initialiser gives on one device, for the given arrays of globals.
Tensor initial(const Initializer& initializer, const Shape& shape, uint64_t key) {
  Module module;
  DiagnosticSink sink;
  module.globals.push_back(Global{"key", TensorType{DType::key, {}}, Role::key, {}, {}});
  ModelBuilder m(module, "p", std::make_shared<const Mesh>(), sink);
  m.output("y", initializer(m, m.view(GlobalId(0), {}, "key"), Draw{shape}), Layout(shape.size()));
  const std::optional<ProgramId> id = m.finish();
  if (!id) throw std::runtime_error("the initialiser does not build");
  return run_program(module, *id, {{"key", Tensor::from<uint64_t>(DType::key, {}, std::vector{key})}}).at("y");
}

/// c times an array of bf16, with scale_init.
Tensor scaled_bf16(const Tensor& base, double c) {
  Module module;
  DiagnosticSink sink;
  module.globals.push_back(Global{"base", TensorType{base.dtype(), base.shape()}, Role::input, {}, {}});
  ModelBuilder m(module, "p", std::make_shared<const Mesh>(), sink);
  const Initializer given{"given", [](ModelBuilder& b, ValueId, const Draw& draw) {
                            return b.view(GlobalId(0), Layout(draw.shape.size()), "base");
                          }};
  m.output("y", scale_init(given, c)(m, ValueId(), Draw{base.shape()}), Layout(base.shape().size()));
  const std::optional<ProgramId> id = m.finish();
  if (!id) throw std::runtime_error("scale_init does not build");
  return run_program(module, *id, {{"base", base}}).at("y");
}

void scale_init_case(const Json& c) {
  const Shape shape = c.at("shape");
  const double factor = c.at("factor");
  EXPECT_TRUE(close(initial(lecun_normal_initializer(), shape, key_of_seed(c)), array(c.at("base")), kDrawn, 0));
  const Initializer scaled = scale_init(lecun_normal_initializer(), factor);
  EXPECT_TRUE(close(initial(scaled, shape, key_of_seed(c)), array(c.at("result")), kDrawn, 0));
  EXPECT_TRUE(same_bits(scaled_bf16(array(c.at("bf16_base")), factor), array(c.at("bf16_result"))));
}

/// The integers of a text, in order.
std::vector<int64_t> numbers_in(const std::string& text) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    size_t end = 0;
    result.push_back(std::stoll(text.substr(i), &end));
    i += end;
  }
  return result;
}

Build failing_module(const std::string& name, const Group& tp) {
  if (name.find("scan_without") != std::string::npos) {
    const ModuleFn block = [=](Scope& s, ValueId x) { return model_parallelism_wrapper(s, tp, plain_dense(2), x); };
    return [=](Scope& root, ValueId x) { return scan_layers(root.child("block"), 2, block, x); };
  }
  const bool divides = name.find("not_divisible") == std::string::npos;
  if (name.find("TPAsyncDense") != std::string::npos) {
    return [=](Scope& root, ValueId x) {
      TpAsyncDense layer{dense_fn(2), tp};
      layer.tp_mode = "column";
      return tp_async_dense(root, layer, x);
    };
  }
  return [=](Scope& root, ValueId x) {
    TpDense layer{dense_fn(divides ? 2 : 6), tp};
    layer.tp_mode = divides ? "column" : "scatter";
    return tp_dense(root, layer, x);
  };
}

/// An error on the same condition, with the same numbers. That of Flax about a scan without the name of its partition
/// has no counterpart: a scan over layers always says that its dimension is not sharded.
void error_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::string name = c.at("name");
  const Layer made(on, {2, 2}, failing_module(name, axis("tp", *on)));
  const std::optional<Error> expected = error(c.at("error"));
  if (!expected || expected->type == "PartitioningUnspecifiedError") {
    EXPECT_EQ(made.messages(), "");
    EXPECT_TRUE(made.program.has_value());
    return;
  }
  EXPECT_EQ(expected->type, "ValueError");
  ASSERT_EQ(made.sink.diagnostics().size(), 1U) << made.messages();
  const std::string& message = made.sink.diagnostics()[0].message;
  for (const int64_t number : expected->numbers) {
    const std::vector<int64_t> shown = numbers_in(message);
    EXPECT_NE(std::find(shown.begin(), shown.end(), number), shown.end()) << number << " in: " << message;
  }
}

void run_case(const Json& c) {
  const std::map<std::string, void (*)(const Json&)> ops{{"TPDense", sync_case},
                                                         {"TPDense_tuple", sync_case},
                                                         {"TPAsyncDense", async_case},
                                                         {"TPAsyncDense_tuple", async_case},
                                                         {"ModelParallelismWrapper", wrapper_case},
                                                         {"init_output", init_output_case},
                                                         {"dropout", dropout_case},
                                                         {"collections", collections_case},
                                                         {"scale_init", scale_init_case},
                                                         {"error", error_case}};
  ops.at(c.at("op"))(c);
}

TEST(Golden, Tp) { run_family("tp", 80, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::tp_golden_test

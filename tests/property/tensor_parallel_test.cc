// Tensor-parallel layers of random sizes on random meshes: every one of them equals the dense layer of which its
// parameters are views, and does not where it takes another layer's views for its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "catalogue/catalogue.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard::tensor_parallel_test {
namespace {

int64_t devices_at_most(int64_t most) { return *rc::gen::inRange<int64_t>(1, (kSanitized ? 3 : most) + 1); }

/// The verdict about a model of the catalogue.
int exit_code(const ModelRequest& request) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) RC_FAIL(render(d));
  return verify::check(*module, module->checks.front()).exit_code();
}

SettingValue number(const std::string& name, int64_t value) { return {name, std::to_string(value)}; }

RC_GTEST_PROP(TensorParallel, EveryLayerOverOneDenseKernelIsTheDenseLayer, ()) {
  const bool tuple = *rc::gen::arbitrary<bool>();
  const int64_t data = devices_at_most(3), model = devices_at_most(tuple ? 3 : 8), devices = data * model;
  const auto layer = *rc::gen::element<std::string>("gather", "scatter", "async_gather", "async_gather_bidirectional",
                                                    "async_scatter", "async_scatter_split");
  const ModelRequest request{"tp_layouts",
                             {{"data", data}, {"model", model}},
                             {{"layer", layer},
                              {"axis", tuple ? "data_model" : "model"},
                              number("b", data * *rc::gen::inRange<int64_t>(1, 3)),
                              number("in", devices * *rc::gen::inRange<int64_t>(1, 4)),
                              number("out", devices * *rc::gen::inRange<int64_t>(1, 5))}};
  RC_ASSERT(exit_code(request) == 0);
}

RC_GTEST_PROP(TensorParallel, LayersWithTheirOwnParametersAreLoopsOverDevices, ()) {
  const int64_t data = devices_at_most(2), model = devices_at_most(8);
  const bool async = *rc::gen::arbitrary<bool>(), tuple = *rc::gen::arbitrary<bool>();
  const auto bit = [] { return *rc::gen::element<std::string>("0", "1"); };
  const auto mode = *rc::gen::element<std::string>("gather", "scatter", "none");
  const int64_t devices = tuple ? data * model : model;
  const int64_t features = *rc::gen::inRange<int64_t>(1, 5) * (mode == "scatter" && !async ? devices : 1);
  const ModelRequest request{async ? "tp_async_dense" : "tp_dense",
                             {{"data", data}, {"model", model}},
                             {{"mode", mode},
                              {async ? "bidirectional" : "skip_communication", bit()},
                              {"use_bias", bit()},
                              {"axis", tuple ? "data_model" : "model"},
                              number("in", *rc::gen::inRange<int64_t>(1, 4)),
                              number("features", features)}};
  RC_ASSERT(exit_code(request) == 0);
}

RC_GTEST_PROP(TensorParallel, WrappersAndScansNestInEitherOrder, ()) {
  const ModelRequest request{"model_parallelism_wrapper",
                             {{"model", devices_at_most(8)}},
                             {{"scan", *rc::gen::element<std::string>("none", "inside", "around")},
                              {"mask_except", *rc::gen::element<std::string>("none", "0", "last")},
                              number("layers", *rc::gen::inRange<int64_t>(1, 4)),
                              number("width", *rc::gen::inRange<int64_t>(1, 4))}};
  RC_ASSERT(exit_code(request) == 0);
}

RC_GTEST_PROP(TensorParallel, StacksAreTheArraysOfAllDevices, ()) {
  const ModelRequest request{"stack_params",
                             {{"model", devices_at_most(8)}},
                             {{"axis_pos", *rc::gen::element<std::string>("0", "1", "2")},
                              {"mask_except", *rc::gen::element<std::string>("none", "0", "last")}}};
  RC_ASSERT(exit_code(request) == 0);
  RC_ASSERT(exit_code({"unstack_params", {{"model", devices_at_most(8)}}, {}}) == 0);
}

RC_GTEST_PROP(TensorParallel, TransformerBlocksAreLoopsOverDevicesAndHeads, ()) {
  const bool tuple = *rc::gen::arbitrary<bool>();
  const int64_t data = devices_at_most(2), fsdp = devices_at_most(2), model = devices_at_most(tuple ? 2 : 4);
  const auto bit = [] { return *rc::gen::element<std::string>("0", "1"); };
  const ModelRequest request{"tp_transformer_block",
                             {{"data", data}, {"fsdp", fsdp}, {"model", model}},
                             {{"axis", tuple ? "data_model" : "model"},
                              {"parallel", bit()},
                              {"causal", bit()},
                              {"normalize_qk", bit()},
                              {"split_scatter", bit()},
                              {"shard", bit()},
                              number("s", *rc::gen::inRange<int64_t>(1, 4)),
                              number("width", *rc::gen::inRange<int64_t>(1, 4)),
                              number("heads", *rc::gen::inRange<int64_t>(1, 4)),
                              number("head_dim", *rc::gen::inRange<int64_t>(1, 4)),
                              number("hidden", *rc::gen::inRange<int64_t>(1, 4))}};
  RC_ASSERT(exit_code(request) == 0);
}

RC_GTEST_PROP(TensorParallel, ToysWithShardedParametersAreTheirLayers, ()) {
  const bool words = *rc::gen::arbitrary<bool>();
  std::vector<MeshAxis> mesh;
  for (const char* axis : {"dp", "fsdp", "pp", "tp"}) mesh.push_back({axis, devices_at_most(3)});
  const ModelRequest request{words ? "llm_toy_model" : "toy_model",
                             mesh,
                             {{"fsdp_axis", *rc::gen::element<std::string>("fsdp", "dp_fsdp")},
                              number("b", *rc::gen::inRange<int64_t>(1, 3)),
                              number("width", *rc::gen::inRange<int64_t>(1, 7)),
                              number("min_weight_size", *rc::gen::inRange<int64_t>(1, 20))}};
  RC_ASSERT(exit_code(request) == 0);
}

/// Whether TPAsyncDense is the dense layer when its shards are taken for those of `layout`.
int async_over(TpLayout layout, const std::string& mode, bool both_ways, int64_t devices) {
  Module module;
  DiagnosticSink sink;
  module.meshes.push_back(std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", devices}}));
  const int64_t in = 2 * devices, out = 4 * devices;
  const GlobalId x = declare(module, "x", {3, in}, Role::input, InitKind::normal);
  const GlobalId kernel = declare(module, "kernel", {in, out}, Role::param, InitKind::normal);
  const GlobalId bias = declare(module, "bias", {out}, Role::param, InitKind::normal);
  ModelBuilder m(module, "ring", module.meshes.front(), sink);
  TpAsyncDense layer{dense_fn(4), m.group("tp")};
  layer.tp_mode = mode;
  layer.use_bidirectional_gather = layer.use_bidirectional_scatter = both_ways;
  Scope root(m, views_of_dense(layout, layer.axis, kernel, bias));
  m.output("y", tp_async_dense(root, layer, m.view(x, {{}, m.split("tp")}, "x")), {{}, m.split("tp")});
  const std::optional<ProgramId> ring = m.finish();
  ModelBuilder d(module, "dense", std::make_shared<const Mesh>(), sink);
  const ValueId z = d.matmul(d.view(x, Layout(2), "x"), d.view(kernel, Layout(2), "kernel"));
  d.output("y", d.add(z, d.broadcast_rows(d.view(bias, Layout(1), "bias"), 3)), Layout(2));
  const std::optional<ProgramId> dense = d.finish();
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return verify::check(module, Check{*ring, *dense, {}}).exit_code();
}

/// Only the order of the ring is right: with another one every block is read once and no state is wrong.
TEST(TensorParallelTwins, TheShardsOfOneLayerAreNotThoseOfAnother) {
  for (const int64_t devices : {2, 3, 4}) {
    EXPECT_EQ(async_over(TpLayout::async_gather, "gather", false, devices), 0);
    EXPECT_EQ(async_over(TpLayout::async_gather, "gather", true, devices), 0);
    EXPECT_EQ(async_over(TpLayout::async_scatter, "scatter", false, devices), 0);
    EXPECT_EQ(async_over(TpLayout::async_split, "scatter", true, devices), 0);
    EXPECT_EQ(async_over(TpLayout::async_scatter, "gather", false, devices), 1);
    EXPECT_EQ(async_over(TpLayout::async_gather, "scatter", false, devices), 1);
    // With two devices up and down are one.
    EXPECT_EQ(async_over(TpLayout::async_split, "scatter", false, devices), devices == 2 ? 0 : 1);
    EXPECT_EQ(async_over(TpLayout::async_scatter, "scatter", true, devices), devices == 2 ? 0 : 1);
  }
}

}  // namespace
}  // namespace isoshard::tensor_parallel_test

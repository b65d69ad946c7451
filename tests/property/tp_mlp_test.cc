// Tensor-parallel MLPs of random sizes: sync, async and split blocks over one dense MLP are that MLP, and are not where
// a norm stands in the wrong place; layers over two axes at once; layers and rings of 64 devices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ostream>

#include "catalogue/catalogue.h"
#include "catalogue/loops/device_loop.h"
#include "catalogue/loops/tp_mlp_loop.h"
#include "parallel/layers/norms.h"
#include "parallel/module/scan_layers.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/sharding/stack_params.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard {

/// Part of a test's name: without it that is 80 bytes of memory, other ones in each run.
void PrintTo(const ModelRequest& request, std::ostream* out) {
  *out << request.name;
  for (const SettingValue& setting : request.settings) *out << '_' << setting.name << setting.value;
}

}  // namespace isoshard

namespace isoshard::tp_mlp_test {
namespace {

int64_t devices_at_most(int64_t most) { return *rc::gen::inRange<int64_t>(1, (kSanitized ? 3 : most) + 1); }
int64_t between(int64_t least, int64_t most) { return *rc::gen::inRange<int64_t>(least, most + 1); }

std::shared_ptr<const Mesh> mesh_of(std::vector<MeshAxis> axes) {
  return std::make_shared<const Mesh>("m", std::move(axes));
}

enum class Block : uint8_t { sync, async, async_split };

struct Sizes {
  int64_t devices, rows, width, hidden;  ///< rows of x; features of x and hidden features of one device
};

/// The arrays of a dense MLP behind RMSNorm.
struct DenseMlp {
  GlobalId x, scale, w1, b1, w2, b2;

  DenseMlp(Module& module, const Sizes& s) {
    const int64_t d = s.devices * s.width, f = s.devices * s.hidden;
    const auto param = [&](const char* name, Shape shape) {
      return declare(module, name, std::move(shape), Role::param, InitKind::normal);
    };
    x = declare(module, "x", {s.rows, d}, Role::input, InitKind::normal);
    scale = param("scale", {d});
    w1 = param("w1", {d, f});
    b1 = param("b1", {f});
    w2 = param("w2", {f, d});
    b2 = param("b2", {d});
  }
};

/// The parameters of a block as views of the dense ones: TPMLPBlock has a scale for all features on every device.
ParamReader block_over(const DenseMlp& g, Block block, const Group& axis) {
  const bool sync = block == Block::sync;
  const TpLayout up = sync ? TpLayout::gather : TpLayout::async_gather;
  const TpLayout down = sync                    ? TpLayout::scatter
                        : block == Block::async ? TpLayout::async_scatter
                                                : TpLayout::async_split;
  const ParamReader first = views_of_dense(up, axis, g.w1, g.b1), second = views_of_dense(down, axis, g.w2, g.b2);
  return [=](ModelBuilder& m, const ParamSpec& spec) {
    if (spec.path.back() == "scale") return m.view(g.scale, {sync ? ViewEntry{} : ViewEntry{axis}}, "scale");
    return (spec.path.front() == "input" ? first : second)(m, spec);
  };
}

std::optional<ProgramId> build_block(const DenseMlp& g, Block block, const Sizes& s, Module& module,
                                     DiagnosticSink& sink) {
  ModelBuilder m(module, "block", mesh_of({{"tp", s.devices}}), sink);
  const TpMlpBlock layer{m.group("tp"), s.devices * s.hidden, Activation::silu, block == Block::async_split};
  const Layout columns{{}, m.split("tp")};
  Scope root(m, block_over(g, block, layer.axis));
  const ValueId x = m.view(g.x, columns, "x");
  m.output("y", block == Block::sync ? tp_mlp_block(root, layer, x) : tp_async_mlp_block(root, layer, x), columns);
  return m.finish();
}

std::optional<ProgramId> build_dense(const DenseMlp& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "dense", mesh_of({}), sink);
  const ValueId x = m.view(g.x, Layout(2), "x");
  const ValueId sum = m.op(Reduce{Reducer::add, {1}, {}}, {m.multiply(x, x)});
  const ValueId mean = m.with_constant(Divide{}, sum, Rational(m.shape(x).back()));
  const ValueId root = m.op(Rsqrt{}, {m.with_constant(Add{}, mean, Rational(1, 1'000'000))});
  const ValueId scaled = m.multiply(x, m.broadcast_rows(m.view(g.scale, Layout(1), "scale"), m.shape(x).front()));
  const auto layer = [&](ValueId v, GlobalId w, GlobalId b) {
    const ValueId z = m.matmul(v, m.view(w, Layout(2), ""));
    return m.add(z, m.broadcast_rows(m.view(b, Layout(1), ""), m.shape(z).front()));
  };
  const ValueId h = layer(m.multiply(scaled, m.broadcast_like(root, {0}, x)), g.w1, g.b1);
  m.output("y", layer(activate(m, Activation::silu, h, ""), g.w2, g.b2), Layout(2));
  return m.finish();
}

/// The verdict about the two programs; -1 after messages.
int exit_code(const Module& module, const DiagnosticSink& sink, std::optional<ProgramId> left,
              std::optional<ProgramId> right) {
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  if (!left || !right) return -1;
  return verify::check(module, Check{*left, *right, {}}).exit_code();
}

RC_GTEST_PROP(TpMlp, SyncAsyncAndSplitBlocksOverOneDenseMlpAreThatMlp, ()) {
  const auto block = *rc::gen::element(Block::sync, Block::async, Block::async_split);
  const Sizes sizes{devices_at_most(8), between(1, 3), between(1, 3), between(1, 3)};
  Module module;
  DiagnosticSink sink;
  const DenseMlp dense(module, sizes);
  const auto left = build_block(dense, block, sizes, module, sink);
  RC_ASSERT(exit_code(module, sink, left, build_dense(dense, module, sink)) == 0);
}

RC_GTEST_PROP(TpMlp, SyncAndAsyncBlocksOverOneDenseMlpAreEqual, ()) {
  const auto block = *rc::gen::element(Block::async, Block::async_split);
  const Sizes sizes{devices_at_most(8), between(1, 2), between(1, 3), between(1, 3)};
  Module module;
  DiagnosticSink sink;
  const DenseMlp dense(module, sizes);
  const auto left = build_block(dense, Block::sync, sizes, module, sink);
  RC_ASSERT(exit_code(module, sink, left, build_block(dense, block, sizes, module, sink)) == 0);
}

/// The verdict about a model of the catalogue.
int exit_code(const ModelRequest& request) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module ? verify::check(*module, module->checks.front()).exit_code() : -1;
}

SettingValue number(const std::string& name, int64_t value) { return {name, std::to_string(value)}; }

RC_GTEST_PROP(TpMlp, ModelsAreLoopsOverDevices, ()) {
  const bool tuple = *rc::gen::arbitrary<bool>();
  const int64_t data = devices_at_most(tuple ? 3 : 2), model = devices_at_most(tuple ? 3 : 8);
  const int64_t devices = tuple ? data * model : model;
  const SettingValue axis{"axis", tuple ? "data_model" : "model"}, rows = number("b", data * between(1, 2));
  const SettingValue d = number("d", devices * between(1, 3)), f = number("f", devices * between(1, 3));
  const std::vector<MeshAxis> mesh{{"data", data}, {"model", model}};
  const auto activation = *rc::gen::element<std::string>("gelu", "silu");
  const auto split = *rc::gen::element<std::string>("0", "1");
  const auto mlp = *rc::gen::element<std::string>("sync", "async", "async_split");
  const SettingValue hidden = number("hidden", devices * between(1, 2)), layers = number("layers", between(1, 3));
  RC_ASSERT(exit_code({"tp_mlp", mesh, {{"residual", "split"}, {"activation", activation}, axis, rows, d, f}}) == 0);
  RC_ASSERT(exit_code({"tp_async_mlp", mesh, {{"split", split}, axis, rows, d, f}}) == 0);
  RC_ASSERT(exit_code({"tp_classifier", mesh, {{"mlp", mlp}, axis, rows, hidden, layers}}) == 0);
}

/// `layers` residual async blocks with their own parameters, against a loop over layers in the given order with
/// `right`.
int against_loop(int64_t devices, const TpMlpBlock& left, const DeviceMlp& right, const std::vector<int64_t>& order) {
  Module module;
  DiagnosticSink sink;
  const auto mesh = mesh_of({{"tp", devices}});
  const GlobalId x = declare(module, "x", {2, 2 * devices}, Role::input, InitKind::normal);
  ModelBuilder m(module, "layers", mesh, sink);
  Params params;
  Scope root(m, params);
  const ModuleFn layer = [&](Scope& self, ValueId v) { return self.m().add(v, tp_async_mlp_block(self, left, v)); };
  const ValueId own = m.view(x, {{}, m.split("tp")}, "x");
  m.output("y", scan_layers(root.child("block"), std::ssize(order), layer, own), {{}, m.split("tp")});
  const std::optional<ProgramId> program = m.finish();
  ModelBuilder d(module, "loop", mesh_of({}), sink);
  const DeviceLoop loop(d, params, mesh, left.axis);
  ValueId v = d.view(x, Layout(2), "x");
  for (const int64_t l : order) v = d.add(v, loop.join(device_mlp(loop.layer(l), right, loop.split(v))));
  d.output("y", v, Layout(2));
  return exit_code(module, sink, program, d.finish());
}

TEST(TpMlpTwins, TheLoopsOfOtherBlocksAndLayersAreOthers) {
  for (const int64_t devices : {2, 3, 4}) {
    const TpMlpBlock left{Group{{AxisId(size_t{0})}}, 2 * devices};
    const DeviceMlp right{"block", Activation::silu, true}, split{"block", Activation::silu, true, true},
        gelu{"block", Activation::gelu, true};
    EXPECT_EQ(against_loop(devices, left, right, {0, 1, 2}), 0);
    EXPECT_EQ(against_loop(devices, left, right, {0, 2, 1}), 1);
    EXPECT_EQ(against_loop(devices, left, gelu, {0, 1}), 1);
    // With two devices up and down are one.
    EXPECT_EQ(against_loop(devices, left, split, {0, 1}), devices == 2 ? 0 : 1);
  }
}

/// A norm whose result the shards compute for themselves: dense_fn is RMSNorm behind Dense.
DenseFn dense_then_norm(int64_t features) {
  return DenseFn{"DenseNorm", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   Scope norm = self.child("norm");
                   const ValueId y = dense(self, Dense{features, kernel_init, use_bias}, x);
                   return rms_norm(norm, RmsNorm{}, y);
                 }};
}

/// An async gather of such a layer, over views of one dense kernel, against that layer on one device: with a sync
/// gather each device would take the norm of its own features of all of W x, a loop over devices as well.
int norm_in_shards(bool async, int64_t devices) {
  Module module;
  DiagnosticSink sink;
  const auto mesh = mesh_of({{"tp", devices}});
  const GlobalId x = declare(module, "x", {2, 2 * devices}, Role::input, InitKind::normal);
  const GlobalId w = declare(module, "w", {2 * devices, 3 * devices}, Role::param, InitKind::normal);
  const GlobalId b = declare(module, "b", {3 * devices}, Role::param, InitKind::normal);
  ModelBuilder m(module, "layer", mesh, sink);
  const Group tp = m.group("tp");
  const ParamReader views = views_of_dense(async ? TpLayout::async_gather : TpLayout::gather, tp, w, b);
  Scope root(m, [&](ModelBuilder& builder, const ParamSpec& spec) {
    if (spec.path.back() != "scale") return views(builder, spec);
    return builder.op(Constant{Rational(1), DType::f32, spec.shape}, {});
  });
  const ValueId own = m.view(x, {{}, m.split("tp")}, "x");
  const ValueId y = async ? tp_async_dense(root, TpAsyncDense{dense_then_norm(3), tp, "gather"}, own)
                          : tp_dense(root, TpDense{dense_then_norm(3), tp, "gather"}, own);
  m.output("y", y, {{}, m.split("tp")});
  const std::optional<ProgramId> layer = m.finish();
  ModelBuilder d(module, "dense", mesh_of({}), sink);
  Params none;
  const DeviceLoop loop(d, none, mesh, tp);
  const ValueId product = d.matmul(d.view(x, Layout(2), "x"), d.view(w, Layout(2), "w"));
  const ValueId z = d.add(product, d.broadcast_rows(d.view(b, Layout(1), "b"), 2));
  Scope own_norm(d, [](ModelBuilder& builder, const ParamSpec& spec) {
    return builder.op(Constant{Rational(1), DType::f32, spec.shape}, {});
  });
  const DeviceValues parts = loop.split(z);
  d.output("y", loop.join(loop.each([&](int64_t i) {
    Scope child = own_norm.child("norm_" + std::to_string(i));
    return rms_norm(child, RmsNorm{}, parts[static_cast<size_t>(i)]);
  })),
           Layout(2));
  return exit_code(module, sink, layer, d.finish());
}

/// Trap P9: the ring sums N norms.
TEST(TpMlpTwins, ANormInsideTheShardsOfAnAsyncGatherIsAnother) {
  for (const int64_t devices : {2, 3, 4}) {
    EXPECT_EQ(norm_in_shards(false, devices), 0) << devices;
    EXPECT_EQ(norm_in_shards(true, devices), 1) << devices;
  }
  EXPECT_EQ(norm_in_shards(true, 1), 0);
}

RC_GTEST_PROP(TpMlp, UnstackingAStackGivesTheArray, ()) {
  const int64_t devices = devices_at_most(8), position = between(0, 2);
  Module module;
  DiagnosticSink sink;
  const GlobalId x = declare(module, "x", {2 * devices, 3}, Role::param, InitKind::normal);
  ModelBuilder m(module, "there_and_back", mesh_of({{"tp", devices}}), sink);
  const Group tp = m.group("tp");
  const Layout rows{m.split("tp"), {}};
  const ParamTree stacked = stack_params(m, {ParamLeaf{"x", std::nullopt, m.view(x, rows, "x")}}, tp, position);
  RC_ASSERT(stacked.size() == 1U);
  RC_ASSERT(m.shape(stacked[0].value).size() == 3U);
  const ParamTree back = unstack_params(m, stacked, tp);
  RC_ASSERT(!back.at(0).names.has_value());
  m.output("y", back[0].value, rows);
  const std::optional<ProgramId> left = m.finish();
  ModelBuilder d(module, "array", mesh_of({}), sink);
  d.output("y", d.view(x, Layout(2), "x"), Layout(2));
  RC_ASSERT(exit_code(module, sink, left, d.finish()) == 0);
}

/// A gathering layer over the inner axis inside one over the outer axis: each device has a kernel of its own.
struct TwoAxes {
  std::shared_ptr<const Mesh> mesh;
  Group inner, outer;
  bool async_inner, async_outer;
};

DenseFn inner_layer(const TwoAxes& c, int64_t features) {
  return DenseFn{"Inner", [=](Scope& self, ValueId x, const Initializer& init, bool use_bias) {
                   TpDense sync{dense_fn(features), c.inner, "gather", false, init};
                   TpAsyncDense async{dense_fn(features), c.inner, "gather", init};
                   sync.use_bias = async.use_bias = use_bias;
                   return c.async_inner ? tp_async_dense(self, async, x) : tp_dense(self, sync, x);
                 }};
}

ValueId outer_layer(Scope& self, const TwoAxes& c, ValueId x) {
  const DenseFn inner = inner_layer(c, 2);
  return c.async_outer ? tp_async_dense(self, TpAsyncDense{inner, c.outer, "gather"}, x)
                       : tp_dense(self, TpDense{inner, c.outer, "gather"}, x);
}

/// xs[o][i]: what the device with index o over the outer and i over the inner axis has.
using Table = std::vector<DeviceValues>;

/// What the inner layer at `path` of the devices around `o` makes of their x.
DeviceValues inner_loop(const DeviceLoop& outer, const TwoAxes& c, int64_t o, const std::string& path,
                        const DeviceValues& xs) {
  const DeviceLoop inner = outer.around(o, c.inner);
  const DeviceLayer layer{path};
  return c.async_inner ? inner.async_gather(layer, xs) : inner.gather(layer, xs);
}

Table outer_loop(const DeviceLoop& outer, const TwoAxes& c, const Table& xs) {
  const auto n = static_cast<int64_t>(xs.size());
  ModelBuilder& m = outer.m();
  Table ys;
  for (int64_t o = 0; o < n; ++o) {
    const auto at = [&](int64_t index) { return xs[static_cast<size_t>((index + n) % n)]; };
    if (!c.async_outer) {
      DeviceValues all;
      for (size_t i = 0; i < xs[0].size(); ++i) {
        all.push_back(outer.join(outer.each([&](int64_t other) { return at(other)[i]; })));
      }
      ys.push_back(inner_loop(outer, c, o, "module/sharded", all));
      continue;
    }
    DeviceValues sum = inner_loop(outer, c, o, "shard_0/sharded", at(o));
    for (int64_t k = 1; k < n; ++k) {
      const DeviceValues terms = inner_loop(outer, c, o, "shard_" + std::to_string(k) + "/sharded", at(o - k));
      for (size_t i = 0; i < sum.size(); ++i) sum[i] = m.add(sum[i], terms[i]);
    }
    ys.push_back(std::move(sum));
  }
  return ys;
}

/// The columns of x lie in the order of the outer devices, and among those in that of the inner ones; `x_order` is how
/// the program takes them to lie.
int over_two_axes(const TwoAxes& c, const Group& x_order) {
  const Group order{{c.outer.axes[0], c.inner.axes[0]}};
  Module module;
  DiagnosticSink sink;
  const GlobalId x = declare(module, "x", {1, 2 * c.mesh->device_count()}, Role::input, InitKind::normal);
  ModelBuilder m(module, "layer", c.mesh, sink);
  Params params;
  Scope root(m, params);
  m.output("y", outer_layer(root, c, m.view(x, {{}, ViewEntry{x_order}}, "x")), {{}, ViewEntry{order}});
  const std::optional<ProgramId> left = m.finish();
  ModelBuilder d(module, "loop", mesh_of({}), sink);
  const DeviceLoop outer(d, params, c.mesh, c.outer);
  Table xs;
  for (const ValueId part : outer.split(d.view(x, Layout(2), "x"))) xs.push_back(outer.around(0, c.inner).split(part));
  const Table ys = outer_loop(outer, c, xs);
  d.output("y", outer.join(outer.each([&](int64_t o) { return outer.join(ys[static_cast<size_t>(o)]); })), Layout(2));
  return exit_code(module, sink, left, d.finish());
}

TwoAxes two_axes(int64_t a, int64_t b, bool swapped, bool async_inner, bool async_outer) {
  const auto mesh = mesh_of({{"a", a}, {"b", b}});
  const Group first{{*mesh->find("a")}}, second{{*mesh->find("b")}};
  return {mesh, swapped ? first : second, swapped ? second : first, async_inner, async_outer};
}

RC_GTEST_PROP(TpMlp, LayersOverTwoAxesAtOnceAreLoopsInLoops, ()) {
  const auto bit = [] { return *rc::gen::arbitrary<bool>(); };
  const TwoAxes c = two_axes(between(2, kSanitized ? 2 : 4), between(2, 3), bit(), bit(), bit());
  RC_ASSERT(over_two_axes(c, Group{{c.outer.axes[0], c.inner.axes[0]}}) == 0);
}

TEST(TpMlpTwins, TheAxesOfTwoLayersCannotBeExchanged) {
  for (const bool async : {false, true}) {
    const TwoAxes c = two_axes(2, 3, false, async, async);
    EXPECT_EQ(over_two_axes(c, Group{{c.inner.axes[0], c.outer.axes[0]}}), 1);
  }
}

/// 64, but with sanitizers 8: there 64 take minutes.
constexpr int64_t kManyDevices = kSanitized ? 8 : 64;

class OnManyDevices : public ::testing::TestWithParam<ModelRequest> {};

TEST_P(OnManyDevices, ModelsAreEqual) { EXPECT_EQ(exit_code(GetParam()), 0); }

std::vector<ModelRequest> requests() {
  const std::vector<MeshAxis> model{{"model", kManyDevices}};
  const std::vector<SettingValue> tiny{number("b", 1), number("in", 1)};
  std::vector<ModelRequest> result;
  for (const char* ring :
       {"async_gather", "async_gather_bidirectional", "async_gather_split", "async_scatter", "async_scatter_split"}) {
    result.push_back({ring, {{"tp", kManyDevices}}, {number("rows", 1), number("features", 2)}});
  }
  result.push_back({"tp_async_mlp", model, {{"split", "1"}, number("b", 1), number("d", 128), number("f", 64)}});
  result.push_back({"tp_mlp",
                    {{"data", 1}, {"model", kManyDevices}},
                    {{"residual", "split"}, number("b", 1), number("d", 64), number("f", 64)}});
  const auto add = [&](const std::string& name, std::vector<SettingValue> settings) {
    settings.insert(settings.end(), tiny.begin(), tiny.end());
    result.push_back({name, model, std::move(settings)});
  };
  add("tp_dense", {{"mode", "gather"}, number("features", 1)});
  add("tp_dense", {{"mode", "scatter"}, number("features", 64)});
  for (const char* mode : {"gather", "scatter"}) {
    for (const char* both : {"0", "1"}) {
      add("tp_async_dense", {{"mode", mode}, {"bidirectional", both}, number("features", 2)});
    }
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(TpMlp, OnManyDevices, ::testing::ValuesIn(requests()));

}  // namespace
}  // namespace isoshard::tp_mlp_test

// Scopes: names, paths, counters and transforms of parameters, and what is said about modules that cannot be built.
#include "parallel/module/module.h"

#include <gtest/gtest.h>

#include "parallel/layers/dropout.h"
#include "parallel/layers/norms.h"
#include "parallel/module/param_key.h"
#include "parallel/module/scan_layers.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/sharding/stack_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"

namespace isoshard::module_test {
namespace {

class Modules : public ::testing::Test {
 protected:
  /// One array of local shape `local` per device.
  ValueId input(const std::string& name, Shape local) {
    Layout layout(local.size() + 1);
    layout[0] = ViewEntry{tp, 0, std::nullopt, Split::stack};
    local.insert(local.begin(), 4);
    return m.view(declare(module, name, std::move(local), Role::input, InitKind::normal), layout, name);
  }

  std::string message() const {
    const auto& all = sink.diagnostics();
    return all.size() == 1 ? all[0].rule + ": " + all[0].message : std::to_string(all.size()) + " messages";
  }

  /// `path shape [layout]` of every parameter.
  std::vector<std::string> declared() const {
    std::vector<std::string> result;
    for (const ParamSpec& spec : params.specs()) {
      result.push_back(spec.name() + " " + to_string(module.global(spec.global).type) + " " +
                       to_string(spec.layout(), m.mesh()));
    }
    return result;
  }

  std::string state_of(ValueId value) { return to_string(m.builder().type(value), m.mesh()); }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", 4}}), sink};
  Params params;
  Scope root{m, params};
  Group tp = m.group("tp");
};

using Lines = std::vector<std::string>;

TEST_F(Modules, ChildrenWithoutNamesAreCountedByClass) {
  EXPECT_EQ(root.next_child("Dense").path(), Lines{"Dense_0"});
  EXPECT_EQ(root.next_child("Norm").path(), Lines{"Norm_0"});
  Scope second = root.next_child("Dense");
  EXPECT_EQ(second.next_child("Dense").path(), (Lines{"Dense_1", "Dense_0"}));
}

TEST_F(Modules, ParametersAreGlobalsCalledByTheirPath) {
  Scope a = root.child("a");
  Scope b = a.child("b");
  EXPECT_EQ(state_of(b.param("kernel", lecun_normal_initializer(), {3, 2})), "f32[3,2] {R: tp}");
  b.param("bias", zeros_initializer(), {2});
  root.param("gain", ones_initializer(), {});
  EXPECT_EQ(declared(), (Lines{"a/b/kernel f32[3,2] [-, -]", "a/b/bias f32[2] [-]", "gain f32[] []"}));
  EXPECT_TRUE(module.find_global("a.b.kernel").has_value());
  EXPECT_EQ(params.specs()[0].draw, 1);
  EXPECT_EQ(params.specs()[1].draw, 2);
  EXPECT_EQ(params.specs()[2].draw, 1) << "another scope counts from 1";
  EXPECT_FALSE(params.specs()[0].names().has_value());
}

TEST_F(Modules, WrappersStackAndScansAddLayersInTheOrderOfNesting) {
  const auto layer = [](Scope& self, ValueId x) { return dense(self, Dense{2}, x); };
  const ValueId x = input("x", {5, 2});
  const ModuleFn wrapped = [&](Scope& self, ValueId v) { return model_parallelism_wrapper(self, tp, layer, v); };
  scan_layers(root.child("inside"), 3, wrapped, x);
  const ModuleFn scanned = [&](Scope& self, ValueId v) { return scan_layers(self.child("block"), 3, layer, v); };
  Scope around = root.child("around");
  const ValueId y = model_parallelism_wrapper(around, tp, scanned, x);
  EXPECT_TRUE(y.valid());
  EXPECT_EQ(declared(), (Lines{"inside/sharded/kernel f32[3,4,2,2] [-, stack tp, -, -]",
                               "inside/sharded/bias f32[3,4,2] [-, stack tp, -]",
                               "around/sharded/block/kernel f32[4,3,2,2] [stack tp, -, -, -]",
                               "around/sharded/block/bias f32[4,3,2] [stack tp, -, -]"}));
  EXPECT_EQ(params.specs()[0].scans(), 1);
  const std::vector<Group> names = *params.specs()[2].names();
  EXPECT_EQ(names, (std::vector<Group>{tp, {}, {}, {}}));
  EXPECT_TRUE(sink.diagnostics().empty());
}

TEST_F(Modules, KeysOfAStreamCountPerScope) {
  root.set_key("dropout", prng_key(m, 1));
  Scope a = root.child("a");
  const ValueId first = a.make_key("dropout"), second = a.make_key("dropout");
  const auto word = [&](ValueId key) {
    const Program& program = m.builder().program();
    const Op& fold = program.op(program.value(key).definition);
    return std::get<Constant>(program.op(program.value(fold.operands[1]).definition).data).value.to_double();
  };
  EXPECT_EQ(word(first), param_fold({"a"}, 1));
  EXPECT_EQ(word(second), param_fold({"a"}, 2));
}

/// Two draws of the scope and one scan: counters 3 and 4 (docs/spec/random.md, "Keys of modules").
TEST_F(Modules, KeysInAScanCountItsSecondTrace) {
  root.set_key("dropout", prng_key(m, 1));
  std::vector<ValueId> keys;
  const ModuleFn body = [&](Scope& self, ValueId x) {
    keys = {self.make_key("dropout"), self.make_key("dropout")};
    return dense(self, Dense{2}, x);
  };
  ASSERT_TRUE(scan_layers(root.child("block"), 3, body, input("x", {5, 2})).valid());
  const Program& program = m.builder().program();
  for (int64_t j = 0; j < 2; ++j) {
    const Op& fold = program.op(program.value(keys[static_cast<size_t>(j)]).definition);
    const Rational word = std::get<Constant>(program.op(program.value(fold.operands[1]).definition).data).value;
    EXPECT_EQ(word.to_double(), param_fold({"block"}, 3 + j));
  }
}

TEST_F(Modules, NamesAreTakenOnce) {
  root.child("a");
  root.child("a");
  EXPECT_EQ(message(),
            "C-param: the root module: the name a is taken; expected each child and parameter to have its own");
}

TEST_F(Modules, NamesAreWords) {
  root.child("a/b");
  EXPECT_EQ(message(), "C-param: the root module: the name \"a/b\"; expected letters, digits and `_`");
}

TEST_F(Modules, GlobalsAreDeclaredOnce) {
  input("gain", {2});
  EXPECT_FALSE(root.param("gain", ones_initializer(), {2}).valid());
  EXPECT_EQ(message(), "C-param: the module has a global @gain already; expected another name for the parameter gain");
}

TEST_F(Modules, AStreamNeedsAKey) {
  Scope a = root.child("a");
  EXPECT_FALSE(a.make_key("dropout").valid());
  EXPECT_EQ(message(),
            "C-key: the module a draws a key of the stream `dropout`, which has none; expected set_key on an enclosing "
            "scope");
}

TEST_F(Modules, LayersNeedParameters) {
  const ModuleFn body = [](Scope& self, ValueId x) { return self.m().tanh(x); };
  EXPECT_FALSE(scan_layers(root.child("block"), 3, body, input("x", {2})).valid());
  EXPECT_EQ(message(), "C-layers: scan_layers: the body has no parameters; expected one for each layer to differ in");
}

TEST_F(Modules, DenseNeedsFeatures) {
  EXPECT_FALSE(dense(root, Dense{2}, input("x", {})).valid());
  EXPECT_EQ(message(), "C-dense: dense: x is a scalar; expected features in its last dimension");
}

TEST_F(Modules, TpDenseKnowsThreeModes) {
  TpDense layer{dense_fn(2), tp};
  layer.tp_mode = "column";
  EXPECT_FALSE(tp_dense(root, layer, input("x", {2, 2})).valid());
  EXPECT_EQ(message(), "C-tp-mode: TPDense: the mode is \"column\"; expected gather, scatter or none");
}

TEST_F(Modules, TpAsyncDenseKnowsThreeModes) {
  TpAsyncDense layer{dense_fn(2), tp};
  layer.tp_mode = "row";
  EXPECT_FALSE(tp_async_dense(root, layer, input("x", {2, 2})).valid());
  EXPECT_EQ(message(), "C-tp-mode: TPAsyncDense: the mode is \"row\"; expected gather, scatter or none");
}

TEST_F(Modules, ScatterNeedsFeaturesForEveryDevice) {
  TpDense layer{dense_fn(6), tp};
  layer.tp_mode = "scatter";
  EXPECT_FALSE(tp_dense(root, layer, input("x", {2, 2})).valid());
  EXPECT_EQ(
      message(),
      "C-divide: TPDense: 6 features cannot be scattered over the 4 devices of tp; in mode scatter dense_fn has the "
      "features of all devices, expected a multiple of 4");
}

/// The bias of every device is a term of the sum, and the types say so.
TEST_F(Modules, ScatteredTermsArePartialWithTheirBiases) {
  TpDense layer{dense_fn(8), tp};
  layer.tp_mode = "scatter";
  layer.skip_communication = true;
  EXPECT_EQ(state_of(tp_dense(root, layer, input("x", {2, 3}))), "f32[2,8] {P: tp}");
  EXPECT_EQ(declared(),
            (Lines{"module/sharded/kernel f32[4,3,8] [stack tp, -, -]", "module/sharded/bias f32[4,8] [stack tp, -]"}));
  EXPECT_TRUE(m.builder().program().state_errors().empty());
}

TEST_F(Modules, OnlyTheFirstShardHasABias) {
  TpAsyncDense layer{dense_fn(2), tp};
  layer.tp_mode = "gather";
  EXPECT_EQ(state_of(tp_async_dense(root, layer, input("x", {2, 3}))), "f32[2,2] {V: tp}");
  EXPECT_EQ(
      declared(),
      (Lines{"shard_0/sharded/kernel f32[4,3,2] [stack tp, -, -]", "shard_0/sharded/bias f32[4,2] [stack tp, -]",
             "shard_1/sharded/kernel f32[4,3,2] [stack tp, -, -]", "shard_2/sharded/kernel f32[4,3,2] [stack tp, -, -]",
             "shard_3/sharded/kernel f32[4,3,2] [stack tp, -, -]"}));
}

TEST_F(Modules, ViewsOfDenseAreForDenseLayers) {
  const GlobalId w = declare(module, "W", {8, 8}, Role::param, InitKind::normal);
  Scope over(m, views_of_dense(TpLayout::gather, tp, w, w));
  EXPECT_FALSE(over.param("gain", ones_initializer(), {2}).valid());
  EXPECT_EQ(message(),
            "C-layout: views_of_dense: the layer has a parameter gain; expected only `kernel` and `bias` of a dense "
            "layer");
}

TEST_F(Modules, StacksHaveNamesShapesAndDtypes) {
  const ValueId x = input("x", {5, 2});
  const ParamTree stacked = stack_params(m, {{"x", std::nullopt, x}}, tp, 1);
  EXPECT_EQ(state_of(stacked[0].value), "f32[5,1,2] {V: tp}");
  EXPECT_EQ(*stacked[0].names, (std::vector<Group>{{}, tp, {}}));
  const ParamTree back = unstack_params(m, stacked, tp);
  EXPECT_EQ(state_of(back[0].value), "f32[5,2] {V: tp}");
  EXPECT_FALSE(back[0].names.has_value());
  const ValueId zero = m.op(Constant{Rational(0), DType::i32, {}}, {});
  const ParamTree integers = stack_params(m, {{"i", std::nullopt, zero}}, tp, 0, zero);
  EXPECT_EQ(state_of(integers[0].value), "f32[1] {V: tp}");
  EXPECT_EQ(state_of(stack_params(m, {{"i", std::nullopt, zero}}, tp)[0].value), "i32[1] {V: tp}");
}

/// A name inside a tuple is another name.
TEST_F(Modules, OnlyTheExactAxisIsUnstacked) {
  const ParamTree tree{{"x", std::vector<Group>{{}, {}}, input("x", {5, 2})}, {"y", std::nullopt, input("y", {2})}};
  const ParamTree same = unstack_params(m, tree, tp);
  EXPECT_EQ(same[0].value, tree[0].value);
  EXPECT_TRUE(same[0].names.has_value());
  EXPECT_EQ(same[1].value, tree[1].value);
}

TEST_F(Modules, StacksStandWithinTheRank) {
  const ValueId x = input("x", {5, 2});
  EXPECT_FALSE(stack_params(m, {{"a/x", std::nullopt, x}}, tp, -1)[0].value.valid());
  EXPECT_EQ(message(), "C-stack: stack_params: axis_pos is -1 and a/x has 2 dimensions; expected 0 to 2");
}

TEST_F(Modules, AStackHasOneElementPerDevice) {
  const ParamTree tree{{"a/x", std::vector<Group>{tp, {}}, input("x", {5, 2})}};
  EXPECT_FALSE(unstack_params(m, tree, tp)[0].value.valid());
  EXPECT_EQ(message(),
            "C-stack: unstack_params: dimension 0 of a/x has 5 elements on a device; expected 1, as stack_params makes "
            "it");
}

TEST(ModulesOfTwoAxes, ViewsOfDenseOfARingFollowTheMesh) {
  Module module;
  DiagnosticSink sink;
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"dp", 2}, {"tp", 2}});
  ModelBuilder m(module, "p", mesh, sink);
  const GlobalId w = declare(module, "W", {8, 8}, Role::param, InitKind::normal);
  const Group reversed{{AxisId(1), AxisId(0)}};
  Scope over(m, views_of_dense(TpLayout::async_gather, reversed, w, w));
  EXPECT_FALSE(over.param("kernel", ones_initializer(), {2, 2}).valid());
  ASSERT_EQ(sink.diagnostics().size(), 1U);
  EXPECT_EQ(
      sink.diagnostics()[0].rule + ": " + sink.diagnostics()[0].message,
      "C-layout: views_of_dense: the ring over (tp, dp) follows the order of the mesh, and the devices of the layer "
      "that of the tuple; expected the axes in the order of the mesh");
}

/// On one device nothing is checked, and names are those of the layer alone.
TEST(ModulesOnOneDevice, AreCalledAfterTheirClassOrFirstShard) {
  Module module;
  DiagnosticSink sink;
  ModelBuilder m(module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", 1}}), sink);
  const ValueId x = m.view(declare(module, "x", {2, 3}, Role::input, InitKind::normal), Layout(2), "x");
  Params params;
  Scope root(m, params);
  TpDense sync{dense_fn(2), m.group("tp")};
  sync.tp_mode = "column";
  EXPECT_TRUE(tp_dense(root, sync, x).valid());
  TpAsyncDense async{dense_fn(2), m.group("tp")};
  async.tp_mode = "gather";
  EXPECT_EQ(to_string(m.builder().type(tp_async_dense(root, async, x)), m.mesh()), "f32[2,2] {V: tp}");
  Lines names;
  for (const ParamSpec& spec : params.specs()) names.push_back(spec.name());
  EXPECT_EQ(names, (Lines{"Dense_0/kernel", "Dense_0/bias", "shard_0/kernel", "shard_0/bias"}));
  EXPECT_TRUE(sink.diagnostics().empty());
}

TEST_F(Modules, NormsWantFeatures) {
  EXPECT_FALSE(rms_norm(root, RmsNorm{}, input("x", {})).valid());
  EXPECT_EQ(message(), "C-norm: RMSNorm: x is a scalar; expected features in its last dimension");
}

TEST_F(Modules, LayerNormsWantFeatures) {
  EXPECT_FALSE(layer_norm(root, LayerNorm{}, input("x", {})).valid());
  EXPECT_EQ(message(), "C-norm: LayerNorm: x is a scalar; expected features in its last dimension");
}

TEST_F(Modules, NormsOverAnAxisHaveASliceOfTheScale) {
  const ModuleFn norm = [&](Scope& self, ValueId x) { return layer_norm(self, LayerNorm{tp}, x); };
  const ValueId y = model_parallelism_wrapper(root, tp, norm, input("x", {5, 2}));
  EXPECT_EQ(state_of(y), "f32[5,2] {V: tp}");
  EXPECT_EQ(declared(), (Lines{"sharded/scale f32[4,2] [stack tp, -]", "sharded/bias f32[4,2] [stack tp, -]"}));
}

TEST_F(Modules, BlocksShareTheirHiddenFeatures) {
  EXPECT_FALSE(tp_mlp_block(root, TpMlpBlock{tp, 6}, input("x", {5, 2})).valid());
  EXPECT_EQ(
      message(),
      "C-divide: TPMLPBlock: 6 hidden features cannot be shared by the 4 devices of tp; expected a positive multiple "
      "of 4");
}

TEST_F(Modules, AsyncBlocksShareTheirHiddenFeatures) {
  EXPECT_FALSE(tp_async_mlp_block(root, TpMlpBlock{tp, 0}, input("x", {5, 2})).valid());
  EXPECT_EQ(message(),
            "C-divide: TPAsyncMLPBlock: 0 hidden features cannot be shared by the 4 devices of tp; expected a positive "
            "multiple of 4");
}

TEST_F(Modules, BlocksWantFeatures) {
  EXPECT_FALSE(tp_async_mlp_block(root, TpMlpBlock{tp, 8}, input("x", {})).valid());
  EXPECT_EQ(message(), "C-norm: RMSNorm: x is a scalar; expected features in its last dimension");
}

TEST_F(Modules, ClassifiersShareTheirFeatures) {
  const ValueId x = m.view(declare(module, "x", {5, 3}, Role::input, InitKind::normal), Layout(2), "x");
  EXPECT_FALSE(tp_classifier(root, TpClassifier{tp, 10, 1, 3}, x).valid());
  EXPECT_EQ(message(),
            "C-divide: TPClassifier: 10 hidden features cannot be shared by the 4 devices of tp; expected a positive "
            "multiple of 4");
}

TEST_F(Modules, ClassifiersGiveLogitsOnEveryDevice) {
  const ValueId x = m.view(declare(module, "x", {5, 3}, Role::input, InitKind::normal), Layout(2), "x");
  EXPECT_EQ(state_of(tp_classifier(root, TpClassifier{tp, 8, 2, 3, true, true}, x)), "f32[5,3] {R: tp}");
}

TEST_F(Modules, DropoutRatesAreProbabilities) {
  EXPECT_FALSE(dropout(root, 1.5, input("x", {2})).valid());
  EXPECT_EQ(message(), "C-rate: dropout: the rate is 1.5; expected a number from 0 to 1");
}

}  // namespace
}  // namespace isoshard::module_test

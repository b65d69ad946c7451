#include <gtest/gtest.h>

#include "core/ir/builder/builder.h"
#include "core/plan/passes/lower.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_lower_test {
namespace {

class PlanLowerTest : public ::testing::Test {
 protected:
  PlanLowerTest() : mesh_(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"data", 2}, {"model", 4}})) {}

  Group over(std::initializer_list<size_t> axes) const {
    Group group;
    for (const size_t axis : axes) group.axes.push_back(AxisId(axis));
    return group;
  }
  GlobalId global(const std::string& name, Shape shape) {
    module_.globals.push_back(Global{name, TensorType{DType::f32, std::move(shape)}, Role::param, Init{}, Location()});
    return GlobalId(module_.globals.size() - 1);
  }
  Builder builder() { return Builder(module_, "p", mesh_, sink_); }
  /// The printed Plan without its header and without `ranks`.
  std::string lowered(Builder& b) {
    const std::optional<ProgramId> id = b.finish();
    if (!id) return sink_.diagnostics().empty() ? "not finished" : sink_.diagnostics()[0].message;
    const std::string text = print(lower(module_, *id));
    const size_t begin = text.find("{\n") + 2;
    return text.substr(begin, text.size() - begin - 2);
  }

  std::shared_ptr<const Mesh> mesh_;
  Module module_;
  DiagnosticSink sink_;
};

TEST_F(PlanLowerTest, PrintsHeaderWithVersionMeshAndOutputs) {
  Builder b = builder();
  b.output("y", b.add_op(View{global("x", {8}), {{over({1}), 0}}, {}}, {}, "x"), {{over({1}), 0}});
  EXPECT_EQ(print(lower(module_, *b.finish())), R"(isoshard-plan 1
plan @p on @m [data=2, model=4]
global @x : f32[8] param
output @y: f32[8]

ranks all [0..8] {
  queue compute
    #0 %x = load @x [model of 4] : f32[2]
    #1 store %x {output=@y, block=[model of 4]}  frees %x
}
)");
}

TEST_F(PlanLowerTest, RingPermutesStandBesideCompute) {
  Builder b = builder();
  const GlobalId x = global("x", {4, 8}), w = global("W", {8, 4});
  ValueId block = b.add_op(View{x, {{{}, 0}, {over({1}), 0}}, {}}, {}, "x.0");
  ValueId sum;
  for (int64_t k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    const ValueId part = b.add_op(View{w, {{over({1}), -k}, {over({1}), 0}}, {}, Coverage{0}}, {}, "W." + n);
    const ValueId next =
        k == 2 ? block : b.add_op(CollectivePermute{over({1}), 1, {}, {}}, {block}, "x." + std::to_string(k + 1));
    const ValueId product = b.add_op(DotGeneral{{{1}, {0}}, {}}, {block, part}, "p." + n);
    sum = k == 0 ? product : b.add_op(Add{}, {sum, product}, "s." + n);
    block = next;
  }
  b.output("y", sum, {{{}, 0}, {over({1}), 0}});
  EXPECT_EQ(lowered(b), R"(  queue compute
    #0 %x.0 = load @x [-, model of 4] : f32[4,2]
    #1 %W.0 = load @W [model of 4, model of 4] : f32[2,1]
    #3 %p.0 = dot_general %x.0, %W.0 {contract=[1]x[0]} : f32[4,1]  frees %W.0
    #4 %W.1 = load @W [(model-1)%4 of 4, model of 4] : f32[2,1]
    #6 %p.1 = dot_general %x.1, %W.1 {contract=[1]x[0]} : f32[4,1]  after #2  frees %x.0, %W.1
    #7 %s.1 = add %p.0, %p.1 : f32[4,1]  frees %p.0, %p.1
    #8 %W.2 = load @W [(model-2)%4 of 4, model of 4] : f32[2,1]
    #9 %p.2 = dot_general %x.2, %W.2 {contract=[1]x[0]} : f32[4,1]  after #5  frees %x.1, %x.2, %W.2
    #10 %s.2 = add %s.1, %p.2 : f32[4,1]  frees %s.1, %p.2
    #11 store %s.2 {output=@y, block=[-, model of 4]}  frees %s.2
  queue send model +
    #2 %x.1 = permute %x.0 {group=model, dst=(model+1)%4, src=(model-1)%4} : f32[4,2]  after #0
    #5 %x.2 = permute %x.1 {group=model, dst=(model+1)%4, src=(model-1)%4} : f32[4,2]
)");
}

TEST_F(PlanLowerTest, DirectionsTuplesAndPairsHaveTheirOwnQueues) {
  Builder b = builder();
  const ValueId x = b.add_op(View{global("x", {16}), {{over({0, 1}), 0}}, {}}, {}, "x");
  const auto permute = [&](Group group, std::optional<int64_t> shift, std::vector<IndexPair> pairs, PermuteOrder order,
                           const std::string& name) {
    b.add_op(CollectivePermute{std::move(group), shift, std::move(pairs), order}, {x}, name);
  };
  permute(over({1}), 1, {}, PermuteOrder::unspecified, "up");
  permute(over({1}), -1, {}, PermuteOrder::unspecified, "down");
  permute(over({1}), 3, {}, PermuteOrder::unspecified, "also_down");
  permute(over({1}), std::nullopt, {{0, 2}, {3, 3}}, PermuteOrder::unspecified, "some");
  permute(over({1, 0}), 1, {}, PermuteOrder::tuple, "tuple");
  permute(over({1, 0}), 1, {}, PermuteOrder::mesh, "mesh");
  permute(over({1}), 8, {}, PermuteOrder::unspecified, "self");
  b.output("y", x, {{over({0, 1}), 0}});
  EXPECT_EQ(lowered(b), R"(  queue compute
    #0 %x = load @x [data*4+model of 8] : f32[2]
    #8 store %x {output=@y, block=[data*4+model of 8]}
  queue send model +
    #1 %up = permute %x {group=model, dst=(model+1)%4, src=(model-1)%4} : f32[2]  after #0  frees %up
    #7 %self = permute %x {group=model, dst=model, src=model} : f32[2]  frees %self
  queue send model -
    #2 %down = permute %x {group=model, dst=(model-1)%4, src=(model+1)%4} : f32[2]  after #0  frees %down
    #3 %also_down = permute %x {group=model, dst=(model+3)%4, src=(model-3)%4} : f32[2]  frees %also_down
  queue send model pairs
    #4 %some = permute %x {group=model, dst=[2,-1,-1,3][model], src=[-1,-1,0,3][model]} : f32[2]  after #0  frees %some
  queue send (model, data) +
    #5 %tuple = permute %x {group=(model, data), dst=(model*2+data+1)%8, src=(model*2+data-1)%8} : f32[2]  after #0  frees %tuple
  queue send (data, model) +
    #6 %mesh = permute %x {group=(data, model), dst=(data*4+model+1)%8, src=(data*4+model-1)%8} : f32[2]  after #0  frees %mesh
  frees %x
)");
}

TEST_F(PlanLowerTest, StateOpsVanishExceptOwners) {
  Builder b = builder();
  const ValueId x = b.add_op(View{global("x", {4}), {{{}, 0}}, {}}, {}, "x");
  const ValueId i = b.add_op(ConvertState{over({1}), State::invariant, {}}, {x}, "i");
  const ValueId r = b.add_op(Reinterpret{over({1}), State::replicated}, {i}, "r");
  const ValueId p = b.add_op(ConvertState{over({1}), State::partial, 2}, {r}, "p");
  const ValueId s = b.add_op(AllReduce{over({1}), State::replicated}, {p}, "s");
  const ValueId block = b.add_op(SliceBlock{over({1}), 0}, {s}, "block");
  const ValueId g = b.add_op(AllGather{over({1}), 0, State::replicated}, {block}, "g");
  b.add_op(AxisIndex{over({1, 0})}, {}, "k");
  b.output("y", g, {{{}, 0}});
  EXPECT_EQ(lowered(b), R"(  queue compute
    #0 %x = load @x [-] : f32[4]
    #1 %p = keep_on %x {index=model, owner=2} : f32[4]  frees %x
    #3 %block = take_block %s {dim=0, block=model of 4} : f32[1]  after #2  frees %s
    #5 %k = index {value=model*2+data} : i32[]  frees %k
    #6 store %g {output=@y, block=[-]}  after #4  frees %g
  queue comm model
    #2 %s = all_reduce %p {group=model} : f32[4]  after #1  frees %p
    #4 %g = all_gather %block {group=model, dim=0} : f32[4]  after #3  frees %block
)");
}

TEST_F(PlanLowerTest, SumsSayInWhichPrecision) {
  Builder b = builder();
  ValueId x = b.add_op(Constant{Rational(1), DType::bf16, {4}}, {}, "x");
  x = b.add_op(Reinterpret{over({1}), State::partial}, {x}, "p");
  const ValueId a = b.add_op(AllReduce{over({1}), {}, Reducer::none, SumPrecision::native}, {x}, "a");
  b.add_op(AllReduce{over({1}), {}, Reducer::add, SumPrecision::f32}, {x}, "b");
  b.add_op(AllReduce{over({1}), {}}, {x}, "c");
  b.add_op(ReduceScatter{over({1}), 0, SumPrecision::native}, {x}, "d");
  b.output("y", a, {{{}, 0}});
  ASSERT_TRUE(b.finish().has_value()) << (sink_.diagnostics().empty() ? "" : sink_.diagnostics()[0].message);
  const std::string text = print(lower(module_, ProgramId(0)));
  for (const char* sum :
       {"%a = all_reduce %x {group=model, precision=native} : bf16[4]",
        "%b = all_reduce %x {group=model, precision=f32} : bf16[4]", "%c = all_reduce %x {group=model} : bf16[4]",
        "%d = reduce_scatter %x {group=model, dim=0, precision=native} : bf16[1]"}) {
    EXPECT_NE(text.find(sum), std::string::npos) << sum << "\n" << text;
  }
}

TEST_F(PlanLowerTest, CallsAreInlinedWithTheirLocations) {
  Builder f(module_, "double", mesh_, sink_, BuilderOptions{ProgramKind::function, true, Location()});
  const ValueType type{{DType::f32, {4}}, {State::replicated, State::replicated}, true};
  const ValueId a = f.argument("a", type);
  f.results({f.add_op(Add{}, {a, a}, "twice"), a});
  const ProgramId callee = *f.finish();
  Builder b = builder();
  const ValueId x = b.add_op(View{global("x", {4}), {{{}, 0}}, {}}, {}, "x");
  const std::vector<ValueId> first = b.append(Call{callee}, {x}, {"d", "x2"});
  const std::vector<ValueId> second = b.append(Call{callee}, {first[0]}, {"e", "d2"});
  b.output("y", b.add_op(Add{}, {second[0], first[1]}, "y"), {{{}, 0}});
  const Plan plan = lower(module_, *b.finish());
  ASSERT_EQ(plan.instructions.size(), 5U);
  EXPECT_EQ(plan.value(plan.instructions[1].results[0]).name(), "double.0.twice");
  EXPECT_EQ(plan.value(plan.instructions[2].results[0]).name(), "double.1.twice");
  EXPECT_EQ(plan.instructions[2].operands[0], plan.instructions[1].results[0]);
  EXPECT_EQ(plan.instructions[3].operands[1], plan.instructions[0].results[0]);
  ASSERT_NE(plan.instructions[1].location().outer(), nullptr);
  EXPECT_EQ(plan.instructions[1].location().note(), "inlined here");
}

}  // namespace
}  // namespace isoshard::plan_lower_test

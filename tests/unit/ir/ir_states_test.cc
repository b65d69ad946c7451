// The state tables of docs/types.md, row by row: every combination of two states on one axis.

#include <gmock/gmock.h>

#include <map>
#include <tuple>

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_states_test {
namespace {

using enum State;

class OneAxis : public IrTest {
 protected:
  OneAxis() : IrTest({{"model", 4}}) {}

  /// The result state of a binary op for every ordered pair of "RIVP=", row by row; 'x' is an error.
  template <class MakeOp>
  std::string table(MakeOp make) {
    std::string text;
    for (const char a : std::string("RIVP=")) {
      for (const char b : std::string("RIVP=")) {
        const ValueId x = argument("", std::string(1, a)), y = argument("", std::string(1, b));
        const std::string state = states(apply(make(), {x, y}));
        text += state == "?" ? "x" : state;
      }
      text += ' ';
    }
    return text;
  }
};

TEST_F(OneAxis, JointlyLinearTable) {
  const std::string expected = "RxVxR xIxxI VxVxV xxxPx RIVx= ";
  EXPECT_EQ(table([] { return Add{}; }), expected);
  EXPECT_EQ(table([] { return Subtract{}; }), expected);
  EXPECT_EQ(table([] { return Concatenate{0}; }), expected);
}

TEST_F(OneAxis, BilinearTable) {
  const std::string expected = "RxVPR xIxxI VxVxV PxxxP RIVP= ";
  EXPECT_EQ(table([] { return Multiply{}; }), expected);
  EXPECT_EQ(table([] { return DotGeneral{{{1}, {0}}, {}}; }), expected);
}

TEST_F(OneAxis, DivideTableHasNoPartialDenominator) {
  EXPECT_EQ(table([] { return Divide{}; }), "RxVxR xIxxI VxVxV PxxxP RIVx= ");
}

TEST_F(OneAxis, UnaryLinearKeepsEveryState) {
  for (const char c : std::string("RIVP=")) {
    const std::string s(1, c);
    const ValueId x = argument("", s);
    EXPECT_EQ(states(apply(Negate{}, {x})), s);
    EXPECT_EQ(states(apply(Reshape{{64}}, {x})), s);
    EXPECT_EQ(states(apply(Transpose{{1, 0}}, {x})), s);
    EXPECT_EQ(states(apply(BroadcastInDim{{0, 1}, {8, 8, 3}}, {x})), s);
    EXPECT_EQ(states(apply(Slice{{0, 0}, {2, 8}, {}}, {x})), s);
    EXPECT_EQ(states(apply(Reduce{Reducer::add, {0}, {}}, {x})), s);
  }
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(OneAxis, NonlinearRejectsPartialOnly) {
  for (const char c : std::string("RIV=")) {
    EXPECT_EQ(states(apply(Exponential{}, {argument("", std::string(1, c))})), std::string(1, c));
  }
  const ValueId p = argument("p", "P");
  EXPECT_EQ(states(apply(Tanh{}, {p})), "?");
  EXPECT_EQ(state_errors().back(),
            "S-nonlinear tanh: %p is P over `model`, and tanh of a sum is not the sum of tanh; "
            "all_reduce %p {axis=model, to=...} first");
}

TEST_F(OneAxis, BiasAddedToAPartialSumNamesTheRepair) {
  const ValueId p = argument("p", "P"), b = argument("b", "I");
  EXPECT_EQ(states(apply(Add{}, {p, b})), "?");
  EXPECT_EQ(state_errors().back(),
            "S-linear add: %p (P) and %b (I) do not combine over `model`: the sum over `model` would count the other "
            "operand 4 times; reduce first: all_reduce %p {axis=model, to=...}");
}

TEST_F(OneAxis, ExactZeroMayMeetPartial) {
  const ValueId p = argument("p", "P", {2});
  const ValueId zero = apply(Constant{Rational(0), DType::f32, {2}});
  const ValueId one = apply(Constant{Rational(1), DType::f32, {2}});
  EXPECT_EQ(states(apply(Add{}, {p, zero})), "P");
  EXPECT_EQ(states(apply(Add{}, {apply(Negate{}, {zero}), p})), "P");
  EXPECT_EQ(states(apply(Add{}, {p, one})), "?");
}

TEST_F(OneAxis, AnErrorHasNoFollowUps) {
  const ValueId bad = apply(Add{}, {argument("p", "P"), argument("r", "R")});
  const ValueId later = apply(Multiply{}, {bad, argument("q", "P")});
  EXPECT_EQ(states(apply(AllReduce{over({"model"}), replicated}, {later})), "?");
  EXPECT_EQ(state_errors().size(), 1U);
}

TEST_F(OneAxis, PartialTurnsVaryingIntoPartial) {
  const ValueId v = argument("v", "V"), r = argument("r", "R");
  EXPECT_EQ(states(apply(DotGeneral{{{1}, {0}}, set({"model"})}, {v, v})), "P");
  EXPECT_EQ(states(apply(Reduce{Reducer::add, {0}, set({"model"})}, {v})), "P");
  EXPECT_EQ(states(apply(Reduce{Reducer::add, {0}, set({"model"})}, {r})), "?");
  EXPECT_EQ(state_errors().back(),
            "S-partial reduce: `partial={model}` needs a result that is V there; that of %r (R) is R: no operand is "
            "sharded over `model`; leave it out");
}

/// One collective or conversion: the result for each operand state R I V P =.
struct Row {
  const char* name;
  OpData op;
  const char* results;
};

TEST_F(OneAxis, CollectivesAndConversions) {
  const Group m = over({"model"});
  const std::vector<Row> rows = {
      {"all_reduce to R", AllReduce{m, replicated}, "xxxRx"},
      {"all_reduce to I", AllReduce{m, invariant}, "xxxIx"},
      {"all_gather to R", AllGather{m, 0, replicated}, "xxRxx"},
      {"all_gather to I", AllGather{m, 0, invariant}, "xxIxx"},
      {"reduce_scatter", ReduceScatter{m, 0}, "xxxVx"},
      {"collective_permute", CollectivePermute{m, 1, {}, {}}, "xxVxx"},
      {"convert_state to I", ConvertState{m, invariant, {}}, "Ixxxx"},
      {"convert_state to P", ConvertState{m, partial, 1}, "PPxxP"},
      {"reinterpret to R", Reinterpret{m, replicated}, "xRxxx"},
      {"reinterpret to V", Reinterpret{m, varying}, "VxxxV"},
      {"reinterpret to P", Reinterpret{m, partial}, "PxPxP"},
      {"slice_block", SliceBlock{m, 1}, "VVxxV"},
  };
  for (const Row& row : rows) {
    std::string got;
    for (const char c : std::string("RIVP=")) {
      const std::string state = states(apply(row.op, {argument("", std::string(1, c))}));
      got += state == "?" ? "x" : state;
    }
    EXPECT_EQ(got, row.results) << row.name;
  }
}

TEST_F(OneAxis, AllReduceOfAReducedValueIsADoubleReduction) {
  apply(AllReduce{over({"model"}), replicated}, {argument("r", "R")});
  EXPECT_EQ(
      state_errors().back(),
      "S-all_reduce all_reduce: the operand %r is R over `model`; expected P: every device already holds the same "
      "value, so the sum is 4x too large (one reduction too many?); leave the op out");
  apply(ReduceScatter{over({"model"}), 0}, {argument("v", "V")});
  EXPECT_EQ(
      state_errors().back(),
      "S-reduce_scatter reduce_scatter: the operand %v is V over `model`; expected P: if each device holds one term "
      "of a sum, say so where the terms arise: partial={model} on the dot_general, convolution or reduce");
}

TEST_F(OneAxis, RepairsOfConversionsAndExchangesNameWhatToWrite) {
  const Group m = over({"model"});
  const std::string wrong = " over `model` and cannot become ", first = " first if every device is to send the same";
  const std::vector<std::tuple<OpData, const char*, std::string>> cases = {
      {ConvertState{m, invariant, {}}, "V", wrong + "I; expected R: all_gather %x {axis=model, dim=..., to=I}"},
      {ConvertState{m, invariant, {}}, "P", wrong + "I; expected R: all_reduce %x {axis=model, to=I}"},
      {ConvertState{m, invariant, {}}, "=", wrong + "I; expected R: = acts as R or I already; leave the op out"},
      {ConvertState{m, partial, 0}, "V",
       wrong + "P; expected R, I or =: reinterpret %x {axis=model, to=P} if the devices hold terms of a sum"},
      {Reinterpret{m, varying}, "I",
       wrong + "V; expected R or =: slice_block %x {axis=model, dim=...} for each device's own block, or first "
               "reinterpret %x {axis=model, to=R}"},
      {Reinterpret{m, varying}, "P",
       wrong + "V; expected R or =: reduce_scatter %x {axis=model, dim=...}, or first all_reduce %x {axis=model, "
               "to=...}"},
      {Reinterpret{m, partial}, "I", wrong + "P; expected R, V or =: convert_state %x {axis=model, to=P, owner=...}"},
      {Reinterpret{m, replicated}, "R", wrong + "R; expected I: it is R already; leave the op out"},
      {PlaceBlock{m, 0}, "P", wrong + "P; expected V, the device's own block: it is P already; leave the op out"},
      {AssertEqual{m}, "P",
       wrong + "R; expected V: its devices hold terms of a sum; all_reduce %x {axis=model, to=...}"},
      {CollectivePermute{m, 1, {}, {}}, "I",
       " over `model`; expected V: reinterpret %x {axis=model, to=R} and that to V" + first},
      {AllGather{m, 0, replicated}, "P",
       " over `model`; expected V: its devices hold terms of a sum; reduce_scatter %x {axis=model, dim=...}, or first "
       "all_reduce %x {axis=model, to=...}"},
      {AllGather{m, 0, replicated}, "R",
       " over `model`; expected V: every device already holds it: leave the op out, or reinterpret %x {axis=model, "
       "to=V}" +
           first + " block"},
  };
  for (const auto& [op, state, message] : cases) {
    apply(op, {argument("x", state)});
    EXPECT_THAT(state_errors().back(), ::testing::EndsWith(std::string("%x is ") + state + message));
  }
}

TEST_F(OneAxis, AVaryingOperandBesideAPartialOneMayHoldTermsToo) {
  apply(Add{}, {argument("v", "V"), argument("p", "P")});
  EXPECT_EQ(state_errors().back(),
            "S-linear add: %v (V) and %p (P) do not combine over `model`: if %v holds terms of the same sum, "
            "reinterpret %v {axis=model, to=P}; otherwise reduce first: all_reduce %p {axis=model, to=...}");
}

TEST_F(OneAxis, ToIsRequiredExactlyForGradients) {
  const Group m = over({"model"});
  EXPECT_EQ(states(apply(AllReduce{m, {}}, {argument("p", "P")})), "?");
  EXPECT_EQ(state_errors().back().substr(0, 50), "S-to all_reduce: needs `to=R` or `to=I`: %p has a ");
  const ValueId index = apply(AxisIndex{m});
  const ValueId counts = apply(Reinterpret{m, partial}, {index});
  EXPECT_EQ(states(index), "V");
  EXPECT_EQ(states(apply(AllReduce{m, {}}, {counts})), "=");
  EXPECT_EQ(states(apply(AllReduce{m, replicated}, {counts})), "?");
}

TEST_F(OneAxis, ConstantsAreEqualAndHaveNoGradient) {
  const ValueId c = apply(Constant{Rational(1, 2), DType::f32, {8, 8}});
  EXPECT_EQ(states(c), "=");
  EXPECT_FALSE(builder_.type(c).has_gradient);
  EXPECT_TRUE(builder_.type(apply(Multiply{}, {c, argument("r", "R")})).has_gradient);
}

TEST_F(IrTest, ViewsReadVaryingOnSplittingAxes) {
  const GlobalId w = global("W", {8, 8});
  const Layout rows = {ViewEntry{over({"model"}), 0}, ViewEntry{}};
  EXPECT_EQ(states(apply(View{w, rows, {}})), "RV");
  EXPECT_EQ(states(apply(View{w, rows, set({"data"})})), "IV");
  EXPECT_EQ(states(apply(View{w, rows, set({"model"})})), "R?");
  EXPECT_EQ(states(apply(View{global("t", {8, 8}, Role::constant), rows, {}})), "=V");
  EXPECT_EQ(states(apply(View{global("i", {8, 8}, Role::input, DType::i32), rows, {}})), "=V");
}

TEST_F(IrTest, OtherAxesKeepTheirState) {
  const ValueId x = argument("x", "PV");
  EXPECT_EQ(states(apply(CollectivePermute{over({"model"}), 1, {}, {}}, {x})), "PV");
  EXPECT_EQ(states(apply(AllReduce{over({"data"}), invariant}, {x})), "IV");
  const ValueId both = argument("y", "PP");
  EXPECT_EQ(states(apply(AllReduce{over({"data", "model"}), replicated}, {both})), "RR");
  EXPECT_EQ(states(apply(AllReduce{over({"data", "model"}), replicated}, {x})), "R?");
}

TEST_F(IrTest, ACallTakesTheStatesOfItsInstance) {
  Builder callee(module_, "g", mesh_, sink_, BuilderOptions{ProgramKind::function, true, Location()});
  const ValueId a = callee.argument("a", ValueType{{DType::f32, {4}}, {varying, replicated}, true});
  callee.results({callee.add_op(Negate{}, {a})});
  const ProgramId id = *callee.finish();
  EXPECT_EQ(states(apply(Call{id}, {argument("x", "VR", {4})})), "VR");
  EXPECT_EQ(apply(Call{id}, {argument("y", "VR", {5})}).valid(), false);
  EXPECT_EQ(last_error(), "T-call call: argument 0 is f32[5]; expected f32[4] for %a of @g");
}

class Untyped : public IrTest {
 protected:
  Untyped() : IrTest({{"data", 2}, {"model", 4}}, false) {}
};

TEST_F(Untyped, OnlyEqualAndVaryingExist) {
  const GlobalId w = global("W", {8, 8});
  const ValueId v = apply(View{w, {ViewEntry{over({"model"}), 0}, ViewEntry{}}, {}});
  const ValueId e = apply(View{w, {ViewEntry{}, ViewEntry{}}, {}});
  EXPECT_EQ(states(v), "=V");
  EXPECT_EQ(states(e), "==");
  EXPECT_EQ(states(apply(Exponential{}, {v})), "=V");
  EXPECT_EQ(states(apply(AllReduce{over({"model"}), {}}, {e})), "==");
  EXPECT_EQ(states(apply(AllGather{over({"model"}), 0, {}}, {v})), "==");
  EXPECT_EQ(states(apply(ReduceScatter{over({"model"}), 0}, {e})), "=V");
  EXPECT_EQ(states(apply(CollectivePermute{over({"data"}), 1, {}, {}}, {v})), "VV");
  EXPECT_EQ(states(apply(SliceBlock{over({"model"}), 0}, {e})), "=V");
  EXPECT_TRUE(state_errors().empty());
  apply(Reinterpret{over({"model"}), partial}, {v});
  apply(Reduce{Reducer::add, {0}, set({"model"})}, {v});
  apply(AllReduce{over({"model"}), replicated}, {v});
  ASSERT_EQ(state_errors().size(), 3U);
  EXPECT_EQ(state_errors()[2], "S-untyped all_reduce: untyped programs have only = and V; leave `to` out");
  EXPECT_EQ(state_errors()[0], "S-untyped reinterpret: untyped programs have only = and V; leave the op out");
}

class Returns : public ::testing::Test {
 protected:
  /// The return errors of a program that returns view @x [layout] as laid out by `out`.
  std::vector<std::string> errors(const Layout& in, const Layout& out, bool typed) {
    Module module;
    DiagnosticSink sink;
    auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"model", 4}});
    module.globals.push_back(Global{"x", {DType::f32, {8}}, Role::input, {}, {}});
    Builder builder(module, "p", mesh, sink, BuilderOptions{ProgramKind::program, typed, {}});
    builder.output("y", builder.add_op(View{GlobalId(0), in, {}}, {}, "v"), out);
    std::vector<std::string> result;
    for (const Diagnostic& d : builder.program().state_errors()) result.push_back(d.rule + " " + d.message);
    return result;
  }
  const Layout whole = {ViewEntry{}};
  const Layout split = {ViewEntry{Group{{AxisId(0)}}, 0}};
};

TEST_F(Returns, VaryingNeedsASplittingLayout) {
  EXPECT_TRUE(errors(whole, whole, true).empty());
  EXPECT_TRUE(errors(split, split, true).empty());
  EXPECT_TRUE(errors(split, whole, false).empty());
  ASSERT_EQ(errors(split, whole, true).size(), 1U);
  EXPECT_EQ(errors(split, whole, true)[0],
            "S-return return: %v for @y is V over `model`: the devices hold different values and the layout does not "
            "split over it; all_gather it, or name the axis in the layout");
}

}  // namespace
}  // namespace isoshard::ir_states_test

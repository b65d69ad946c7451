// Shapes and dtypes of every op: one right use, and each rule's wrong use with its exact message.

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_shapes_test {
namespace {

class Shapes : public IrTest {
 protected:
  ValueId f32(Shape shape) { return argument("", "RR", std::move(shape)); }
  ValueId i32(Shape shape) { return argument("", "==", std::move(shape), DType::i32); }
  ValueId pred(Shape shape) { return argument("", "==", std::move(shape), DType::pred); }
  /// The error of a wrong op; the op must not have been made.
  std::string error(OpData op, std::vector<ValueId> operands = {}) {
    EXPECT_FALSE(apply(std::move(op), std::move(operands)).valid());
    return last_error();
  }
};

TEST_F(Shapes, Convert) {
  EXPECT_EQ(shape(apply(Convert{DType::i64}, {f32({2, 3})})), "i64[2,3]");
  EXPECT_EQ(error(Convert{DType::key}, {f32({2})}),
            "T-convert convert: converts f32[2] to key; expected numbers or predicates, not keys");
}

TEST_F(Shapes, Elementwise) {
  EXPECT_EQ(shape(apply(Add{}, {f32({2, 3}), f32({2, 3})})), "f32[2,3]");
  EXPECT_EQ(shape(apply(Add{}, {i32({}), i32({})})), "i32[]");
  EXPECT_EQ(error(Add{}, {f32({2}), f32({3})}),
            "T-shape add: the operands are f32[2] and f32[3]; expected one shape (use broadcast_in_dim, nothing is "
            "broadcast silently)");
  EXPECT_EQ(error(Add{}, {f32({2}), i32({2})}), "T-dtype add: the operands are f32[2] and i32[2]; expected one dtype");
  EXPECT_EQ(error(Negate{}, {pred({})}),
            "T-numeric negate: the operand is pred[]; expected numbers, not predicates or keys");
  EXPECT_EQ(error(Tanh{}, {i32({2})}),
            "T-float tanh: the operand is i32[2]; expected floats, not integers, predicates or keys");
  EXPECT_EQ(error(Divide{}, {i32({2}), i32({2})}),
            "T-float divide: the operands are i32[2]; expected floats, not integers, predicates or keys");
}

TEST_F(Shapes, Constants) {
  EXPECT_EQ(shape(apply(Constant{Rational(1, 3), DType::f64, {2, 0}})), "f64[2,0]");
  EXPECT_EQ(shape(apply(Constant{Rational(-5), DType::i32, {}})), "i32[]");
  EXPECT_EQ(error(Constant{Rational(1, 3), DType::i32, {}}),
            "T-constant constant: the value 1/3 is not representable as i32; expected a 32-bit integer");
  EXPECT_EQ(error(Constant{Rational(2), DType::pred, {}}),
            "T-constant constant: the value 2 is not representable as pred; expected 0 or 1");
  EXPECT_EQ(error(Constant{Rational::infinity(false), DType::i32, {}}),
            "T-constant constant: the value inf is not representable as i32; expected a 32-bit integer");
  EXPECT_EQ(error(Constant{Rational(0), DType::f32, {-1}}),
            "T-size constant: the shape [-1] is not possible; expected sizes of at least 0 and at most 2^40 elements");
}

TEST_F(Shapes, BroadcastInDim) {
  EXPECT_EQ(shape(apply(BroadcastInDim{{1}, {2, 3}}, {f32({3})})), "f32[2,3]");
  EXPECT_EQ(shape(apply(BroadcastInDim{{0, 1}, {2, 3}}, {f32({1, 3})})), "f32[2,3]");
  EXPECT_EQ(error(BroadcastInDim{{1}, {2, 3}}, {f32({4})}),
            "T-broadcast broadcast_in_dim: operand dim 0 with size 4 maps to result dim 1 with size 3; expected equal "
            "sizes or 1");
  EXPECT_EQ(
      error(BroadcastInDim{{}, {2}}, {f32({2})}),
      "T-broadcast broadcast_in_dim: dims has 0 entries for an operand f32[2]; expected one per operand dimension");
  EXPECT_EQ(error(BroadcastInDim{{2}, {2}}, {f32({2})}),
            "T-dim broadcast_in_dim: dim 2 is out of range for a tensor of rank 1; expected 0 to 0");
}

TEST_F(Shapes, ReshapeTransposeSliceConcatenate) {
  EXPECT_EQ(shape(apply(Reshape{{3, 2}}, {f32({6})})), "f32[3,2]");
  EXPECT_EQ(error(Reshape{{4}}, {f32({6})}), "T-reshape reshape: the operand f32[6] has 6 elements and [4] has 4");
  EXPECT_EQ(shape(apply(Transpose{{2, 0, 1}}, {f32({2, 3, 4})})), "f32[4,2,3]");
  EXPECT_EQ(error(Transpose{{0}}, {f32({2, 3})}),
            "T-transpose transpose: permutation has 1 entries for an operand f32[2,3]; expected one per dimension");
  EXPECT_EQ(error(Transpose{{0, 0}}, {f32({2, 3})}),
            "T-dim transpose: dim 0 is named twice; expected each dimension once");
  EXPECT_EQ(shape(apply(Slice{{1, 0}, {4, 5}, {2, 2}}, {f32({4, 5})})), "f32[2,3]");
  EXPECT_EQ(error(Slice{{2}, {5}, {}}, {f32({4})}),
            "T-slice slice: the range 2..5 step 1 does not fit dim 0 with size 4; expected 0 <= start <= limit <= size "
            "and step >= 1");
  EXPECT_EQ(error(Slice{{2}, {3}, {}}, {f32({4, 4})}),
            "T-slice slice: start, limit and strides need one entry per dimension of f32[4,4]");
  EXPECT_EQ(shape(apply(Concatenate{1}, {f32({2, 3}), f32({2, 1}), f32({2, 0})})), "f32[2,4]");
  EXPECT_EQ(error(Concatenate{1}, {f32({2, 3}), f32({3, 3})}),
            "T-concatenate concatenate: operand 1 is f32[3,3] and operand 0 is f32[2,3]; expected one dtype and equal "
            "sizes except in dim 1");
}

TEST_F(Shapes, DotGeneral) {
  EXPECT_EQ(shape(apply(DotGeneral{{{1}, {0}}, {}}, {f32({2, 3}), f32({3, 5})})), "f32[2,5]");
  EXPECT_EQ(shape(apply(DotGeneral{{{0, 2}, {1, 0}}, {}}, {f32({2, 3, 4}), f32({4, 2, 5})})), "f32[3,5]");
  EXPECT_EQ(shape(apply(DotGeneral{{{}, {}}, {}}, {f32({2}), f32({3})})), "f32[2,3]");
  EXPECT_EQ(error(DotGeneral{{{1}, {0}}, {}}, {f32({2, 3}), f32({4, 5})}),
            "T-dot dot_general: contracts lhs dim 1 with size 3 and rhs dim 0 with size 4 (f32[2,3] x f32[4,5]); "
            "expected equal sizes");
  EXPECT_EQ(error(DotGeneral{{{1}, {}}, {}}, {f32({2, 3}), f32({4, 5})}),
            "T-dot dot_general: contract pairs 1 dims with 0; expected equal counts");
  EXPECT_EQ(error(DotGeneral{{{1}, {0}}, {}}, {f32({2, 3}), i32({3, 5})}),
            "T-dtype dot_general: the operands are f32[2,3] and i32[3,5]; expected one numeric dtype");
}

TEST_F(Shapes, Collectives) {
  const ValueId x = argument("x", "VV", {8, 6});
  EXPECT_EQ(shape(apply(AllGather{over({"data", "model"}), 1, State::replicated}, {x})), "f32[8,48]");
  EXPECT_EQ(shape(apply(ReduceScatter{over({"model"}), 0}, {x})), "f32[2,6]");
  EXPECT_EQ(error(ReduceScatter{over({"model"}), 1}, {x}),
            "T-divide reduce_scatter: dim 1 with size 6 is not divisible by 4, the size of model");
  EXPECT_EQ(error(SliceBlock{over({"model"}), 1}, {x}),
            "T-divide slice_block: dim 1 with size 6 is not divisible by 4, the size of model");
  EXPECT_EQ(error(AllGather{over({"model"}), 2, State::replicated}, {x}),
            "T-dim all_gather: dim 2 is out of range for a tensor of rank 2; expected 0 to 1");
  EXPECT_EQ(error(AllReduce{{}, State::replicated}, {x}),
            "V-group all_reduce: `axis` is missing; expected one axis or a tuple of different axes");
  EXPECT_EQ(
      error(AllReduce{over({"data", "data"}), State::replicated}, {x}),
      "V-group all_reduce: `axis` is a tuple with a repeated axis; expected one axis or a tuple of different axes");
}

TEST_F(Shapes, Permute) {
  const ValueId x = argument("x", "VV");
  const Group m = over({"model"});
  EXPECT_TRUE(apply(CollectivePermute{m, {}, {{0, 1}, {1, 0}, {2, 2}}, {}}, {x}).valid());
  EXPECT_TRUE(apply(CollectivePermute{over({"model", "data"}), 1, {}, PermuteOrder::mesh}, {x}).valid());
  EXPECT_EQ(error(CollectivePermute{m, {}, {}, {}}, {x}),
            "T-permute collective_permute: needs exactly one of `shift` and `pairs`");
  EXPECT_EQ(error(CollectivePermute{m, {}, {{0, 4}}, {}}, {x}),
            "T-permute collective_permute: the pair (0, 4) is outside 0 to 3");
  EXPECT_EQ(error(CollectivePermute{m, {}, {{0, 1}, {2, 1}}, {}}, {x}),
            "T-permute collective_permute: the pair (2, 1) repeats a source or a target; expected each at most once");
  EXPECT_EQ(error(CollectivePermute{over({"model", "data"}), 1, {}, {}}, {x}),
            "T-permute-order collective_permute: the tuple (model, data) is not in mesh order; say `order=tuple` or "
            "`order=mesh`");
}

TEST_F(Shapes, Conversions) {
  const ValueId r = argument("r", "RR");
  const Group m = over({"model"});
  EXPECT_EQ(error(ConvertState{m, State::partial, {}}, {r}),
            "T-owner convert_state: `to=P` needs `owner=k`, the index that keeps the value");
  EXPECT_EQ(error(ConvertState{m, State::partial, 4}, {r}), "T-owner convert_state: owner 4 is outside 0 to 3");
  EXPECT_EQ(error(ConvertState{m, State::invariant, 1}, {r}),
            "T-owner convert_state: `owner` is only for `to=P`; leave it out");
  EXPECT_EQ(error(ConvertState{m, State::varying, {}}, {r}),
            "T-convert-state convert_state: `to` is V; expected I or P (reinterpret gives R and V)");
  EXPECT_EQ(error(Reinterpret{m, State::invariant}, {r}),
            "T-reinterpret reinterpret: `to` is I; expected R, V or P (convert_state gives I)");
}

TEST_F(Shapes, Views) {
  const GlobalId w = global("W", {8, 6});
  const ViewEntry model{over({"model"}), -2};
  EXPECT_EQ(shape(apply(View{w, {model, ViewEntry{}}, {}})), "f32[2,6]");
  EXPECT_EQ(
      error(View{w, {ViewEntry{}, model}, {}}),
      "T-divide view: dim 1 of @W with size 6 is not divisible by 4, the size of model; `uneven model-2` splits it "
      "into blocks of 2 with padding");
  EXPECT_EQ(error(View{w, {model}, {}}),
            "T-layout view @W has 1 layout entries for rank 2; expected one entry per dimension");
  const GlobalId square = global("S", {8, 8});
  EXPECT_EQ(shape(apply(View{square, {model, ViewEntry{over({"model"})}}, {}})), "f32[2,2]");
  EXPECT_EQ(error(View{w, {ViewEntry{over({"model", "model"})}, ViewEntry{}}, {}}),
            "T-layout view @W splits over `model` twice; expected each axis at most once in an entry");
}

TEST_F(Shapes, OperandCountsAndPoison) {
  const ValueId x = f32({2});
  EXPECT_EQ(error(Add{}, {x}), "V-operands add: has 1 operands; expected 2");
  EXPECT_EQ(error(Concatenate{0}, {}), "V-operands concatenate: has 0 operands; expected at least 1");
  const size_t before = sink_.error_count();
  EXPECT_FALSE(apply(Negate{}, {ValueId()}).valid());
  EXPECT_EQ(sink_.error_count(), before) << "an op on an invalid value must not report again";
  builder_.results({x});
  EXPECT_FALSE(builder_.finish().has_value()) << "a program with errors is not a program";
}

TEST(Builder, OutputsNameAnAxisOnce) {
  Module module;
  DiagnosticSink sink;
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"model", 2}});
  module.globals.push_back(Global{"x", {DType::f32, {4, 4}}, Role::input, {}, {}});
  Builder builder(module, "p", mesh, sink);
  const ViewEntry model{Group{{AxisId(0)}}};
  builder.output("y", builder.add_op(View{GlobalId(0), {model, model}, {}}, {}), {model, model});
  EXPECT_FALSE(builder.finish().has_value());
  EXPECT_EQ(sink.diagnostics().back().message,
            "return @y splits over `model` twice; expected each axis at most once in the layout, or the blocks would "
            "not tile the output");
}

TEST(Builder, ProgramsReturnEachOutputOnce) {
  Module module;
  DiagnosticSink sink;
  module.globals.push_back(Global{"x", {DType::f32, {4}}, Role::input, {}, {}});
  Builder empty(module, "p", std::make_shared<Mesh>(), sink);
  EXPECT_FALSE(empty.finish().has_value());
  EXPECT_EQ(
      sink.diagnostics().back().message,
      "program @p returns nothing; expected `return @name = %value [layout]` or `update @global = %value [layout]`");
  Builder twice(module, "q", std::make_shared<Mesh>(), sink);
  const ValueId x = twice.add_op(View{GlobalId(0), {ViewEntry{}}, {}}, {});
  twice.output("y", x, {ViewEntry{}});
  twice.output("y", x, {ViewEntry{}});
  EXPECT_FALSE(twice.finish().has_value());
  EXPECT_EQ(sink.diagnostics().back().message, "return: output @y is returned twice; expected one return per output");
  EXPECT_EQ(sink.diagnostics().back().rule, "V-output");
}

TEST(MeshTest, PositionsGroupsAndCoordinates) {
  const Mesh mesh("m", {{"data", 2}, {"model", 3}, {"pp", 5}});
  EXPECT_EQ(mesh.device_count(), 30);
  const Group tuple{{AxisId(2), AxisId(0)}};
  for (int64_t p = 0; p < 30; ++p) {
    EXPECT_EQ(mesh.coordinate(p, AxisId(0)) * 15 + mesh.coordinate(p, AxisId(1)) * 5 + mesh.coordinate(p, AxisId(2)),
              p);
    EXPECT_EQ(mesh.index_in(tuple, p), mesh.coordinate(p, AxisId(2)) * 2 + mesh.coordinate(p, AxisId(0)));
    EXPECT_EQ(mesh.member(tuple, p, mesh.index_in(tuple, p)), p);
    EXPECT_EQ(mesh.leader(Group{}, p), p);
  }
  EXPECT_EQ(mesh.to_string(tuple), "(pp, data)");
  const Mesh reordered("m", {{"x", 2}}, {1, 0});
  EXPECT_EQ(reordered.device(0), 1);
  EXPECT_EQ(Mesh("m", {{"x", 2}}, {0, 1}), Mesh("m", {{"x", 2}}));
}

TEST(ViewTest, BlocksWrapAround) {
  const Mesh mesh("m", {{"model", 4}});
  const ViewEntry shifted{Group{{AxisId(0)}}, -3};
  EXPECT_EQ(block_index(shifted, mesh, 0), 1);
  EXPECT_EQ(block_index(shifted, mesh, 3), 0);
  EXPECT_EQ(block_index(ViewEntry{}, mesh, 3), 0);
  EXPECT_EQ(to_string(Layout{shifted, ViewEntry{}}, mesh), "[model-3, -]");
  EXPECT_EQ(global_shape({2, 5}, {shifted, ViewEntry{}}, mesh), (Shape{8, 5}));
}

}  // namespace
}  // namespace isoshard::ir_shapes_test

// Shapes, dtypes and states of ops that move elements: one right use, and each rule's wrong use with its exact message.

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_movement_test {
namespace {

using enum State;

class Movement : public IrTest {
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

TEST_F(Movement, DotGeneralBatches) {
  EXPECT_EQ(shape(apply(DotGeneral{{{2}, {1}}, {}, {{0}, {0}}}, {f32({7, 2, 3}), f32({7, 3, 5})})), "f32[7,2,5]");
  EXPECT_EQ(shape(apply(DotGeneral{{{}, {}}, {}, {{1, 0}, {0, 2}}}, {f32({2, 3, 4}), f32({3, 5, 2})})), "f32[3,2,4,5]");
  EXPECT_EQ(shape(apply(DotGeneral{{{1}, {0}}, {}}, {i32({2, 3}), i32({3, 5})})), "i32[2,5]");
  EXPECT_EQ(error(DotGeneral{{{2}, {1}}, {}, {{0}, {0}}}, {f32({7, 2, 3}), f32({6, 3, 5})}),
            "T-dot dot_general: batches lhs dim 0 with size 7 and rhs dim 0 with size 6 (f32[7,2,3] x f32[6,3,5]); "
            "expected equal sizes");
  EXPECT_EQ(error(DotGeneral{{{0}, {0}}, {}, {{0}, {1}}}, {f32({3, 2}), f32({3, 3})}),
            "T-dot dot_general: lhs dim 0 is in contract and in batch; expected one of them");
  EXPECT_EQ(error(DotGeneral{{{1}, {0}}, {}, {{0}, {}}}, {f32({3, 2}), f32({2, 3})}),
            "T-dot dot_general: batch pairs 1 dims with 0; expected equal counts");
}

TEST_F(Movement, Places) {
  EXPECT_EQ(shape(apply(Iota{DType::i64, {2, 3}, 1})), "i64[2,3]");
  EXPECT_EQ(error(Iota{DType::pred, {2}, 0}), "T-numeric iota: `dtype` is pred; expected numbers");
  EXPECT_EQ(error(Iota{DType::f32, {2}, 1}),
            "T-dim iota: dim 1 is out of range for a tensor of rank 1; expected 0 to 0");
  EXPECT_EQ(shape(apply(Pad{{0, 1}, {2, 3}}, {f32({2, 3}), f32({})})), "f32[4,7]");
  EXPECT_EQ(error(Pad{{0}, {0}}, {f32({2}), f32({1})}),
            "T-pad pad: the padding value is f32[1]; expected a scalar f32");
  EXPECT_EQ(error(Pad{{0}, {0}}, {f32({2, 2}), f32({})}),
            "T-pad pad: low and high need one entry per dimension of f32[2,2]");
  EXPECT_EQ(error(Pad{{0, -1}, {0, 0}}, {f32({2, 2}), f32({})}),
            "T-pad pad: the padding -1, 0 of dim 1 is negative; slice takes elements away");
  EXPECT_EQ(shape(apply(Reverse{{1, 0}}, {f32({2, 3})})), "f32[2,3]");
  EXPECT_EQ(error(Reverse{{1, 1}}, {f32({2, 3})}), "T-dim reverse: dim 1 is named twice; expected each dimension once");
}

TEST_F(Movement, DynamicSlices) {
  EXPECT_EQ(shape(apply(DynamicSlice{{1, 3}}, {f32({2, 3}), i32({}), i32({})})), "f32[1,3]");
  EXPECT_EQ(shape(apply(DynamicSlice{{}}, {f32({})})), "f32[]");
  EXPECT_EQ(error(DynamicSlice{{1, 3}}, {f32({2, 3}), i32({})}),
            "T-starts dynamic_slice: has 1 starts for an array f32[2,3]; expected one integer scalar per dimension");
  EXPECT_EQ(error(DynamicSlice{{1}}, {f32({2}), f32({})}),
            "T-starts dynamic_slice: start 0 is f32[]; expected an integer scalar");
  EXPECT_EQ(error(DynamicSlice{{1, 4}}, {f32({2, 3}), i32({}), i32({})}),
            "T-block dynamic_slice: `sizes` [1,4] does not fit into the operand f32[2,3]; expected one size per "
            "dimension, from 0 to that of the operand");
  EXPECT_EQ(shape(apply(DynamicUpdateSlice{}, {f32({2, 3}), f32({2, 1}), i32({}), i32({})})), "f32[2,3]");
  EXPECT_EQ(error(DynamicUpdateSlice{}, {f32({2}), f32({3}), i32({})}),
            "T-block dynamic_update_slice: the update [3] does not fit into the operand f32[2]; expected one size per "
            "dimension, from 0 to that of the operand");
  EXPECT_EQ(error(DynamicUpdateSlice{}, {f32({2}), i32({1}), i32({})}),
            "T-dtype dynamic_update_slice: the operands are f32[2] and i32[1]; expected one dtype");
  EXPECT_EQ(error(DynamicUpdateSlice{}, {f32({2})}),
            "T-starts dynamic_update_slice: has 0 starts for an array f32[2]; expected one integer scalar per "
            "dimension");
}

TEST_F(Movement, GatherAndScatter) {
  EXPECT_EQ(shape(apply(Gather{1}, {f32({2, 9, 3}), i32({4, 5})})), "f32[2,4,5,3]");
  EXPECT_EQ(shape(apply(Gather{2, 1}, {f32({2, 3, 9}), i32({2})})), "f32[2,3]");
  EXPECT_EQ(error(Gather{0}, {f32({2}), f32({4})}), "T-index gather: the indices are f32[4]; expected integers");
  EXPECT_EQ(error(Gather{2}, {f32({2, 2}), i32({4})}),
            "T-dim gather: dim 2 is out of range for a tensor of rank 2; expected 0 to 1");
  EXPECT_EQ(error(Gather{1, 1}, {f32({2, 9}), i32({3})}),
            "T-gather gather: `batch` is 1, and dim 0 of f32[2,9] is 2 but that of the indices i32[3] is 3; expected "
            "equal leading dimensions");
  EXPECT_EQ(error(Gather{1, 2}, {f32({2, 9}), i32({2, 9})}),
            "T-gather gather: `batch` is 2 for f32[2,9] indexed along dim 1 by i32[2,9]; expected the number of equal "
            "leading dimensions, at most 1");
  EXPECT_EQ(error(Gather{0}, {f32({0, 2}), i32({3})}),
            "T-gather gather: dim 0 of f32[0,2] has no elements to pick from");
  EXPECT_EQ(shape(apply(ScatterAdd{0}, {f32({9, 3}), i32({4}), f32({4, 3})})), "f32[9,3]");
  EXPECT_EQ(error(ScatterAdd{0}, {f32({9, 3}), i32({4}), f32({4})}),
            "T-scatter scatter_add: the updates are f32[4]; expected f32[4,3], what gather would give");
  EXPECT_EQ(error(ScatterAdd{0}, {pred({9}), i32({4}), pred({4})}),
            "T-numeric scatter_add: the operand is pred[9]; expected numbers");
}

TEST_F(Movement, Exchanges) {
  const ValueId x = argument("x", "VV", {8, 6});
  EXPECT_EQ(shape(apply(AllToAll{over({"model"}), 0, 1}, {x})), "f32[2,24]");
  EXPECT_EQ(shape(apply(AllToAll{over({"model", "data"}), 0, 0}, {x})), "f32[8,6]");
  EXPECT_EQ(error(AllToAll{over({"model"}), 1, 0}, {x}),
            "T-divide all_to_all: dim 1 with size 6 is not divisible by 4, the size of model");
  EXPECT_EQ(error(AllToAll{over({"model"}), 0, 2}, {x}),
            "T-dim all_to_all: dim 2 is out of range for a tensor of rank 2; expected 0 to 1");
  EXPECT_EQ(shape(apply(PlaceBlock{over({"model"}), 1}, {x})), "f32[8,24]");
  EXPECT_EQ(error(PlaceBlock{over({"model"}), 2}, {x}),
            "T-dim place_block: dim 2 is out of range for a tensor of rank 2; expected 0 to 1");
  EXPECT_EQ(error(PlaceBlock{over({"model"}), 0}, {argument("m", "VV", {8}, DType::pred)}),
            "T-numeric place_block: the operand is pred[8]; expected numbers, because P is a sum");
  EXPECT_EQ(shape(apply(AssertEqual{over({"model"})}, {x})), "f32[8,6]");
}

class MovementStates : public IrTest {
 protected:
  MovementStates() : IrTest({{"model", 4}}) {}

  ValueId data(char state) { return argument("", std::string(1, state), {8}); }
  ValueId index(char state, Shape shape = {}) {
    return argument("", std::string(1, state), std::move(shape), DType::i32);
  }
  std::string letter_of(ValueId value) {
    const std::string state = states(value);
    return state == "?" ? "x" : state;
  }
  /// The result state for each data state R I V P =; 'x' is an error.
  template <class Make>
  std::string row(Make make) {
    std::string text;
    for (const char c : std::string("RIVP=")) text += letter_of(make(c));
    return text;
  }
  /// The same for every ordered pair, row by row.
  template <class Make>
  std::string table(Make make) {
    std::string text;
    for (const char a : std::string("RIVP=")) text += row([&](char b) { return make(a, b); }) + ' ';
    return text;
  }
};

constexpr const char* kJoined = "RxVxR xIxxI VxVxV xxxPx RIVx= ";
constexpr const char* kJoinedByVarying = "VxVxV xxxxx VxVxV xxxxx VxVxV ";
constexpr const char* kNothing = "xxxxx xxxxx xxxxx xxxxx xxxxx ";

TEST_F(MovementStates, IndicesOfOneOperand) {
  const std::vector<std::pair<char, const char*>> rows = {{'=', "RIVP="}, {'V', "VxVxV"}, {'P', "xxxxx"}};
  for (const auto& [selector, expected] : rows) {
    const ValueId start = index(selector), ids = index(selector, {3});
    EXPECT_EQ(row([&](char c) { return apply(DynamicSlice{{2}}, {data(c), start}); }), expected) << selector;
    EXPECT_EQ(row([&](char c) { return apply(Gather{0}, {data(c), ids}); }), expected) << selector;
  }
}

TEST_F(MovementStates, IndicesOfJoinedOperands) {
  const std::vector<std::pair<char, const char*>> tables = {{'=', kJoined}, {'V', kJoinedByVarying}, {'P', kNothing}};
  for (const auto& [selector, expected] : tables) {
    const ValueId start = index(selector), ids = index(selector, {8});
    const auto update = [&](char a, char b) { return apply(DynamicUpdateSlice{}, {data(a), data(b), start}); };
    const auto scatter = [&](char a, char b) { return apply(ScatterAdd{0}, {data(a), ids, data(b)}); };
    EXPECT_EQ(table(update), expected) << selector;
    EXPECT_EQ(table(scatter), expected) << selector;
  }
}

TEST_F(MovementStates, SelectJoinsByItsPredicate) {
  const std::vector<std::pair<char, const char*>> tables = {{'=', kJoined}, {'V', kJoinedByVarying}, {'P', kNothing}};
  for (const auto& [selector, expected] : tables) {
    const ValueId pred = argument("", std::string(1, selector), {8}, DType::pred);
    EXPECT_EQ(table([&](char a, char b) { return apply(Select{}, {pred, data(a), data(b)}); }), expected) << selector;
  }
}

TEST_F(MovementStates, PadJoinsAndReverseKeeps) {
  const auto pad = [&](char a, char b) { return apply(Pad{{1}, {0}}, {data(a), argument("", std::string(1, b), {})}); };
  EXPECT_EQ(table(pad), kJoined);
  EXPECT_EQ(row([&](char c) { return apply(Reverse{{0}}, {data(c)}); }), "RIVP=");
  EXPECT_EQ(states(apply(Iota{DType::f32, {3}, 0})), "=");
}

TEST_F(MovementStates, SelectorMessages) {
  const ValueId p = argument("p", "P", {8}), i = argument("i", "I", {8}), r = argument("r", "R", {8});
  const ValueId ids = argument("ids", "V", {3}, DType::i32), terms = argument("terms", "P", {3}, DType::i32);
  apply(Gather{0}, {r, terms});
  EXPECT_EQ(state_errors().back(),
            "S-selector gather: %terms is P over `model` and selects; a term of a sum is no index and no predicate; "
            "all_reduce %terms {axis=model} first");
  apply(Gather{0}, {p, ids});
  EXPECT_EQ(state_errors().back(),
            "S-selector gather: %ids is V over `model`, so that devices select differently, and %p is P; "
            "all_reduce %p {axis=model, to=...} first");
  apply(Gather{0}, {i, ids});
  EXPECT_EQ(state_errors().back(),
            "S-selector gather: %ids is V over `model`, so that devices select differently, and %i is I; "
            "reinterpret %i {axis=model, to=R} first");
}

TEST_F(MovementStates, ZerosStayZeros) {
  const ValueId zero = apply(Constant{Rational(0), DType::f32, {8}}), start = index('=');
  const ValueId scalar = apply(Constant{Rational(0), DType::f32, {}}),
                one = apply(Constant{Rational(1), DType::f32, {}});
  const auto added = [&](ValueId x) { return states(apply(Add{}, {argument("", "P", {8}), x})); };
  EXPECT_EQ(added(apply(Reverse{{0}}, {zero})), "P");
  EXPECT_EQ(added(apply(DynamicSlice{{8}}, {zero, start})), "P");
  EXPECT_EQ(added(apply(Gather{0}, {zero, index('=', {8})})), "P");
  const ValueId half = apply(Slice{{0}, {4}, {}}, {zero});
  EXPECT_EQ(added(apply(Concatenate{0}, {half, half})), "P");
  EXPECT_EQ(added(apply(Pad{{2}, {2}}, {half, scalar})), "P");
  EXPECT_EQ(added(apply(Pad{{2}, {2}}, {half, one})), "?");
  EXPECT_EQ(states(apply(Pad{{1}, {0}}, {argument("", "P", {8}), scalar})), "P");
}

TEST_F(MovementStates, Exchanges) {
  const Group m = over({"model"});
  EXPECT_EQ(row([&](char c) { return apply(AllToAll{m, 0, 0}, {data(c)}); }), "xxVxx");
  EXPECT_EQ(row([&](char c) { return apply(PlaceBlock{m, 0}, {data(c)}); }), "xxPxx");
  EXPECT_EQ(row([&](char c) { return apply(AssertEqual{m}, {data(c)}); }), "xxRxx");
  EXPECT_EQ(states(apply(AssertEqual{m}, {index('V')})), "=");
  const ValueId r = argument("r", "R", {8});
  apply(AllToAll{m, 0, 0}, {r});
  EXPECT_EQ(state_errors().back(),
            "S-all_to_all all_to_all: the operand %r is R over `model`; expected V: reinterpret %r {axis=model, to=V} "
            "first if every device is to send parts of the same");
  apply(PlaceBlock{m, 0}, {r});
  EXPECT_EQ(state_errors().back(),
            "S-place_block place_block: %r is R over `model` and cannot become P; expected V, the device's own block: "
            "an equal value becomes one by slice_block %r {axis=model, dim=...}");
  apply(AssertEqual{m}, {r});
  EXPECT_EQ(state_errors().back(),
            "S-assert_equal assert_equal: %r is R over `model` and cannot become R; expected V: an equal value needs "
            "no claim; leave the op out");
}

class UntypedMovement : public IrTest {
 protected:
  UntypedMovement() : IrTest({{"model", 4}}, false) {}
};

TEST_F(UntypedMovement, OnlyEqualAndVarying) {
  const Group m = over({"model"});
  const ValueId e = argument("e", "=", {8}), v = argument("v", "V", {8});
  const ValueId same = argument("i", "=", {}, DType::i32), other = argument("j", "V", {}, DType::i32);
  EXPECT_EQ(states(apply(DynamicSlice{{2}}, {e, same})), "=");
  EXPECT_EQ(states(apply(DynamicSlice{{2}}, {e, other})), "V");
  EXPECT_EQ(states(apply(DynamicSlice{{2}}, {v, same})), "V");
  EXPECT_EQ(states(apply(AllToAll{m, 0, 0}, {e})), "V");
  EXPECT_EQ(states(apply(PlaceBlock{m, 0}, {v})), "V");
  EXPECT_EQ(states(apply(AssertEqual{m}, {v})), "=");
  EXPECT_EQ(states(apply(AssertEqual{m}, {e})), "=");
  EXPECT_TRUE(state_errors().empty());
}

}  // namespace
}  // namespace isoshard::ir_movement_test

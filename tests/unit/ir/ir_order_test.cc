// Ops that compare, select and order: dtypes, shapes and states; each rule's right use and wrong use with its message.
#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_order_test {
namespace {

class Ordered : public IrTest {
 protected:
  Ordered() : IrTest({{"model", 4}}) {}
  ValueId f32(Shape shape) { return argument("", "R", std::move(shape)); }
  ValueId of(DType dtype, Shape shape) { return argument("", "=", std::move(shape), dtype); }
  std::string error(OpData op, std::vector<ValueId> operands) {
    EXPECT_FALSE(apply(std::move(op), std::move(operands)).valid());
    return last_error();
  }
};

TEST_F(Ordered, Compare) {
  EXPECT_EQ(shape(apply(Compare{Direction::gt}, {f32({2, 3}), f32({2, 3})})), "pred[2,3]");
  EXPECT_EQ(shape(apply(Compare{Direction::eq}, {of(DType::pred, {2}), of(DType::pred, {2})})), "pred[2]");
  EXPECT_EQ(error(Compare{}, {f32({2}), f32({2})}),
            "T-compare compare: `direction` is missing; expected eq, ne, lt, le, gt or ge");
  EXPECT_EQ(error(Compare{Direction::lt}, {of(DType::key, {2}), of(DType::key, {2})}),
            "T-numeric compare: the operands are keys; expected numbers or predicates");
  EXPECT_EQ(error(Compare{Direction::lt}, {f32({2}), of(DType::i32, {2})}),
            "T-dtype compare: the operands are f32[2] and i32[2]; expected one dtype");
  EXPECT_EQ(error(Compare{Direction::lt}, {f32({2}), f32({3})}),
            "T-shape compare: the operands are f32[2] and f32[3]; expected one shape (use broadcast_in_dim, nothing is "
            "broadcast silently)");
}

TEST_F(Ordered, Select) {
  const ValueId p = of(DType::pred, {2, 3}), scalar = of(DType::pred, {});
  EXPECT_EQ(shape(apply(Select{}, {p, f32({2, 3}), f32({2, 3})})), "f32[2,3]");
  EXPECT_EQ(shape(apply(Select{}, {scalar, of(DType::key, {2}), of(DType::key, {2})})), "key[2]");
  EXPECT_EQ(error(Select{}, {f32({2}), f32({2}), f32({2})}),
            "T-pred select: the first operand is f32[2]; expected pred (see compare)");
  EXPECT_EQ(error(Select{}, {scalar, f32({2}), f32({3})}),
            "T-select select: the branches are f32[2] and f32[3]; expected one dtype and shape");
  EXPECT_EQ(
      error(Select{}, {p, f32({2}), f32({2})}),
      "T-select select: the predicate is pred[2,3] and the branches are f32[2]; expected their shape or a scalar");
}

TEST_F(Ordered, IsFinite) {
  const ValueId finite = apply(IsFinite{}, {f32({2, 3})});
  EXPECT_EQ(shape(finite), "pred[2,3]");
  EXPECT_FALSE(builder_.type(finite).has_gradient);
  EXPECT_EQ(error(IsFinite{}, {of(DType::i32, {2})}),
            "T-float is_finite: the operand is i32[2]; expected floats, not integers, predicates or keys");
  EXPECT_EQ(states(apply(IsFinite{}, {argument("", "V")})), "V");
  EXPECT_EQ(states(apply(IsFinite{}, {argument("", "P")})), "?");
}

TEST_F(Ordered, Clamp) {
  EXPECT_EQ(shape(apply(Clamp{}, {f32({2, 3}), f32({2, 3}), f32({2, 3})})), "f32[2,3]");
  EXPECT_EQ(shape(apply(Clamp{}, {f32({}), f32({2, 3}), f32({2, 3})})), "f32[2,3]");
  EXPECT_EQ(shape(apply(Clamp{}, {of(DType::i32, {}), of(DType::i32, {2}), of(DType::i32, {})})), "i32[2]");
  EXPECT_EQ(
      error(Clamp{}, {f32({}), f32({2, 3}), f32({3})}),
      "T-clamp clamp: a bound is f32[3] and the operand is f32[2,3]; expected its dtype, and its shape or a scalar");
  EXPECT_EQ(error(Clamp{}, {of(DType::i32, {}), f32({2}), f32({})}),
            "T-clamp clamp: a bound is i32[] and the operand is f32[2]; expected its dtype, and its shape or a scalar");
  EXPECT_EQ(error(Clamp{}, {of(DType::pred, {}), of(DType::pred, {2}), of(DType::pred, {})}),
            "T-numeric clamp: the operand is pred[2]; expected numbers, not predicates or keys");
  EXPECT_EQ(states(apply(Clamp{}, {argument("", "R", {}), argument("", "V"), argument("", "R", {})})), "V");
  EXPECT_EQ(states(apply(Clamp{}, {argument("", "=", {}), argument("", "P"), argument("", "=", {})})), "?");
}

TEST_F(Ordered, SignsExtremesAndBits) {
  EXPECT_EQ(shape(apply(Abs{}, {of(DType::i64, {2})})), "i64[2]");
  EXPECT_EQ(shape(apply(Sign{}, {f32({2})})), "f32[2]");
  EXPECT_EQ(error(Abs{}, {of(DType::u32, {2})}),
            "T-signed abs: the operand is u32[2]; expected floats or signed integers");
  EXPECT_EQ(shape(apply(Maximum{}, {of(DType::u32, {2}), of(DType::u32, {2})})), "u32[2]");
  EXPECT_EQ(error(Minimum{}, {of(DType::pred, {2}), of(DType::pred, {2})}),
            "T-numeric minimum: the operand is pred[2]; expected numbers, not predicates or keys");
  EXPECT_EQ(shape(apply(And{}, {of(DType::pred, {2}), of(DType::pred, {2})})), "pred[2]");
  EXPECT_EQ(shape(apply(Or{}, {of(DType::i32, {2}), of(DType::i32, {2})})), "i32[2]");
  EXPECT_EQ(error(Not{}, {f32({2})}), "T-bits not: the operand is f32[2]; expected pred or integers");
  EXPECT_EQ(error(And{}, {f32({2}), f32({2})}), "T-bits and: the operand is f32[2]; expected pred or integers");
}

TEST_F(Ordered, ArgmaxAndTopKHaveTwoResults) {
  const std::vector<ValueId> largest = builder_.append(Reduce{Reducer::argmax, {1}, {}}, {f32({2, 3})}, {"v", "i"});
  ASSERT_EQ(largest.size(), 2U);
  EXPECT_EQ(shape(largest[0]), "f32[2]");
  EXPECT_EQ(shape(largest[1]), "i32[2]");
  EXPECT_FALSE(builder_.type(largest[1]).has_gradient);
  const std::vector<ValueId> top = builder_.append(TopK{2}, {f32({4, 3})}, {"v2", "i2"});
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(shape(top[0]), "f32[4,2]");
  EXPECT_EQ(shape(top[1]), "i32[4,2]");
  EXPECT_EQ(error(Reduce{Reducer::argmax, {0, 1}, {}}, {f32({2, 3})}),
            "T-argmax reduce: argmax runs over one dimension of at least one element; `dims` has 2 and the operand is "
            "f32[2,3]");
  EXPECT_EQ(error(TopK{4}, {f32({2, 3})}),
            "T-top-k top_k: `k` is 4 for an operand f32[2,3]; expected 1 to the size of the last dimension");
  EXPECT_EQ(error(AllReduce{over({"model"}), State::replicated, Reducer::argmax}, {f32({2})}),
            "T-reduce all_reduce: `op` is argmax; expected add, max, min, mul, and, or");
}

TEST_F(Ordered, ProductsAndBitsOfAllElements) {
  EXPECT_EQ(shape(apply(Reduce{Reducer::mul, {0}, {}}, {f32({4, 3})})), "f32[3]");
  EXPECT_EQ(shape(apply(Reduce{Reducer::logical_and, {0, 1}, {}}, {of(DType::pred, {4, 3})})), "pred[]");
  EXPECT_EQ(shape(apply(Reduce{Reducer::logical_or, {1}, {}}, {of(DType::u32, {4, 3})})), "u32[4]");
  EXPECT_EQ(error(Reduce{Reducer::mul, {0}, {}}, {of(DType::pred, {2})}),
            "T-numeric reduce: the operand is pred[2]; expected numbers, not predicates or keys");
  EXPECT_EQ(error(Reduce{Reducer::logical_or, {0}, {}}, {f32({2})}),
            "T-numeric reduce: the operand is f32[2]; expected predicates or integers, not floats or keys");
  EXPECT_EQ(error(AllReduce{over({"model"}), State::replicated, Reducer::logical_and}, {f32({2})}),
            "T-numeric all_reduce: the operand is f32[2]; expected predicates or integers, not floats or keys");
  EXPECT_EQ(error(AllReduce{over({"model"}), State::replicated, Reducer::max}, {of(DType::pred, {2})}),
            "T-numeric all_reduce: the operand is pred[2]; expected numbers, not predicates or keys");
}

TEST_F(Ordered, AProductOverAnAxisTakesDifferentValues) {
  const AllReduce product{over({"model"}), State::replicated, Reducer::mul};
  EXPECT_EQ(states(apply(product, {argument("", "V")})), "R");
  EXPECT_EQ(states(apply(product, {argument("r", "R")})), "?");
  EXPECT_EQ(
      state_errors().back(),
      "S-all_reduce all_reduce: the operand %r is R over `model`; expected V for all but sums: every device already "
      "holds the same value, whose power that would be; leave it out");
  EXPECT_EQ(states(apply(Reduce{Reducer::mul, {0}, {}}, {argument("", "P")})), "?");
}

TEST_F(Ordered, OrderIsNotLinear) {
  for (const OpData& op : {OpData(Abs{}), OpData(Sign{}), OpData(Reduce{Reducer::max, {0}, {}})}) {
    for (const char c : std::string("RIV="))
      EXPECT_EQ(states(apply(op, {argument("", std::string(1, c))})), std::string(1, c));
    EXPECT_EQ(states(apply(op, {argument("", "P")})), "?");
  }
  EXPECT_EQ(states(apply(Maximum{}, {argument("p", "P"), argument("q", "P")})), "?");
  EXPECT_EQ(state_errors().back(),
            "S-nonlinear maximum: %p is P over `model`, and maximum of a sum is not the sum of maximum; all_reduce %p "
            "{axis=model, to=...} first");
}

TEST_F(Ordered, AMaximumOverAnAxisTakesDifferentValues) {
  const AllReduce max{over({"model"}), State::replicated, Reducer::max};
  EXPECT_EQ(states(apply(max, {argument("", "V")})), "R");
  EXPECT_EQ(states(apply(max, {argument("p", "P")})), "?");
  EXPECT_EQ(state_errors().back(),
            "S-all_reduce all_reduce: the operand %p is P over `model`; expected V for all but sums: all_reduce %p "
            "{axis=model, "
            "to=...} first");
  EXPECT_EQ(states(apply(max, {argument("r", "R")})), "?");
  EXPECT_EQ(
      state_errors().back(),
      "S-all_reduce all_reduce: the operand %r is R over `model`; expected V for all but sums: every device already "
      "holds the same value; leave the op out");
}

}  // namespace
}  // namespace isoshard::ir_order_test

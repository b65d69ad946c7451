// Ops of random numbers and bits: dtypes, shapes and states; each rule's right and wrong use.
#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_random_test {
namespace {

class RandomOps : public IrTest {
 protected:
  ValueId of(DType dtype, Shape shape, const std::string& states = "==") {
    return argument("", states, std::move(shape), dtype);
  }
  ValueId key(const std::string& states = "==") { return of(DType::key, {}, states); }
  ValueId index(const std::string& states = "==") { return of(DType::i32, {}, states); }
  std::string error(OpData op, std::vector<ValueId> operands) {
    EXPECT_FALSE(apply(std::move(op), std::move(operands)).valid());
    return last_error();
  }
};

TEST_F(RandomOps, FoldNumbersIntoKeys) {
  EXPECT_EQ(shape(apply(RngFoldIn{}, {key(), index()})), "key[]");
  EXPECT_EQ(shape(apply(RngFoldIn{}, {of(DType::key, {3}), of(DType::u32, {})})), "key[3]");
  EXPECT_EQ(shape(apply(RngFoldIn{}, {of(DType::key, {3}), of(DType::u32, {3})})), "key[3]");
  EXPECT_EQ(
      error(RngFoldIn{}, {of(DType::u32, {2}), index()}),
      "T-key rng_fold_in: the first operand is u32[2]; expected keys (bitcast_convert makes keys of u32[..., 2])");
  EXPECT_EQ(error(RngFoldIn{}, {key(), of(DType::i64, {})}),
            "T-rng rng_fold_in: folds i64[] into key[]; expected i32 or u32, a scalar or of the key's shape");
  EXPECT_EQ(error(RngFoldIn{}, {key(), of(DType::i32, {2})}),
            "T-rng rng_fold_in: folds i32[2] into key[]; expected i32 or u32, a scalar or of the key's shape");
}

TEST_F(RandomOps, SplitScalarKeys) {
  EXPECT_EQ(shape(apply(RngSplit{3}, {key()})), "key[3]");
  EXPECT_EQ(error(RngSplit{3}, {of(DType::key, {2})}),
            "T-key rng_split: the first operand is key[2]; expected a scalar key");
  EXPECT_EQ(error(RngSplit{0}, {key()}), "T-rng rng_split: `n` is 0; expected 1 to 2147483647 keys");
}

TEST_F(RandomOps, DrawBlocksOfAnArray) {
  EXPECT_EQ(shape(apply(RngBits{{2, 3}, {}}, {key()})), "u32[2,3]");
  EXPECT_EQ(shape(apply(RngBits{{}, {}}, {key()})), "u32[]");
  EXPECT_EQ(shape(apply(RngBits{{2, 3}, {8, 3}}, {key(), index(), of(DType::u32, {})})), "u32[2,3]");
  EXPECT_EQ(error(RngBits{{2}, {}}, {of(DType::f32, {})}),
            "T-key rng_bits: the first operand is f32[]; expected a scalar key");
  EXPECT_EQ(error(RngBits{{2, 4}, {8, 3}}, {key()}),
            "T-rng rng_bits: `shape` is [2,4] and does not fit into `global_shape` [8,3]; expected one size per "
            "dimension, none above that of the whole");
  EXPECT_EQ(error(RngBits{{2}, {8, 3}}, {key()}),
            "T-rng rng_bits: `shape` is [2] and does not fit into `global_shape` [8,3]; expected one size per "
            "dimension, none above that of the whole");
  EXPECT_EQ(error(RngBits{{-2}, {}}, {key()}),
            "T-size rng_bits: the shape [-2] is not possible; expected sizes of at least 0 and at most 2^40 elements");
  EXPECT_EQ(error(RngBits{{2, 3}, {8, 3}}, {key(), index()}),
            "T-starts rng_bits: has 1 starts for an array u32[8,3]; expected one integer scalar per dimension");
  EXPECT_EQ(error(RngBits{{2}, {8}}, {key(), of(DType::f32, {})}),
            "T-starts rng_bits: start 0 is f32[]; expected an integer scalar");
}

TEST_F(RandomOps, ShowTheWordsOfKeys) {
  EXPECT_EQ(shape(apply(BitcastConvert{DType::u32}, {of(DType::key, {3})})), "u32[3,2]");
  EXPECT_EQ(shape(apply(BitcastConvert{DType::key}, {of(DType::u32, {2})})), "key[]");
  EXPECT_EQ(error(BitcastConvert{DType::key}, {of(DType::u32, {3})}),
            "T-bitcast bitcast_convert: makes key of u32[3]; expected key[...] to u32, or u32[..., 2] to key");
  EXPECT_EQ(error(BitcastConvert{DType::u32}, {of(DType::f32, {2})}),
            "T-bitcast bitcast_convert: makes u32 of f32[2]; expected key[...] to u32, or u32[..., 2] to key");
}

TEST_F(RandomOps, VaryWithTheirKeyAndStarts) {
  EXPECT_EQ(states(apply(RngFoldIn{}, {key(), index("=V")})), "=V");
  EXPECT_EQ(states(apply(RngSplit{2}, {key("V=")})), "V=");
  EXPECT_EQ(states(apply(RngBits{{2}, {8}}, {key("V="), index("=V")})), "VV");
  EXPECT_EQ(states(apply(RngBits{{2}, {}}, {key()})), "==");
  EXPECT_EQ(states(apply(BitcastConvert{DType::u32}, {key("V=")})), "V=");
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(RandomOps, PartialKeysAreErrors) {
  apply(RngFoldIn{}, {key(), index("=P")});
  ASSERT_EQ(state_errors().size(), 1U);
  EXPECT_EQ(state_errors()[0].substr(0, 24), "S-nonlinear rng_fold_in:");
}

TEST_F(RandomOps, BitsOfIntegers) {
  for (const DType dtype : {DType::i32, DType::u32, DType::i64}) {
    const std::string type = std::string(name(dtype)) + "[2]";
    EXPECT_EQ(shape(apply(Xor{}, {of(dtype, {2}), of(dtype, {2})})), type);
    EXPECT_EQ(shape(apply(ShiftRightLogical{}, {of(dtype, {2}), of(dtype, {2})})), type);
  }
  EXPECT_EQ(shape(apply(Xor{}, {of(DType::pred, {2}), of(DType::pred, {2})})), "pred[2]");
  EXPECT_EQ(error(Xor{}, {of(DType::f32, {2}), of(DType::f32, {2})}),
            "T-bits xor: the operand is f32[2]; expected pred or integers");
  EXPECT_EQ(error(ShiftRightLogical{}, {of(DType::pred, {2}), of(DType::pred, {2})}),
            "T-bits shift_right_logical: the operands are pred[2]; expected integers");
  EXPECT_EQ(error(ShiftRightLogical{}, {of(DType::u32, {2}), of(DType::i32, {2})}),
            "T-dtype shift_right_logical: the operands are u32[2] and i32[2]; expected one dtype");
}

TEST_F(RandomOps, InverseErrorFunctionTakesFloats) {
  EXPECT_EQ(shape(apply(ErfInv{}, {of(DType::bf16, {2})})), "bf16[2]");
  EXPECT_EQ(error(ErfInv{}, {of(DType::i32, {2})}),
            "T-float erf_inv: the operand is i32[2]; expected floats, not integers, predicates or keys");
}

}  // namespace
}  // namespace isoshard::ir_random_test

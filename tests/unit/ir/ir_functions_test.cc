// FunctionInference, convert, stop_gradient and cumsum: dtypes, shapes and states; each rule's right and wrong use.
#include <functional>

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_functions_test {
namespace {

class FunctionInference : public IrTest {
 protected:
  FunctionInference() : IrTest({{"model", 4}}) {}
  ValueId of(DType dtype, Shape shape) { return argument("", "=", std::move(shape), dtype); }
  std::string error(OpData op, std::vector<ValueId> operands) {
    EXPECT_FALSE(apply(std::move(op), std::move(operands)).valid());
    return last_error();
  }
};

TEST_F(FunctionInference, KeepTheFloatDtype) {
  for (const OpData& op :
       {OpData(Log{}), OpData(Sqrt{}), OpData(Rsqrt{}), OpData(Sine{}), OpData(Cosine{}), OpData(Floor{}),
        OpData(ExponentialMinusOne{}), OpData(LogPlusOne{}), OpData(Cbrt{}), OpData(Erf{}), OpData(Erfc{}),
        OpData(Ceil{}), OpData(RoundNearestEven{}), OpData(RoundNearestAfz{})}) {
    EXPECT_EQ(shape(apply(op, {of(DType::bf16, {2, 3})})), "bf16[2,3]");
    EXPECT_EQ(error(op, {of(DType::i64, {2})}), "T-float " + std::string(op_name(op)) +
                                                    ": the operand is i64[2]; expected floats, not integers, "
                                                    "predicates or keys");
  }
  EXPECT_EQ(shape(apply(Power{}, {of(DType::f16, {2}), of(DType::f16, {2})})), "f16[2]");
  EXPECT_EQ(error(Power{}, {of(DType::i32, {2}), of(DType::i32, {2})}),
            "T-float power: the operand is i32[2]; expected floats, not integers, predicates or keys");
  EXPECT_EQ(error(Power{}, {of(DType::f16, {2}), of(DType::f32, {2})}),
            "T-dtype power: the operands are f16[2] and f32[2]; expected one dtype");
}

TEST_F(FunctionInference, AnAngleIsOfTwoFloats) {
  EXPECT_EQ(shape(apply(Atan2{}, {of(DType::f32, {2}), of(DType::f32, {2})})), "f32[2]");
  EXPECT_EQ(error(Atan2{}, {of(DType::i32, {2}), of(DType::i32, {2})}),
            "T-float atan2: the operand is i32[2]; expected floats, not integers, predicates or keys");
}

TEST_F(FunctionInference, ShiftsCountsAndWholeQuotientsAreOfIntegers) {
  for (const OpData& op : {OpData(ShiftLeft{}), OpData(ShiftRightArithmetic{}), OpData(IntegerDivide{})}) {
    EXPECT_EQ(shape(apply(op, {of(DType::i32, {2}), of(DType::i32, {2})})), "i32[2]");
    EXPECT_EQ(error(op, {of(DType::f32, {2}), of(DType::f32, {2})}),
              "T-bits " + std::string(op_name(op)) + ": the operands are f32[2]; expected integers");
  }
  for (const OpData& op : {OpData(Popcnt{}), OpData(CountLeadingZeros{})}) {
    EXPECT_EQ(shape(apply(op, {of(DType::u8, {2})})), "u8[2]");
    EXPECT_EQ(error(op, {of(DType::pred, {2})}),
              "T-bits " + std::string(op_name(op)) + ": the operand is pred[2]; expected integers");
  }
}

TEST_F(FunctionInference, RemainderAndCumsumTakeNumbers) {
  EXPECT_EQ(shape(apply(Remainder{}, {of(DType::u32, {2}), of(DType::u32, {2})})), "u32[2]");
  EXPECT_EQ(error(Remainder{}, {of(DType::pred, {2}), of(DType::pred, {2})}),
            "T-numeric remainder: the operand is pred[2]; expected numbers, not predicates or keys");
  EXPECT_EQ(shape(apply(Cumsum{1}, {of(DType::i64, {2, 3})})), "i64[2,3]");
  EXPECT_EQ(error(Cumsum{0}, {of(DType::key, {2})}), "T-numeric cumsum: the operand is key[2]; expected numbers");
  EXPECT_EQ(error(Cumsum{2}, {of(DType::f32, {2, 3})}),
            "T-dim cumsum: dim 2 is out of range for a tensor of rank 2; expected 0 to 1");
}

TEST_F(FunctionInference, ConvertTakesAllButKeys) {
  for (const DType dtype : {DType::pred, DType::i32, DType::u32, DType::i64, DType::bf16, DType::f16, DType::f32}) {
    EXPECT_EQ(shape(apply(Convert{dtype}, {of(DType::f64, {3})})), std::string(name(dtype)) + "[3]");
    EXPECT_EQ(shape(apply(Convert{DType::f64}, {of(dtype, {3})})), "f64[3]");
  }
  EXPECT_EQ(error(Convert{DType::u32}, {of(DType::key, {3})}),
            "T-convert convert: converts key[3] to u32; expected numbers or predicates, not keys");
  EXPECT_EQ(error(Convert{DType::key}, {of(DType::u32, {3})}),
            "T-convert convert: converts u32[3] to key; expected numbers or predicates, not keys");
}

TEST_F(FunctionInference, ConstantsFitTheirDtype) {
  EXPECT_EQ(shape(apply(Constant{Rational(4294967295), DType::u32, {2}})), "u32[2]");
  EXPECT_EQ(error(Constant{Rational(-1), DType::u32, {}}, {}),
            "T-constant constant: the value -1 is not representable as u32; expected an unsigned 32-bit integer");
  EXPECT_EQ(error(Constant{*Rational::parse("9223372036854775808"), DType::i64, {}}, {}),
            "T-constant constant: the value 9223372036854775808 is not representable as i64; expected a 64-bit "
            "integer");
  EXPECT_EQ(error(Constant{Rational(1), DType::key, {}}, {}),
            "T-constant constant: the value 1 is not representable as key; expected a key global: keys are not "
            "numbers");
}

/// The results' states for operands R, I, V, P and =; `?` after an error.
std::string row(const std::function<std::string(const std::string&)>& result) {
  std::string text;
  for (const char* state : {"R", "I", "V", "P", "="}) text += result(state);
  return text;
}

TEST_F(FunctionInference, StatesOfOneOperand) {
  const auto after = [&](const OpData& op) {
    return row([&](const std::string& state) { return states(apply(op, {argument("", state, {2, 2})})); });
  };
  EXPECT_EQ(after(Sqrt{}), "RIV?=");
  EXPECT_EQ(after(Floor{}), "RIV?=");
  EXPECT_EQ(after(Erf{}), "RIV?=");
  EXPECT_EQ(after(Convert{DType::bf16}), "RIVP=");  // linear
  EXPECT_EQ(after(Convert{DType::i32}), "==V?=");   // rounds, and integers have no gradient
  EXPECT_EQ(after(Convert{DType::pred}), "==V?=");
  EXPECT_EQ(after(StopGradient{}), "==VP=");
  EXPECT_EQ(after(Cumsum{0}), "RIVP=");
  apply(Sine{}, {argument("p", "P")});
  EXPECT_EQ(state_errors().back(),
            "S-nonlinear sine: %p is P over `model`, and sine of a sum is not the sum of sine; all_reduce %p "
            "{axis=model, to=...} first");
}

TEST_F(FunctionInference, IntegersOfAPartialSumStayTermsWhenConverted) {
  const ValueId p = argument("p", "P", {2}, DType::i32);
  EXPECT_EQ(states(apply(Convert{DType::f32}, {p})), "P");
  EXPECT_EQ(states(apply(Convert{DType::i64}, {p})), "?");
}

}  // namespace
}  // namespace isoshard::ir_functions_test

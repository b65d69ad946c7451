#include "tests/property/generator/random_functions.h"

#include <vector>

namespace isoshard::testing {

OpData random_function(Dice& dice, const TensorType& operand, bool exponentials) {
  std::vector<OpData> ops{Negate{},
                          Tanh{},
                          Logistic{},
                          Abs{},
                          Sign{},
                          Floor{},
                          Not{},
                          StopGradient{},
                          IsFinite{},
                          Ceil{},
                          Popcnt{},
                          CountLeadingZeros{},
                          RoundNearestEven{},
                          RoundNearestAfz{}};
  ops.push_back(Convert{
      dice.pick(std::vector<DType>{DType::pred, DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64,
                                   DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::f16, DType::f32, DType::f64})});
  if (!operand.shape.empty()) ops.push_back(Cumsum{static_cast<int64_t>(dice.below(operand.shape.size()))});
  if (exponentials) {
    for (const OpData& op : std::vector<OpData>{Exponential{}, Log{}, Sqrt{}, Rsqrt{}, Sine{}, Cosine{}, ErfInv{},
                                                ExponentialMinusOne{}, LogPlusOne{}, Cbrt{}, Erf{}, Erfc{}}) {
      ops.push_back(op);
    }
  }
  return dice.pick(ops);
}

OpData random_combination(Dice& dice, const TensorType& operand) {
  std::vector<OpData> ops{Add{}, Subtract{}, Multiply{}, Divide{}, Maximum{}, Minimum{}};
  if (!is_float(operand.dtype)) {
    ops.push_back(And{});
    ops.push_back(Or{});
    ops.push_back(Xor{});
    for (const OpData& op :
         std::vector<OpData>{ShiftLeft{}, ShiftRightLogical{}, ShiftRightArithmetic{}, Remainder{}, IntegerDivide{}}) {
      ops.push_back(op);
    }
  } else {
    ops.push_back(Power{});
    ops.push_back(Atan2{});
  }
  const std::vector<Direction> directions{Direction::eq, Direction::ne, Direction::lt,
                                          Direction::le, Direction::gt, Direction::ge};
  ops.push_back(Compare{dice.pick(directions)});
  return dice.pick(ops);
}

OpData random_order_op(Dice& dice, const TensorType& operand) {
  // Over no dimensions: the derivative of a maximum divides by the answer to x == x, which has no bound where x has an
  // error.
  if (operand.shape.empty()) return Reduce{dice.chance(20) ? Reducer::max : Reducer::mul, {}, {}};
  const auto dim = static_cast<int64_t>(dice.below(operand.shape.size()));
  if (dice.chance(30) && operand.shape.back() > 0) return TopK{dice.in(1, operand.shape.back())};
  std::vector<Reducer> reducers{Reducer::max, Reducer::min, Reducer::argmax, Reducer::mul};
  if (!is_float(operand.dtype)) reducers.insert(reducers.end(), {Reducer::logical_and, Reducer::logical_or});
  return Reduce{dice.pick(reducers), {dim}, {}};
}

}  // namespace isoshard::testing

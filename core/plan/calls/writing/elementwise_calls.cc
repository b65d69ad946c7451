// Elementwise ops as Maps: the first operand is taken, then one step follows with the others. Narrow floats are
// computed in f32 and rounded as they are written, integers in 64 bits and wrapped, both as sim does. Shifts and counts
// of bits see their operands as unsigned, and `not` is an exclusive or. Cost: constant.
#include "core/plan/calls/writing/op_calls.h"

#include <optional>
#include <variant>

namespace isoshard::calls {
namespace {

template <class Op>
constexpr std::optional<StepOp> kStepOf = std::nullopt;
template <>
constexpr std::optional<StepOp> kStepOf<Negate> = StepOp::negate;
template <>
constexpr std::optional<StepOp> kStepOf<Exponential> = StepOp::exponential;
template <>
constexpr std::optional<StepOp> kStepOf<Log> = StepOp::log;
template <>
constexpr std::optional<StepOp> kStepOf<Tanh> = StepOp::tanh;
template <>
constexpr std::optional<StepOp> kStepOf<Logistic> = StepOp::logistic;
template <>
constexpr std::optional<StepOp> kStepOf<Sqrt> = StepOp::sqrt;
template <>
constexpr std::optional<StepOp> kStepOf<Rsqrt> = StepOp::rsqrt;
template <>
constexpr std::optional<StepOp> kStepOf<Sine> = StepOp::sine;
template <>
constexpr std::optional<StepOp> kStepOf<Cosine> = StepOp::cosine;
template <>
constexpr std::optional<StepOp> kStepOf<ErfInv> = StepOp::erf_inv;
template <>
constexpr std::optional<StepOp> kStepOf<Floor> = StepOp::floor;
template <>
constexpr std::optional<StepOp> kStepOf<ExponentialMinusOne> = StepOp::exponential_minus_one;
template <>
constexpr std::optional<StepOp> kStepOf<LogPlusOne> = StepOp::log_plus_one;
template <>
constexpr std::optional<StepOp> kStepOf<Cbrt> = StepOp::cbrt;
template <>
constexpr std::optional<StepOp> kStepOf<Erf> = StepOp::erf;
template <>
constexpr std::optional<StepOp> kStepOf<Erfc> = StepOp::erfc;
template <>
constexpr std::optional<StepOp> kStepOf<RoundNearestEven> = StepOp::round_nearest_even;
template <>
constexpr std::optional<StepOp> kStepOf<RoundNearestAfz> = StepOp::round_nearest_afz;
template <>
constexpr std::optional<StepOp> kStepOf<Atan2> = StepOp::atan2;
template <>
constexpr std::optional<StepOp> kStepOf<IntegerDivide> = StepOp::divide;
template <>
constexpr std::optional<StepOp> kStepOf<Abs> = StepOp::absolute;
template <>
constexpr std::optional<StepOp> kStepOf<Sign> = StepOp::sign;
template <>
constexpr std::optional<StepOp> kStepOf<IsFinite> = StepOp::is_finite;
template <>
constexpr std::optional<StepOp> kStepOf<Add> = StepOp::add;
template <>
constexpr std::optional<StepOp> kStepOf<Subtract> = StepOp::subtract;
template <>
constexpr std::optional<StepOp> kStepOf<Multiply> = StepOp::multiply;
template <>
constexpr std::optional<StepOp> kStepOf<Divide> = StepOp::divide;
template <>
constexpr std::optional<StepOp> kStepOf<Power> = StepOp::power;
template <>
constexpr std::optional<StepOp> kStepOf<Remainder> = StepOp::remainder;
template <>
constexpr std::optional<StepOp> kStepOf<Maximum> = StepOp::maximum;
template <>
constexpr std::optional<StepOp> kStepOf<Minimum> = StepOp::minimum;
template <>
constexpr std::optional<StepOp> kStepOf<And> = StepOp::conjunction;
template <>
constexpr std::optional<StepOp> kStepOf<Or> = StepOp::disjunction;
template <>
constexpr std::optional<StepOp> kStepOf<Xor> = StepOp::exclusive_or;

constexpr Step kTakeFirst{StepOp::take, 0, {From::input, 0, 0}, {}};

/// A Map over all elements of operands that have the shape of the result, or are scalars.
void write_map(CallWriter& writer, Compute compute, std::initializer_list<Step> steps) {
  const Shape& shape = writer.result().type->shape;
  std::vector<View> inputs;
  for (size_t i = 0; i < writer.operand_count(); ++i) {
    const Held& operand = writer.operand(i);
    inputs.push_back(operand.type->shape == shape ? view_of(operand) : repeated(operand, shape.size()));
  }
  writer.map(shape, compute, inputs, view_of(writer.result()), steps);
}

template <class Op>
requires(kStepOf<Op>.has_value()) void write_step(const Op& op, CallWriter& writer) {
  constexpr StepOp kStep = *kStepOf<Op>;
  const Source second = op.kOperands == 2 ? input(1) : Source{};
  write_map(writer, compute_of(writer.operand(0).type->dtype), {kTakeFirst, {kStep, 0, second, {}}});
}

StepOp step_of(Direction direction) {
  switch (direction) {
    case Direction::ne:
      return StepOp::not_equal;
    case Direction::lt:
      return StepOp::less;
    case Direction::le:
      return StepOp::less_equal;
    case Direction::gt:
      return StepOp::greater;
    case Direction::ge:
      return StepOp::greater_equal;
    case Direction::eq:
    case Direction::none:  // which inference rejects
      break;
  }
  return StepOp::equal;
}

void write_step(const Compare& op, CallWriter& writer) {
  const Compute compute = compute_of(writer.operand(0).type->dtype);
  write_map(writer, compute, {kTakeFirst, {step_of(op.direction), 0, input(1), {}}});
}

void write_step(const Select&, CallWriter& writer) {
  const Compute compute = compute_of(writer.result().type->dtype);
  write_map(writer, compute, {kTakeFirst, {StepOp::select, 0, input(1), input(2)}});
}

void write_step(const Not&, CallWriter& writer) {
  const DType dtype = writer.result().type->dtype;
  const uint64_t ones = dtype == DType::pred ? 1 : ~uint64_t{0};
  write_map(writer, compute_of(dtype), {kTakeFirst, {StepOp::exclusive_or, 0, number(ones), {}}});
}

DType as_unsigned(DType dtype) {
  if (dtype == DType::i8) return DType::u8;
  if (dtype == DType::i32) return DType::u32;
  return dtype == DType::i64 ? DType::u64 : dtype;
}

DType as_signed(DType dtype) {
  if (dtype == DType::u8) return DType::i8;
  if (dtype == DType::u32) return DType::i32;
  return dtype == DType::u64 ? DType::i64 : dtype;
}

View as_dtype(const Held& held, DType (*turned)(DType)) {
  View view = view_of(held);
  view.dtype = turned(view.dtype);
  return view;
}

/// Steps of all operands as unsigned numbers.
void write_unsigned(CallWriter& writer, std::initializer_list<Step> steps) {
  std::vector<View> inputs;
  for (size_t i = 0; i < writer.operand_count(); ++i) inputs.push_back(as_dtype(writer.operand(i), as_unsigned));
  writer.map(writer.result().type->shape, Compute::u64, inputs, as_dtype(writer.result(), as_unsigned), steps);
}

void write_step(const ShiftLeft&, CallWriter& writer) {
  write_unsigned(writer, {kTakeFirst, {StepOp::shift_left, 0, input(1), {}}});
}

void write_step(const ShiftRightLogical&, CallWriter& writer) {
  write_unsigned(writer, {kTakeFirst, {StepOp::shift_right, 0, input(1), {}}});
}

/// By what is unsigned, too: as a signed number of 64 bits it is negative from 2^63 on.
void write_step(const ShiftRightArithmetic&, CallWriter& writer) {
  View by = as_dtype(writer.operand(1), as_unsigned);
  if (by.dtype == DType::u64) by.dtype = DType::i64;
  writer.map(writer.result().type->shape, Compute::i64, {as_dtype(writer.operand(0), as_signed), by},
             as_dtype(writer.result(), as_signed), {kTakeFirst, {StepOp::shift_right_sign, 0, input(1), {}}});
}

void write_step(const Popcnt&, CallWriter& writer) {
  write_unsigned(writer, {kTakeFirst, {StepOp::count_ones, 0, {}, {}}});
}

/// Of a word of 64 bits, less those that the dtype does not have.
void write_step(const CountLeadingZeros&, CallWriter& writer) {
  const uint64_t others = 64 - 8 * info(writer.result().type->dtype).bytes;
  write_unsigned(writer, {kTakeFirst, {StepOp::leading_zeros, 0, {}, {}}, {StepOp::subtract, 0, number(others), {}}});
}

template <class Op>
constexpr bool kIsStep = requires(const Op& op, CallWriter& writer) {
  write_step(op, writer);
};

}  // namespace

bool write_elementwise(const OpData& op, CallWriter& writer) {
  return std::visit(
      [&]<class Op>(const Op& o) {
        if constexpr (kIsStep<Op>) write_step(o, writer);
        return kIsStep<Op>;
      },
      op);
}

void write(const Constant& op, CallWriter& writer) {
  writer.fill(writer.result(), constant_bits(op.value, writer.result().type->dtype));
}

void write(const Convert&, CallWriter& writer) { writer.copy(writer.operand(0), writer.result()); }

}  // namespace isoshard::calls

// Interval arithmetic on integers and predicates, for the guards that JAX puts around indices: with an index in 0..n,
// `i < 0 ? i + n : i` is i, and `0 <= i <= n - 1` always holds. What may leave the range of its dtype, and so wrap
// around, has no bounds. Cost: constant for each op.
#include "core/import/stablehlo/analysis/integer_bounds.h"

#include <algorithm>

#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

/// Bounds that a dtype holds.
MaybeBounds within(int64_t least, int64_t greatest, DType dtype) {
  if (dtype == DType::pred) return least >= 0 && greatest <= 1 ? MaybeBounds(Bounds{least, greatest}) : std::nullopt;
  if (!is_integer(dtype)) return std::nullopt;
  const IntegerEnds ends = integer_ends(dtype);
  if (least < ends.least || greatest > ends.greatest) return std::nullopt;
  return Bounds{least, greatest};
}

/// Sizes of numbers whose sums and products int64_t holds.
bool is_small(const Bounds& x) {
  constexpr int64_t kMost = int64_t{1} << 31;
  return x.least >= -kMost && x.greatest <= kMost;
}

MaybeBounds compared(Direction direction, const Bounds& x, const Bounds& y) {
  const auto known = [](bool always, bool never) -> MaybeBounds { return Bounds{always ? 1 : 0, never ? 0 : 1}; };
  const bool one = x.least == x.greatest && y.least == y.greatest;
  const bool apart = x.greatest < y.least || y.greatest < x.least;
  switch (direction) {
    case Direction::lt:
      return known(x.greatest < y.least, x.least >= y.greatest);
    case Direction::le:
      return known(x.greatest <= y.least, x.least > y.greatest);
    case Direction::gt:
      return known(x.least > y.greatest, x.greatest <= y.least);
    case Direction::ge:
      return known(x.least >= y.greatest, x.greatest < y.least);
    case Direction::eq:
      return known(one && !apart, apart);
    default:
      return known(apart, one && !apart);
  }
}

MaybeBounds of_two(const OpData& op, const Bounds& x, const Bounds& y, DType dtype) {
  if (std::holds_alternative<Maximum>(op)) {
    return within(std::max(x.least, y.least), std::max(x.greatest, y.greatest), dtype);
  }
  if (std::holds_alternative<Minimum>(op)) {
    return within(std::min(x.least, y.least), std::min(x.greatest, y.greatest), dtype);
  }
  if (dtype == DType::pred && std::holds_alternative<And>(op)) {
    return Bounds{x.least & y.least, x.greatest & y.greatest};
  }
  if (dtype == DType::pred && std::holds_alternative<Or>(op)) return Bounds{x.least | y.least, x.greatest | y.greatest};
  if (!is_small(x) || !is_small(y)) return std::nullopt;
  if (std::holds_alternative<Add>(op)) return within(x.least + y.least, x.greatest + y.greatest, dtype);
  if (std::holds_alternative<Subtract>(op)) return within(x.least - y.greatest, x.greatest - y.least, dtype);
  if (std::holds_alternative<Multiply>(op)) {
    const auto [least, greatest] =
        std::minmax({x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest});
    return within(least, greatest, dtype);
  }
  if (std::holds_alternative<Remainder>(op) && x.least >= 0 && y.least > 0) {
    return within(0, std::min(x.greatest, y.greatest - 1), dtype);
  }
  if (std::holds_alternative<IntegerDivide>(op) &&
      y.least > 0) {  // toward zero it rises with x, and falls in size with y
    const auto [least, greatest] =
        std::minmax({x.least / y.least, x.least / y.greatest, x.greatest / y.least, x.greatest / y.greatest});
    return within(least, greatest, dtype);
  }
  return std::nullopt;
}

/// Of whatever the dtype holds: moved right by at least one bit, it is no more than so many bits are.
MaybeBounds shifted_right(const Bounds& by, DType dtype) {
  const int64_t width = 8 * static_cast<int64_t>(info(dtype).bytes);
  if (by.least < 1) return std::nullopt;
  if (by.least >= width) return Bounds{0, 0};
  return within(0, static_cast<int64_t>((~uint64_t{0} >> (64 - width)) >> by.least), dtype);
}

/// -1, 0 or 1.
MaybeBounds sign_of(const Bounds& x) {
  const auto sign = [](int64_t number) { return static_cast<int64_t>(number > 0) - static_cast<int64_t>(number < 0); };
  return Bounds{sign(x.least), sign(x.greatest)};
}

/// Of a number of which nothing is known; an int64_t does not hold all of u64.
MaybeBounds any_of(DType dtype) {
  if (dtype == DType::pred) return Bounds{0, 1};
  if (dtype == DType::u64) return std::nullopt;
  return Bounds{integer_ends(dtype).least, integer_ends(dtype).greatest};
}

MaybeBounds joined(const MaybeBounds& x, const MaybeBounds& y) {
  if (!x || !y) return std::nullopt;
  return Bounds{std::min(x->least, y->least), std::max(x->greatest, y->greatest)};
}

}  // namespace

MaybeBounds bounds_of(const OpData& op, const std::vector<MaybeBounds>& operands, const TensorType& result) {
  const DType dtype = result.dtype;
  if (dtype != DType::pred && !is_integer(dtype)) return std::nullopt;
  if (element_count(result.shape) == 0) return std::nullopt;
  if (const auto* constant = std::get_if<Constant>(&op)) {
    const double value = constant->value.to_double();
    if (!constant->value.is_integer() || !(std::abs(value) < 0x1p53)) return std::nullopt;  // as it is
    return within(static_cast<int64_t>(value), static_cast<int64_t>(value), dtype);
  }
  if (const auto* iota = std::get_if<Iota>(&op)) {
    return within(0, iota->shape[static_cast<size_t>(iota->dim)] - 1, dtype);
  }
  if (operands.empty()) return std::nullopt;
  const MaybeBounds& first = operands[0];
  if (const auto* reduce = std::get_if<Reduce>(&op)) {
    const bool picks = reduce->op == Reducer::max || reduce->op == Reducer::min ||
                       (dtype == DType::pred && reduce->op != Reducer::add);
    return picks ? first : std::nullopt;
  }
  if (moves_elements(op)) return first;
  if (std::holds_alternative<Concatenate>(op)) {
    MaybeBounds all = first;
    for (const MaybeBounds& operand : operands) all = joined(all, operand);
    return all;
  }
  if (std::holds_alternative<Select>(op)) return joined(operands[1], operands[2]);
  if (std::holds_alternative<Clamp>(op) && operands[0] && operands[2] && operands[0]->greatest <= operands[2]->least) {
    const Bounds ends{operands[0]->least, operands[2]->greatest};
    if (!operands[1]) return ends;
    return Bounds{std::clamp(operands[1]->least, ends.least, ends.greatest),
                  std::clamp(operands[1]->greatest, ends.least, ends.greatest)};
  }
  if (std::holds_alternative<Maximum>(op) || std::holds_alternative<Minimum>(op)) {  // one of which says enough
    const MaybeBounds x = first ? first : any_of(dtype), y = operands[1] ? operands[1] : any_of(dtype);
    return x && y ? of_two(op, *x, *y, dtype) : std::nullopt;
  }
  if (std::holds_alternative<ShiftRightLogical>(op)) {
    return operands[1] ? shifted_right(*operands[1], dtype) : std::nullopt;
  }
  if (!first) return std::nullopt;
  if (std::holds_alternative<Sign>(op)) return sign_of(*first);
  if (std::holds_alternative<Convert>(op) && dtype == DType::pred) {  // whether it is not 0
    const bool zero = first->least == 0 && first->greatest == 0, never = first->least > 0 || first->greatest < 0;
    return Bounds{never ? 1 : 0, zero ? 0 : 1};
  }
  if (std::holds_alternative<Convert>(op)) return within(first->least, first->greatest, dtype);
  if (std::holds_alternative<Not>(op) && dtype == DType::pred) return Bounds{1 - first->greatest, 1 - first->least};
  if (operands.size() != 2 || !operands[1]) return std::nullopt;
  if (const auto* compare = std::get_if<Compare>(&op)) return compared(compare->direction, *first, *operands[1]);
  return of_two(op, *first, *operands[1], dtype);
}

bool moves_elements(const OpData& op) {
  return std::holds_alternative<Reshape>(op) || std::holds_alternative<BroadcastInDim>(op) ||
         std::holds_alternative<Transpose>(op) || std::holds_alternative<Slice>(op) ||
         std::holds_alternative<Reverse>(op) || std::holds_alternative<DynamicSlice>(op) ||
         std::holds_alternative<Gather>(op) || std::holds_alternative<SliceBlock>(op) ||
         std::holds_alternative<AllGather>(op);
}

MaybeBounds bounds_of_indices(const OpData& op, const Shape& shape) {
  int64_t length = 0;
  if (std::holds_alternative<TopK>(op) && !shape.empty()) length = shape.back();
  const auto* reduce = std::get_if<Reduce>(&op);
  if (reduce != nullptr && reduce->op == Reducer::argmax) length = shape[static_cast<size_t>(reduce->dims[0])];
  return length > 0 ? MaybeBounds(Bounds{0, length - 1}) : std::nullopt;
}

}  // namespace isoshard::stablehlo

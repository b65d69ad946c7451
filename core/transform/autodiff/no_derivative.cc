#include "core/transform/autodiff/no_derivative.h"

#include <type_traits>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {
namespace {

template <class Op>
std::string_view reason_of() {
  if constexpr (std::is_same_v<Op, PipelineRun>) {
    return "it gives gradients itself (wrt), which have none";
  } else if constexpr (!kNoGradient<Op>) {
    return "";
  } else if constexpr (kIsAlternative<Op, std::variant<Compare, IsFinite>>) {
    return "its result is a predicate, which is constant between jumps";
  } else if constexpr (kIsAlternative<Op, std::variant<View, BlockSize, Constant, Iota, AxisIndex>>) {
    return "it has no operand";
  } else if constexpr (kIsAlternative<Op, std::variant<RngFoldIn, RngSplit, RngBits, BitcastConvert>>) {
    return "keys and bits have none";
  } else {
    static_assert(kIsAlternative<Op, std::variant<And, Or, Xor, Not, ShiftLeft, ShiftRightLogical, ShiftRightArithmetic,
                                                  IntegerDivide, Popcnt, CountLeadingZeros>>);
    return "its operands are integers or predicates";
  }
}

}  // namespace

std::string_view no_derivative(const OpData& op) {
  return std::visit([](const auto& data) { return reason_of<std::remove_cvref_t<decltype(data)>>(); },
                    static_cast<const OpVariant&>(op));
}

}  // namespace isoshard::autodiff

// The names of steps, in the order of StepOp.
#include "core/plan/calls/step_names.h"

#include <cstddef>
#include <iterator>

namespace isoshard::calls {
namespace {

constexpr std::string_view kNames[] = {
    "take",
    "negate",
    "exponential",
    "log",
    "tanh",
    "logistic",
    "sqrt",
    "rsqrt",
    "sine",
    "cosine",
    "erf_inv",
    "floor",
    "exponential_minus_one",
    "log_plus_one",
    "cbrt",
    "erf",
    "erfc",
    "round_nearest_even",
    "round_nearest_afz",
    "absolute",
    "sign",
    "is_finite",
    "add",
    "subtract",
    "multiply",
    "divide",
    "power",
    "remainder",
    "atan2",
    "maximum",
    "minimum",
    "conjunction",
    "disjunction",
    "exclusive_or",
    "shift_left",
    "shift_right",
    "shift_right_sign",
    "count_ones",
    "leading_zeros",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "select",
    "round_bf16",
    "round_f16",
    "round_f8e4m3",
    "round_f8e5m2",
    "wrap_i8",
    "wrap_u8",
    "wrap_i32",
    "wrap_u32",
};
static_assert(std::size(kNames) == static_cast<size_t>(StepOp::wrap_u32) + 1);

}  // namespace

std::string_view step_name(StepOp op) { return kNames[static_cast<size_t>(op)]; }

}  // namespace isoshard::calls

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/examined.h"

namespace isoshard::verify {

/// Why a value has no counterpart although its operands have one, or what an op takes that it should not.
struct Explanation {
  std::string cause;              ///< one clause
  std::string fact;               ///< one sentence, or empty
  std::optional<Ratio> factor{};  ///< where the value is that multiple of what it should be
  PlanValueId value{};            ///< where it is another one than was asked about
  std::string role{};             ///< of `value`, where that is said
};

/// A cause that is visible in how the operands are laid out over the devices: a sum that is complete already, terms
/// that are used as if complete, blocks that do not belong together, blocks in another order.
std::optional<Explanation> explain_by_layout(const Examined& e, const Instruction& instruction);

/// A maximum (minimum) of what each device holds where the reference has that of all devices along some axes. Seen on
/// rungs with the hard order only.
std::optional<Explanation> explain_missing_max(const Examined& e, const Instruction& instruction);

/// The value is a small multiple of a reference value, or a reference value and some copies of another.
std::optional<Explanation> explain_by_value(const Examined& e, PlanValueId id);

/// A sum that is that of the reference with other weights for its terms, behind the results: a result that is a sum of
/// values, and with other factors the reference's result.
std::optional<Explanation> explain_by_weights(const Examined& e);

/// An output of which each device's block is another multiple of the reference's.
std::optional<Explanation> explain_by_blocks(const Examined& e, uint32_t output);

/// The first value among those marked in `suspect` that a sum over devices or a factor that is a number makes what an
/// output of `e.ratios` is: that multiple of the reference's output.
std::optional<Explanation> explain_output_factor(const Examined& e, const std::vector<char>& suspect);

/// What the reference does with the same operand by the same op: its name and source line, or nothing.
std::optional<std::string> counterpart(const Examined& e, const Instruction& instruction);

/// `split over `data` along dim 0`, `a term of a sum over `model``, `whole on every device`.
std::string describe(const Examined& e, const Match& match);

}  // namespace isoshard::verify

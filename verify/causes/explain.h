#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/causes/trial.h"
#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// Why a value has no counterpart although its operands have one, or what an op takes that it should not.
struct Explanation {
  std::string cause;              ///< one clause
  std::string fact;               ///< one sentence, or empty
  std::optional<Ratio> factor{};  ///< where the value is that multiple of what it should be
  PlanValueId value{};            ///< where it is another one than was asked about
  std::string role{};             ///< of `value`, where that is said
  bool vague = false;             ///< only that something else stands in its place
};

/// Explains a value by how the operands are laid out over the devices: a sum that is complete already, terms that are
/// used as if complete, blocks that do not belong together, or blocks in another order.
std::optional<Explanation> explain_by_layout(const Evidence& e, const Instruction& instruction);

/// Explains a maximum (minimum) that is taken on each device, where the reference takes it over all devices along some
/// axes. It can be seen on rungs with the hard order only.
std::optional<Explanation> explain_missing_max(const Evidence& e, const Instruction& instruction);

/// Explains a value that is a small multiple of a reference value, or a reference value plus some copies of another,
/// where `trial` bears that out.
std::optional<Explanation> explain_by_value(const Evidence& e, const Trial& trial, PlanValueId id);

/// Explains an output that is a sum with wrong weights: with other factors its terms add up to the reference's output.
std::optional<Explanation> explain_by_weights(const Evidence& e);

/// Explains an output whose blocks have different factors: each device's block is the reference's times a number of its
/// own.
std::optional<Explanation> explain_by_blocks(const Evidence& e, uint32_t output);

/// Finds where the factor of an output in `e.ratios` comes in: the first value marked in `suspect` that becomes this
/// multiple of the reference's output by a sum over devices or by a factor that is a number, and `trial` bears that
/// out.
std::optional<Explanation> explain_output_factor(const Evidence& e, const Trial& trial,
                                                 const std::vector<char>& suspect);

/// Names what the reference does with the same operand by the same op, with its source line; nothing where it does not.
std::optional<std::string> counterpart(const Evidence& e, const Instruction& instruction);

/// Says how a value lies on the devices: `split over `data` along dim 0`, `a term of a sum over `model``, `whole on
/// every device`.
std::string describe(const Evidence& e, const Match& match);

}  // namespace isoshard::verify

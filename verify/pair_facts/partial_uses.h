#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// What a partial function asks of an operand, weakest first: `finite` of maxima, whose -inf is no number to subtract.
enum class Needs : uint8_t { nonnegative, nonzero, positive, inside_1, finite };

/// A value that has to be as a partial function needs it.
struct PartialArgument {
  PlanValueId value;
  Needs needs = Needs::nonzero;
  bool operator==(const PartialArgument&) const = default;
};

/// An instruction that has no value for some of its operands, as far as the construction of these shows.
struct PartialUse {
  InstructionId use;
  size_t operand = 0;                        ///< of the instruction, that decides
  std::vector<PartialArgument> arguments{};  ///< the operand, or the factors that it is made of, element by element
  /// Whether it may fail on more than a thin set of inputs: for some integers, in some order, or for one sign of a
  /// root.
  bool wide = false;
  /// It is as needed by construction, but where an earlier use fails on a thin set and leaves an infinity: exp(-1/d^2)
  /// is 0 there. Such uses follow the others.
  bool of_infinity = false;
};

/// What a program asks of the operands of its partial functions.
struct PartialUses {
  std::vector<PartialUse> uses;  ///< what construction does not show, in order; then those that are of infinities
  /// What it shows, on all inputs: the operand of some partial function, or a part of it, and the most that is known.
  std::vector<PartialArgument> shown;
};

/// Which operand of `instruction` decides whether its result is a finite number: a denominator, the argument of a
/// logarithm or root; empty for functions that are always defined.
std::optional<size_t> partial_argument(const Instruction& instruction);

/// Those of `plan` in `steps` steps.
PartialUses partial_uses(const Plan& plan, int64_t steps = 1);

/// Per value of `plan` in `steps` steps: whether it is made of functions with corners or jumps, so that it may be the
/// same on more than a thin set of inputs.
std::vector<bool> made_of_pieces(const Plan& plan, int64_t steps);

/// `!= 0`, `> 0`, ...
std::string_view in_words(Needs needs);

}  // namespace isoshard::verify

#pragma once

#include <cstdint>

namespace isoshard {

/// What an op does to the elements of its operands.
enum class OpClass : uint8_t {
  source,         ///< makes elements without any: constants, iota, views, places on the mesh
  movement,       ///< each element of the result is one of an operand, where the op alone says
  indexed,        ///< takes, puts or adds elements where integers say
  linear,         ///< adds elements up, or negates them
  bilinear,       ///< multiplies elements of its two operands, and may add products up
  quotient,       ///< divides
  function,       ///< applies a function of real numbers, smooth where it is defined
  order,          ///< asks which element is larger
  choice,         ///< takes one of several elements, as a predicate says
  rounding,       ///< is the same number on a range of its operand
  integer,        ///< acts on integers, predicates and bits
  random,         ///< acts on keys
  communication,  ///< brings elements from other devices, or adds them up over these
  structure,      ///< applies functions of the module
};

/// How rings represent the result (docs/spec/verdict.md): as what it is, by the laws of exponentials and logarithms
/// (rung E), or as an opaque function of its operands.
enum class RingLaw : uint8_t { exact, exponential, logarithm, opaque };

/// Where a function of real numbers is defined, as a condition on one of its operands.
enum class DefinedWhere : uint8_t { everywhere, nonzero, nonnegative, positive, inside_1, above_minus_1 };

/// Which zeros stay zeros: the padding of a view is 0 through such ops.
enum class ZerosStay : uint8_t {
  never,
  of_first,  ///< of operand 0, whatever the others are
  of_all,    ///< where all operands are 0
};

/// The facts that every op declares, `static constexpr OpFacts kFacts`. What reasons about programs asks for them and
/// keeps no list of ops, so that an op cannot be forgotten: without facts it does not compile. Ops with a parameter
/// that decides (the operation of a `reduce`) have a function `facts()` instead.
struct OpFacts {
  OpClass kind;
  RingLaw law = RingLaw::exact;
  bool elementwise = false;  ///< element n of the result is made of elements n of the operands
  DefinedWhere defined = DefinedWhere::everywhere;
  uint8_t defined_by = 0;   ///< the operand that `defined` speaks of
  bool tells_ties = false;  ///< of order: x > y is told from x >= y
  ZerosStay zeros = ZerosStay::never;
};

/// The facts of one op of the list.
template <class Op>
constexpr OpFacts facts_of(const Op& op) {
  if constexpr (requires { op.facts(); }) {
    return op.facts();
  } else {
    return Op::kFacts;  // an op without facts ends the compilation here
  }
}

}  // namespace isoshard

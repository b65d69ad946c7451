#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Applies a function of the module; the callee is an instance made for exactly these operand types and states.
///
/// `vjp`, where there is one, is a backward function that the user wrote; only derivatives ask for it
/// (vjp_signature.h).
struct Call {
  ProgramId callee;
  ProgramId vjp{};  ///< invalid: the derived one

  static constexpr std::string_view kName = "call";
  static constexpr std::string_view kDoc = "Applies a func; it is elaborated and typed anew at each call site.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{OpClass::structure};
  static constexpr auto fields() {
    return std::tuple{field("callee", &Call::callee, "the func that is applied"),
                      optional_field("vjp", &Call::vjp, "a func that is its backward, in place of the derived one")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Call&) const = default;
};

}  // namespace isoshard

#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Runs its region `trips` times, one iteration after another.
///
/// Operands: the initial value of each carry, then the stacked inputs, sliced along dimension 0. Region arguments: the
/// iteration (i32[], only where it is used: then there is one argument more than operands), the carries, the slices;
/// region results: the next carries, then what is stacked. Results: the carries after the last iteration, then the
/// stacks along a new dimension 0. The slicing dimension is local; semantics of JAX's lax.scan. Made by Builder::scan.
struct Scan {
  int64_t trips = 0;
  int64_t carries = 0;  ///< how many of the operands, region results and results are carried

  static constexpr std::string_view kName = "scan";
  static constexpr std::string_view kDoc =
      "Runs a body once per slice of its stacked inputs, carrying values from one iteration to the next.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{OpClass::structure};
  static constexpr auto fields() {
    return std::tuple{field("trips", &Scan::trips, "how many times the body runs"),
                      field("carries", &Scan::carries, "how many operands are carried, the others are stacked")};
  }

  /// Reports operands that cannot be scanned over (T-scan): operands are those of the op, in its order.
  bool check_operands(const InferContext& context) const;
  /// What one iteration sees of a stacked input, and how a stacked output looks.
  static TensorType slice(TensorType stacked);
  TensorType stack(TensorType part) const;

  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Scan&) const = default;
};

}  // namespace isoshard

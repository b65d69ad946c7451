#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/ops/reduce.h"
#include "core/ir/ops/sum_precision.h"

namespace isoshard {

/// Each member of a group over `axis` receives the sum of the members' operands, or with `op` another reduction of
/// them: max, min, mul, and, or. These take the members in pairs as Reduce does where it does.
///
/// Shapes: unchanged. States: P -> `to` (R or I; omitted for values without a gradient, which become `=`); all
/// but sums take V and are not differentiable (use stop_gradient).
/// Cost: a ring needs 2(k-1) steps and 2(k-1)/k * bytes per device, k = size of the group.
struct AllReduce {
  Group axis;
  std::optional<State> to;
  Reducer op = Reducer::none;  ///< none means add
  SumPrecision precision = SumPrecision::unspecified;

  static constexpr std::string_view kName = "all_reduce";
  static constexpr std::string_view kDoc =
      "The sum, or another reduction, over the group, on every member (StableHLO all_reduce, jax.lax.psum, pmax, "
      "pmin).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() {
    return std::tuple{field("axis", &AllReduce::axis, "an axis or a tuple of axes"),
                      optional_field("op", &AllReduce::op, "max, min, mul, and, or; the sum when omitted"),
                      optional_field("to", &AllReduce::to, "R or I; required for values with a gradient"),
                      optional_field("precision", &AllReduce::precision,
                                     "of sums of bf16 and f16: rounded once (f32, the default) or after every add")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const AllReduce&) const = default;
};

/// Each member receives the concatenation of the members' operands along `dim`, in group order.
///
/// Shapes: [.., n, ..] -> [.., n*k, ..]. States: V -> `to`. Cost: k-1 steps, (k-1) * bytes(x) received per device.
struct AllGather {
  Group axis;
  int64_t dim = 0;
  std::optional<State> to;

  static constexpr std::string_view kName = "all_gather";
  static constexpr std::string_view kDoc =
      "The members' blocks joined along `dim`, on every member (StableHLO all_gather).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() {
    return std::tuple{field("axis", &AllGather::axis, "an axis or a tuple of axes"),
                      field("dim", &AllGather::dim, "the dimension that grows"),
                      optional_field("to", &AllGather::to, "R or I; required for values with a gradient")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const AllGather&) const = default;
};

/// Member i receives block i along `dim` of the sum of the members' operands.
///
/// Shapes: [.., n*k, ..] -> [.., n, ..]. States: P -> V. Cost: k-1 steps, (k-1)/k * bytes(x) sent per device.
struct ReduceScatter {
  Group axis;
  int64_t dim = 0;
  SumPrecision precision = SumPrecision::unspecified;

  static constexpr std::string_view kName = "reduce_scatter";
  static constexpr std::string_view kDoc =
      "Each member's own block of the sum (StableHLO reduce_scatter, jax.lax.psum_scatter).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() {
    return std::tuple{field("axis", &ReduceScatter::axis, "an axis or a tuple of axes"),
                      field("dim", &ReduceScatter::dim, "the dimension that is split"),
                      optional_field("precision", &ReduceScatter::precision, "as that of all_reduce")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const ReduceScatter&) const = default;
};

/// Member i sends block j of its operand along `split_dim` to member j and joins what it receives along `concat_dim`,
/// in group order.
///
/// Shapes: split_dim is divided by k and concat_dim grows k times. States: V -> V. Cost: k-1 steps, (k-1)/k * bytes(x)
/// sent per device.
struct AllToAll {
  Group axis;
  int64_t split_dim = 0;
  int64_t concat_dim = 0;

  static constexpr std::string_view kName = "all_to_all";
  static constexpr std::string_view kDoc =
      "Every member sends each other member one block (StableHLO all_to_all, jax.lax.all_to_all).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() {
    return std::tuple{field("axis", &AllToAll::axis, "an axis or a tuple of axes"),
                      field("split_dim", &AllToAll::split_dim, "the dimension that is split"),
                      field("concat_dim", &AllToAll::concat_dim, "the dimension that grows")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const AllToAll&) const = default;
};

}  // namespace isoshard

#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// The comparisons of StableHLO.
enum class Direction : uint8_t { none, eq, ne, lt, le, gt, ge };

/// Elementwise x `direction` y; a nan compares false except with `ne`.
struct Compare {
  Direction direction = Direction::none;

  static constexpr std::string_view kName = "compare";
  static constexpr std::string_view kDoc = "Elementwise comparison, a pred (StableHLO compare).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{
      .kind = OpClass::order, .law = RingLaw::opaque, .elementwise = true, .tells_ties = true};
  static constexpr auto fields() {
    return std::tuple{field("direction", &Compare::direction, "eq, ne, lt, le, gt or ge")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Compare&) const = default;
};

/// Elementwise whether x is neither nan nor infinite.
///
/// Over real numbers it is whether x has a value: nothing overflows there, and rings have no value for it but a
/// function of x that nothing else evaluates (docs/adr/0043-is-finite.md).
struct IsFinite {
  static constexpr std::string_view kName = "is_finite";
  static constexpr std::string_view kDoc =
      "Elementwise whether x is a number, a pred (StableHLO is_finite). Formulas know no overflow, floats do.";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::order, .law = RingLaw::opaque, .elementwise = true};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const IsFinite&) const = default;
};

/// Elementwise `on_true` where `pred`, else `on_false`: `select %pred, %on_true, %on_false`.
///
/// The predicate has the shape of the branches or is a scalar. The branches combine as in add; where the predicate
/// varies, so does the result, and the branches must be R, V or =.
struct Select {
  static constexpr std::string_view kName = "select";
  static constexpr std::string_view kDoc = "Elementwise choice by a predicate (StableHLO select).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 3;
  static constexpr OpFacts kFacts{.kind = OpClass::choice, .elementwise = true};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Select&) const = default;
};

/// Elementwise minimum(maximum(x, min), max): `clamp %min, %x, %max`, numbers of one dtype.
///
/// Each bound has the shape of x or is a scalar. Where min > max the result is max. A Plan has a maximum and a minimum
/// in its place, so that all that is known of these is known of it.
struct Clamp {
  static constexpr std::string_view kName = "clamp";
  static constexpr std::string_view kDoc =
      "Elementwise the number between two bounds that is nearest (StableHLO clamp): `clamp %min, %x, %max`.";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 3;
  static constexpr OpFacts kFacts{.kind = OpClass::order, .elementwise = true};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Clamp&) const = default;
};

}  // namespace isoshard

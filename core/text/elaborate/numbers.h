#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/support/rational.h"
#include "core/text/elaborate/scope.h"

namespace isoshard::text {

/// How a condition came out, with its numbers: `2 < 4`.
struct Decision {
  bool holds = false;
  std::string numbers;
};

// What expressions mean at a place of a file. Each reports its errors there (E-...) and then returns nothing.

/// An integer in i64 with exact division.
std::optional<int64_t> read_integer(const Expr& expr, const Scope& at);
/// A number with rational division; also `inf` and `nan`.
std::optional<Rational> read_number(const Expr& expr, const Scope& at);
std::optional<Decision> decide(const Condition& condition, const Scope& at);
/// A type of at most 2^40 elements.
std::optional<TensorType> read_type(const TypeSyntax& syntax, const Scope& at);

}  // namespace isoshard::text

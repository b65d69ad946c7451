#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

/// Integer arithmetic of `.shard` files: i64 without wrap-around, division that is exact or says how it rounds.
namespace isoshard::text {

/// Why there is no result: the rule, and the end of a sentence about the operands ("divides by zero").
struct IntegerError {
  std::string rule, problem;
};

using IntegerResult = tl::expected<int64_t, IntegerError>;

/// `a op b` for + - * / %. `/` must leave no remainder, `%` is `mod`.
IntegerResult apply_operator(char op, int64_t a, int64_t b);

/// A function of integers, and how many arguments it takes.
struct IntegerFunction {
  std::string_view name;
  size_t least = 1;
  size_t most = std::numeric_limits<size_t>::max();
  IntegerResult (*apply)(const std::vector<int64_t>& arguments) = nullptr;
};

/// `ceildiv floordiv max min mod` by name, otherwise null.
///
/// floordiv and ceildiv round down and up whatever the signs; mod is the remainder of floordiv for a positive modulus
/// and so never negative.
const IntegerFunction* find_integer_function(std::string_view name);
/// The names of all functions of expressions, also of `size`.
std::vector<std::string> function_names();

}  // namespace isoshard::text

// Arithmetic of the integers in a file: sizes, indices and bounds of loops. All of it is exact in 64 bits: an overflow,
// a division that leaves a remainder and a division by zero are errors, since a size that is silently wrong would be a
// different program. `floordiv` and `ceildiv` round for those who want it; `mod` is never negative. -1 as a divisor is
// taken apart, as the least number divided by it traps. Functions are found in a table, from which messages take their
// names too.
#include "core/text/syntax/integer_math.h"

#include <algorithm>

namespace isoshard::text {
namespace {

tl::unexpected<IntegerError> problem(const char* rule, std::string text) {
  return tl::unexpected<IntegerError>(IntegerError{rule, std::move(text)});
}

tl::unexpected<IntegerError> overflow() { return problem("E-overflow", "does not fit 64 bits"); }

IntegerResult negated(int64_t a) {
  int64_t result = 0;
  if (__builtin_sub_overflow(int64_t{0}, a, &result)) return overflow();
  return result;
}

IntegerResult exact_division(int64_t a, int64_t b) {
  if (b == 0) return problem("E-divide", "divides by zero");
  if (b == -1) return negated(a);
  if (a % b == 0) return a / b;
  return problem("E-divide",
                 "is not exact: it leaves a remainder of " + std::to_string(a % b) + "; choose numbers that divide");
}

IntegerResult floor_division(const std::vector<int64_t>& arguments) {
  const int64_t a = arguments[0], b = arguments[1];
  if (b == 0) return problem("E-divide", "divides by zero");
  if (b == -1) return negated(a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

IntegerResult ceiling_division(const std::vector<int64_t>& arguments) {
  const int64_t a = arguments[0], b = arguments[1];
  if (b == 0) return problem("E-divide", "divides by zero");
  if (b == -1) return negated(a);
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

IntegerResult modulo(const std::vector<int64_t>& arguments) {
  const int64_t a = arguments[0], b = arguments[1];
  if (b < 1) return problem("E-divide", "has the modulus " + std::to_string(b) + "; expected at least 1");
  const int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

IntegerResult minimum(const std::vector<int64_t>& arguments) {
  return *std::min_element(arguments.begin(), arguments.end());
}

IntegerResult maximum(const std::vector<int64_t>& arguments) {
  return *std::max_element(arguments.begin(), arguments.end());
}

constexpr size_t kAny = std::numeric_limits<size_t>::max();
constexpr IntegerFunction kFunctions[] = {{"ceildiv", 2, 2, &ceiling_division},
                                          {"floordiv", 2, 2, &floor_division},
                                          {"max", 1, kAny, &maximum},
                                          {"min", 1, kAny, &minimum},
                                          {"mod", 2, 2, &modulo}};

}  // namespace

IntegerResult apply_operator(char op, int64_t a, int64_t b) {
  if (op == '/') return exact_division(a, b);
  if (op == '%') return modulo({a, b});
  int64_t result = 0;
  const bool failed = op == '+'   ? __builtin_add_overflow(a, b, &result)
                      : op == '-' ? __builtin_sub_overflow(a, b, &result)
                                  : __builtin_mul_overflow(a, b, &result);
  if (failed) return overflow();
  return result;
}

const IntegerFunction* find_integer_function(std::string_view name) {
  for (const IntegerFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const IntegerFunction& function : kFunctions) names.emplace_back(function.name);
  names.emplace_back("rank");
  names.emplace_back("size");
  return names;
}

}  // namespace isoshard::text

// What the regions of reductions mean. A region is recognised by what it computes and not by how it is printed: one op
// of its two arguments, or, for argmax, argmin and the order of a sort, a function of scalars that is tried in all
// orders of these and of 0, the one constant that is read: comparisons and choices tell nothing else apart. Cost: up to
// 1280 runs of a region of some ten scalar ops.
#include "core/import/stablehlo/idioms/reducers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>

#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

/// Scalars of a region, by name; predicates are 0 and 1.
using Scalars = std::map<std::string_view, double>;

std::optional<double> comparison_of(std::string_view direction, double x, double y) {
  if (direction == "GT") return x > y;
  if (direction == "GE") return x >= y;
  if (direction == "LT") return x < y;
  if (direction == "LE") return x <= y;
  if (direction == "EQ") return x == y;
  if (direction == "NE") return x != y;
  return std::nullopt;
}

/// What an op of comparisons and choices gives; nothing for another.
std::optional<double> number_of(const Operation& op, const Scalars& numbers) {
  std::vector<double> x;
  for (const ValueUse& use : op.operands) {
    const auto found = numbers.find(use.name);
    if (found == numbers.end()) return std::nullopt;
    x.push_back(found->second);
  }
  if (op.name == "stablehlo.compare" && x.size() == 2 && !op.words.empty()) {
    return comparison_of(op.words[0].text, x[0], x[1]);
  }
  if (op.name == "stablehlo.constant") {
    static constexpr std::string_view kNans[] = {"0x7FC00000", "0x7FF8000000000000", "0x7FC0", "0x7E00"};
    const Attribute* value = op.find("value");
    if (value == nullptr) return std::nullopt;
    const std::optional<Rational> number = Rational::parse(value->text);
    if (number && number->is_zero()) return 0;  // beside another one the orders tried are not all
    const bool nan = std::find(std::begin(kNans), std::end(kNans), value->text) != std::end(kNans);
    return nan ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
  }
  if (op.name == "stablehlo.select" && x.size() == 3) return x[0] != 0 ? x[1] : x[2];
  const bool predicate = op.result_types.size() == 1 && op.result_types[0].dtype == DType::pred;  // of integers bits
  if (op.name == "stablehlo.and" && x.size() == 2 && predicate) return x[0] != 0 && x[1] != 0 ? 1 : 0;
  if (op.name == "stablehlo.or" && x.size() == 2 && predicate) return x[0] != 0 || x[1] != 0 ? 1 : 0;
  return std::nullopt;
}

/// What the region returns for these numbers; nothing where it has other ops, or reads other arguments.
std::optional<std::vector<double>> run(const Region& region, Scalars numbers) {
  for (const Operation& op : region.operations) {
    if (op.returns()) {
      std::vector<double> results;
      for (const ValueUse& use : op.operands) {
        if (numbers.count(use.name) == 0) return std::nullopt;
        results.push_back(numbers[use.name]);
      }
      return results;
    }
    const std::optional<double> number = number_of(op, numbers);
    if (!number) return std::nullopt;
    numbers[op.result] = *number;
  }
  return std::nullopt;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Two of them and 0 are in any order; beside two of the indices, too, where these are of the same dtype.
constexpr double kNumbers[] = {-2, -1, 0, 1, 2, kNan, 3, 4};
constexpr double kIndices[] = {0, 1, 2, 3, 4};

/// Two numbers and their indices.
struct Indexed {
  double x, i, y, j;
};

/// Whether the region gives the one of x and y that is before the other one in the order of `op`, with its index.
bool chooses(const Region& region, Reducer op, const Indexed& of) {
  if (std::isnan(of.x) && std::isnan(of.y)) return true;  // any of them
  const bool before = op == Reducer::max ? of.x > of.y : of.x < of.y;
  const bool first = std::isnan(of.x) || before || (of.x == of.y && of.i < of.j);
  const std::vector<BlockArgument>& arguments = region.arguments;
  const auto results =
      run(region,
          {{arguments[0].name, of.x}, {arguments[1].name, of.i}, {arguments[2].name, of.y}, {arguments[3].name, of.j}});
  if (!results || results->size() != 2 || (*results)[1] != (first ? of.i : of.j)) return false;
  const double value = (*results)[0], expected = first ? of.x : of.y;
  return value == expected || (std::isnan(value) && std::isnan(expected));
}

bool chooses(const Region& region, Reducer op) {
  const bool alike = region.arguments[0].type.dtype == region.arguments[1].type.dtype;
  const std::span<const double> numbers(kNumbers, alike ? std::size(kNumbers) : 6), indices(kIndices, alike ? 5 : 3);
  for (const double x : numbers) {
    for (const double y : numbers) {
      for (const double i : indices) {
        for (const double j : indices) {
          if (i != j && !chooses(region, op, {x, i, y, j})) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

Reducer reducer_of_name(std::string_view name) {
  static constexpr std::pair<std::string_view, Reducer> kReducers[] = {
      {"stablehlo.add", Reducer::add},         {"stablehlo.maximum", Reducer::max},
      {"stablehlo.minimum", Reducer::min},     {"stablehlo.multiply", Reducer::mul},
      {"stablehlo.and", Reducer::logical_and}, {"stablehlo.or", Reducer::logical_or}};
  for (const auto& [op, reducer] : kReducers) {
    if (op == name) return reducer;
  }
  return Reducer::none;
}

Reducer reducer_of(const Region& region) {
  if (region.operations.empty() || region.arguments.size() != 2) return Reducer::none;
  const Operation& op = region.operations[0];
  std::string_view result = op.result;
  for (size_t i = 1; i < region.operations.size(); ++i) {  // hints to the compiler, then a return
    const Operation& next = region.operations[i];
    const bool hint = next.name == "sdy.sharding_constraint", end = next.returns();
    if ((!hint && !end) || next.operands.size() != 1 || next.operands[0].name != result) return Reducer::none;
    result = next.result;
  }
  if (op.operands.size() != 2 || region.operations.size() < 2) return Reducer::none;
  const std::string_view a = op.operands[0].name, b = op.operands[1].name;
  const std::string_view first = region.arguments[0].name, second = region.arguments[1].name;
  const bool both = (a == first && b == second) || (a == second && b == first);
  return both ? reducer_of_name(op.name) : Reducer::none;
}

Rational neutral_of(Reducer op, DType dtype) {
  switch (op) {
    case Reducer::max:
      return is_float(dtype) ? Rational::infinity(true) : dtype == DType::pred ? Rational(0) : least_integer(dtype);
    case Reducer::min:
      return is_float(dtype) ? Rational::infinity(false) : dtype == DType::pred ? Rational(1) : greatest_integer(dtype);
    case Reducer::mul:
      return Rational(1);
    case Reducer::logical_and:
      return dtype == DType::pred ? Rational(1) : Rational(-1);
    default:
      return Rational(0);
  }
}

Reducer reducer_for(Reducer op, DType dtype) {
  if (dtype != DType::pred) return op;
  if (op == Reducer::max) return Reducer::logical_or;
  if (op == Reducer::min) return Reducer::logical_and;
  return op;
}

OpData elementwise_op(Reducer op) {
  switch (op) {
    case Reducer::max:
      return Maximum{};
    case Reducer::min:
      return Minimum{};
    case Reducer::mul:
      return Multiply{};
    case Reducer::logical_and:
      return And{};
    case Reducer::logical_or:
      return Or{};
    default:
      return Add{};
  }
}

Reducer reducer_with_index(const Region& region) {
  if (region.arguments.size() != 4) return Reducer::none;
  for (const Reducer op : {Reducer::max, Reducer::min}) {
    if (chooses(region, op)) return op;
  }
  return Reducer::none;
}

std::optional<bool> is_ascending(const Region& comparator, size_t key) {
  if (2 * key + 1 >= comparator.arguments.size()) return std::nullopt;
  bool less = true, greater = true;
  for (const double x : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    for (const double y : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
      const auto results =
          run(comparator, {{comparator.arguments[2 * key].name, x}, {comparator.arguments[2 * key + 1].name, y}});
      if (!results || results->size() != 1) return std::nullopt;
      less = less && ((*results)[0] != 0) == (x < y);
      greater = greater && ((*results)[0] != 0) == (x > y);
    }
  }
  if (less == greater) return std::nullopt;
  return less;
}

}  // namespace isoshard::stablehlo

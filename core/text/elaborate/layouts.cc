// Layouts and views: which block of a global a device reads.
// A block is an expression over coordinates (docs/adr/0008-views.md). It is elaborated to an expression of the IR where
// it names an axis, and to an integer where it does not, so that `/` is exact among numbers and rounds down for
// coordinates. Beside each expression a bound on its magnitude is kept, as a float; one of 2^60 or more is an error, so
// that no evaluation on any device can overflow. Divisors must be positive numbers that are the same on all devices.
// Cost: the size of the expression.
#include "core/text/elaborate/layouts.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

constexpr double kMostBlocks = 0x1p60;  ///< expressions below it cannot overflow

/// An expression over coordinates of devices, and a bound of its absolute values.
struct Coordinates {
  isoshard::Expr value;
  double bound = 0;
};

std::optional<Coordinates> coordinates(const Expr& expr, const Scope& at);

bool names_axis(const Expr& expr, const Scope& at) {
  if (expr.kind == Expr::Kind::name && at.mesh().find(expr.text)) return true;
  return std::any_of(expr.arguments.begin(), expr.arguments.end(), [&](const Expr& e) { return names_axis(e, at); });
}

std::optional<Coordinates> combine(const Span& span, char op, Coordinates left, const Coordinates& right,
                                   const Scope& at) {
  const bool divides = op == '/' || op == '%';
  const int64_t divisor = divides && right.value.is_constant() ? right.value.evaluate(Mesh(), 0, {}) : 0;
  if (divides && divisor <= 0) {
    at.error("E-block", span,
             at.quote(span) + " divides by " +
                 (right.value.is_constant() ? std::to_string(divisor) : std::string("a coordinate")) +
                 "; expected a positive number, the same on every device");
    return std::nullopt;
  }
  Coordinates result;
  if (op == '+') result = {std::move(left.value) + right.value, left.bound + right.bound};
  if (op == '-') result = {std::move(left.value) - right.value, left.bound + right.bound};
  if (op == '*') result = {std::move(left.value) * right.value, left.bound * right.bound};
  if (op == '/') result = {floor_div(std::move(left.value), right.value), left.bound + 1};
  if (op == '%') result = {mod(std::move(left.value), right.value), right.bound};
  if (result.bound < kMostBlocks) return result;
  at.error("E-overflow", span, at.quote(span) + " may need more than 60 bits; expected block numbers");
  return std::nullopt;
}

std::optional<Coordinates> coordinate_chain(const Expr& expr, const Scope& at) {
  std::optional<Coordinates> result = coordinates(expr.arguments.front(), at);
  for (size_t i = 1; i < expr.arguments.size() && result; ++i) {
    const std::optional<Coordinates> right = coordinates(expr.arguments[i], at);
    if (!right) return std::nullopt;
    const Span span = expr.arguments.front().span.to(expr.arguments[i].span);
    result = combine(span, expr.arguments[i].op, std::move(*result), *right, at);
  }
  return result;
}

/// `mod(a, b)`, `ceildiv(a, b)`, `min(a, b)` and `max(a, b)`, of two.
std::optional<Coordinates> coordinate_function(const Expr& expr, const Scope& at) {
  std::optional<Coordinates> left = coordinates(expr.arguments[0], at);
  const std::optional<Coordinates> right = left ? coordinates(expr.arguments[1], at) : std::nullopt;
  if (!right) return std::nullopt;
  if (expr.text == "mod") return combine(expr.span, '%', std::move(*left), *right, at);
  if (expr.text == "ceildiv") {
    std::optional<Coordinates> above = combine(expr.span, '+', std::move(*left), *right, at);
    if (above) above = combine(expr.span, '-', std::move(*above), {isoshard::Expr(1), 1}, at);
    return above ? combine(expr.span, '/', std::move(*above), *right, at) : std::nullopt;
  }
  const double bound = std::max(left->bound, right->bound);
  if (expr.text == "min") return Coordinates{min(std::move(left->value), right->value), bound};
  return Coordinates{max(std::move(left->value), right->value), bound};
}

/// What names no axis is an ordinary integer, with exact division; `/` of a coordinate rounds down.
std::optional<Coordinates> coordinates(const Expr& expr, const Scope& at) {
  if (!names_axis(expr, at)) {
    const std::optional<int64_t> value = read_integer(expr, at);
    if (!value) return std::nullopt;
    return combine(expr.span, '+', Coordinates{}, {*value, std::abs(static_cast<double>(*value))}, at);
  }
  if (expr.kind == Expr::Kind::name) {
    const AxisId axis = *at.mesh().find(expr.text);
    return Coordinates{isoshard::Expr::coordinate(axis), static_cast<double>(at.mesh().axis(axis).size)};
  }
  if (expr.kind == Expr::Kind::sum || expr.kind == Expr::Kind::product) return coordinate_chain(expr, at);
  if (expr.kind == Expr::Kind::negate) {
    const std::optional<Coordinates> inner = coordinates(expr.arguments[0], at);
    return inner ? combine(expr.span, '-', Coordinates{}, *inner, at) : std::nullopt;
  }
  constexpr std::string_view kFunctions[] = {"mod", "ceildiv", "min", "max"};
  const bool is_known = std::find(std::begin(kFunctions), std::end(kFunctions), expr.text) != std::end(kFunctions);
  if (expr.kind == Expr::Kind::function && expr.arguments.size() == 2 && is_known) return coordinate_function(expr, at);
  at.error("E-block", expr.span,
           at.quote(expr.span) +
               " cannot hold a coordinate; expected + - * / % and parentheses, or mod, ceildiv, min and max of two");
  return std::nullopt;
}

std::optional<BlockOf> block_of(const EntrySyntax& syntax, const Scope& at) {
  const std::optional<Coordinates> index = coordinates(*syntax.index, at);
  const std::optional<int64_t> count = read_integer(*syntax.count, at);
  if (!index || !count) return std::nullopt;
  return BlockOf{index->value, *count};
}

std::optional<ViewEntry> read_entry(const EntrySyntax& syntax, const Scope& at) {
  ViewEntry result;
  result.split = syntax.split == "stack" ? Split::stack : syntax.split == "uneven" ? Split::uneven : Split::equal;
  if (syntax.index) {
    result.of = block_of(syntax, at);
    return result.of ? std::optional(result) : std::nullopt;
  }
  if (syntax.offset && names_axis(*syntax.offset, at)) {
    at.error("E-block", syntax.span,
             at.quote(syntax.span) +
                 " is no block of one axis; expected `of` and the number of blocks behind it, as in "
                 "[2*c+pp of 8, -]");
    return std::nullopt;
  }
  const std::optional<Group> axes = at.group(syntax.axes);
  const std::optional<int64_t> offset = syntax.offset ? read_integer(*syntax.offset, at) : 0;
  if (!axes || !offset) return std::nullopt;
  result.axes = *axes;
  result.offset = *offset;
  return result;
}

}  // namespace

std::optional<Layout> read_layout(const LayoutSyntax& syntax, const Scope& at) {
  Layout result;
  for (const EntrySyntax& written : syntax.entries) {
    const std::optional<ViewEntry> read = read_entry(written, at);
    if (!read) return std::nullopt;
    result.push_back(*read);
  }
  return result;
}

std::optional<View> read_view(const LayoutSyntax& layout, const ViewSyntax& syntax, const Scope& at) {
  const std::optional<Layout> blocks = read_layout(layout, at);
  const std::optional<Group> invariant = at.group(syntax.invariant);
  bool good = blocks && invariant;
  const auto number = [&](const std::optional<Expr>& expr, int64_t otherwise) {
    const std::optional<int64_t> value = expr ? read_integer(*expr, at) : otherwise;
    good = good && value;
    return value.value_or(0);
  };
  View result;
  for (const PartSyntax& part : syntax.range) {
    BlockRange range{number(part.start, 0)};
    if (part.limit) range.limit = number(part.limit, 0);
    result.range.push_back(range);
  }
  for (const OwnerSyntax& owner : syntax.only) {
    const std::optional<AxisId> id = at.axis(owner.axis);
    const std::optional<int64_t> coordinate = read_integer(owner.coordinate, at);
    good = good && id && coordinate;
    if (good) result.only.push_back(Owner{*id, *coordinate});
  }
  result.coverage.times = syntax.incomplete ? 0 : number(syntax.times, 1);
  if (good && !syntax.incomplete && result.coverage.times < 1) {
    at.error("C-coverage", syntax.times->span,
             "a view `times " + std::to_string(result.coverage.times) + "`; expected at least 1, or `incomplete`");
    good = false;
  }
  if (!good) return std::nullopt;
  result.layout = *blocks;
  result.invariant = invariant->set();
  return result;
}

}  // namespace isoshard::text

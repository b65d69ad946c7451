// `global @ids : i32[b] input in 0..vocab, -100`: what an integer global may hold.
#include "core/text/elaborate/elaborate_range.h"

#include <algorithm>
#include <utility>

#include "core/support/rational_gmp.h"
#include "core/text/elaborate/numbers.h"
#include "core/value/integers.h"

namespace isoshard::text {
namespace {

/// The exact init, if `global` has one.
std::optional<int64_t> fixed_init(const Global& global) {
  if (global.init.kind == InitKind::zeros) return 0;
  if (global.init.kind == InitKind::ones) return 1;
  if (global.init.kind != InitKind::value || !global.init.value.is_integer()) return std::nullopt;
  const mpz_class& number = to_mpq(global.init.value).get_num();
  return number.fits_slong_p() ? std::optional<int64_t>(number.get_si()) : std::nullopt;
}

/// What is wrong with the range of a global; empty: nothing.
std::string wrong_range_of(const Global& global, const ValueRange& range) {
  std::string wrong = wrong_range(range, global.type);
  const std::optional<int64_t> init = fixed_init(global);
  if (!wrong.empty() || !init || range.contains(*init)) return wrong;
  return "the range is " + range.to_string() + " and the init " + std::to_string(*init) +
         "; expected an init in the range";
}

}  // namespace

std::optional<ValueRange> elaborate_range(const ValueRangeSyntax& syntax, const Global& global, const Scope& scope) {
  const auto fail = [&](const std::string& message) {
    scope.error("E-range", syntax.span, message);
    return std::nullopt;
  };
  if (!is_integer(global.type.dtype)) {
    return fail("@" + global.name + " is " + to_string(global.type) + "; a range is for integers");
  }
  const std::optional<int64_t> low = read_integer(syntax.range.first, scope),
                               high = read_integer(syntax.range.limit, scope);
  if (!low || !high) return std::nullopt;
  std::vector<int64_t> others;
  for (const Expr& other : syntax.others) {
    const std::optional<int64_t> number = read_integer(other, scope);
    if (!number) return std::nullopt;
    others.push_back(*number);
  }
  ValueRange range{*low, *high};
  range.add(others);
  const std::string wrong = wrong_range_of(global, range);
  return wrong.empty() ? std::optional(std::move(range)) : fail(wrong);
}

}  // namespace isoshard::text

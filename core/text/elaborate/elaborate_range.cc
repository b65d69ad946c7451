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

/// What is wrong with a range; empty: nothing.
std::string wrong_range(const ValueRange& range, const Global& global) {
  const IntegerEnds ends = integer_ends(global.type.dtype);
  const auto held = [&](int64_t n) { return ends.contain(n); };
  const std::string subject = "the range is " + range.to_string();
  if (range.low >= range.high) return subject + ", which holds no integer; expected LOW..HIGH with LOW < HIGH";
  if (!held(range.low) || !held(range.high - 1) || !std::all_of(range.others.begin(), range.others.end(), held)) {
    return subject + " for " + to_string(global.type) + "; expected integers from " + std::to_string(ends.least) +
           " to " + std::to_string(ends.greatest);
  }
  const std::optional<int64_t> init = fixed_init(global);
  if (!init || range.contains(*init)) return "";
  return subject + " and the init " + std::to_string(*init) + "; expected an init in the range";
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
  ValueRange range{*low, *high};
  for (const Expr& other : syntax.others) {
    const std::optional<int64_t> number = read_integer(other, scope);
    if (!number) return std::nullopt;
    if (*number < *low || *number >= *high) range.others.push_back(*number);
  }
  std::sort(range.others.begin(), range.others.end());
  range.others.erase(std::unique(range.others.begin(), range.others.end()), range.others.end());
  const std::string wrong = wrong_range(range, global);
  return wrong.empty() ? std::optional(std::move(range)) : fail(wrong);
}

}  // namespace isoshard::text

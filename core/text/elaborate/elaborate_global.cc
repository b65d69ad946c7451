// `global @ids : i32[b] input in 0..vocab, -100 init=zeros`: the words behind the type.
#include "core/text/elaborate/elaborate_global.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/support/rational_gmp.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/syntax/suggest.h"
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

std::optional<Role> elaborate_role(const Word& word, const Scope& scope) {
  std::vector<std::string> names;
  for (const Role known : {Role::param, Role::input, Role::constant, Role::key, Role::state}) {
    if (name(known) == word.text) return known;
    names.emplace_back(name(known));
  }
  scope.error("E-role", word.span, "there is no role `" + word.text + "`" + suggestion(word.text, names, "", "roles"));
  return std::nullopt;
}

std::optional<Init> elaborate_init(const Expr& syntax, const std::optional<TensorType>& type, const Scope& scope) {
  std::vector<std::string> names;
  for (const InitKind kind :
       {InitKind::normal, InitKind::uniform, InitKind::lecun_normal, InitKind::zeros, InitKind::ones}) {
    if (syntax.kind == Expr::Kind::name && name(kind) == syntax.text) return Init{kind, {}};
    names.emplace_back(name(kind));
  }
  const bool is_let = scope.declares(syntax.text);
  const bool is_word = syntax.kind == Expr::Kind::name && !is_let && syntax.text != "inf" && syntax.text != "nan";
  if (is_word) {
    scope.error(
        "E-init", syntax.span,
        "there is no init `" + syntax.text + "` (and it is no number)" + suggestion(syntax.text, names, "", "inits"));
    return std::nullopt;
  }
  const std::optional<Rational> value = read_number(syntax, scope);
  if (!value) return std::nullopt;
  const bool is_integral = type && !is_float(type->dtype);
  const bool fits = !type || !is_integer(type->dtype) || is_integer_of(type->dtype, *value);
  if ((!is_integral || value->is_integer()) && fits) return Init{InitKind::value, *value};
  const bool has_range = !is_integral || value->is_integer();
  scope.error("E-init", syntax.span,
              "the init is " + value->to_string() + " for " + to_string(*type) + "; expected an integer" +
                  (has_range ? " from " + least_integer(type->dtype).to_string() + " to " +
                                   greatest_integer(type->dtype).to_string()
                             : ""));
  return std::nullopt;
}

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

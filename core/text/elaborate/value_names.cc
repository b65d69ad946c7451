// Turns written names into values. A name such as `%h.{i+1}.w` is spelled first: indices are evaluated and a spread,
// `%p.{0..4}`, gives one name per index. The result is looked up in the values of the innermost body; a scan opens a
// level of its own, since its body captures nothing. A name that is not found gets the best explanation that there is,
// tried in this order: it is outside of the scan, it is defined further below, it is defined in a branch of an `if`, or
// another name is close. These are searched only in the case of an error, so that a use costs one look-up in a hash
// table.
#include "core/text/elaborate/value_names.h"

#include <algorithm>

#include "core/text/elaborate/numbers.h"
#include "core/text/elaborate/op_aliases.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

/// A result of the body that is spelled like a use, indices aside.
struct Spelled {
  const ValueName* result = nullptr;
  bool in_branch = false;
};

/// All results that are spelled like `use`, in the order written.
void find_spelled(const Block& block, const ValueName& use, bool in_branch, std::vector<Spelled>& found) {
  for (const Statement& statement : block.statements) {
    if (const LoopSyntax* loop = std::get_if<LoopSyntax>(&statement.data)) {
      find_spelled(loop->body, use, in_branch, found);
    } else if (const IfSyntax* conditional = std::get_if<IfSyntax>(&statement.data)) {
      for (const Branch& branch : conditional->branches) find_spelled(branch.body, use, true, found);
    }
    const OpSyntax* op = std::get_if<OpSyntax>(&statement.data);
    const ScanSyntax* scan = std::get_if<ScanSyntax>(&statement.data);
    if (op == nullptr && scan == nullptr) continue;
    for (const ValueName& result : op != nullptr ? op->results : scan->results) {
      const bool same = result.base == use.base && result.parts.size() == use.parts.size();
      if (same) found.push_back(Spelled{&result, in_branch});
    }
  }
}

}  // namespace

std::optional<std::string> ValueNames::index(const Expr& expr) {
  const std::optional<int64_t> value = read_integer(expr, scope_);
  if (value && *value < 0) {
    scope_.error("E-index", expr.span, "the index is " + std::to_string(*value) + "; expected at least 0");
    return std::nullopt;
  }
  return value ? std::optional(std::string(".").append(std::to_string(*value))) : std::nullopt;
}

bool ValueNames::spread(const Range& range, const std::string& prefix, const Span& span,
                        std::vector<std::string>& names) {
  const std::optional<int64_t> first = read_integer(range.first, scope_), limit = read_integer(range.limit, scope_);
  if (!first || !limit) return false;
  if (*first < 0) {
    scope_.error("E-index", span, "the spread starts at " + std::to_string(*first) + "; expected at least 0");
    return false;
  }
  for (int64_t i = *first; i < *limit; ++i) {
    if (!elaboration_.step(scope_, span)) return false;
    names.push_back(prefix + "." + std::to_string(i));
  }
  return true;
}

std::optional<std::vector<std::string>> ValueNames::spell(const ValueName& name) {
  std::vector<std::string> names{name.base};
  bool has_spread = false;
  for (const NamePart& part : name.parts) {
    const Range* range = std::get_if<Range>(&part.part);
    if (range != nullptr) {
      if (has_spread) {
        scope_.error("E-index", name.span, scope_.quote(name.span) + " has two spreads; expected at most one");
        return std::nullopt;
      }
      has_spread = true;
      const std::string prefix = std::move(names.front());
      names.clear();
      if (!spread(*range, prefix, name.span, names)) return std::nullopt;
      continue;
    }
    const std::string* text = std::get_if<std::string>(&part.part);
    const std::optional<std::string> suffix =
        text != nullptr ? std::optional(std::string(".").append(*text)) : index(std::get<Expr>(part.part));
    if (!suffix) return std::nullopt;
    for (std::string& spelled : names) spelled += *suffix;
  }
  return names;
}

std::optional<std::string> ValueNames::spell_one(const ValueName& name) {
  if (name.parts.empty()) return name.base;
  for (const NamePart& part : name.parts) {
    if (!std::holds_alternative<Range>(part.part)) continue;
    scope_.error("E-index", name.span, scope_.quote(name.span) + " is a spread; expected one value here");
    return std::nullopt;
  }
  const std::optional<std::vector<std::string>> names = spell(name);
  return names ? std::optional(names->front()) : std::nullopt;
}

void ValueNames::define_number(const std::string& name, const Rational& number, const Span& span) {
  numbers_.insert({name, number});
  define(name, ValueId(), span);
}

const Rational* ValueNames::find_number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? nullptr : &found->second;
}

std::optional<ValueId> ValueNames::find(const std::string& name, const ValueName& use) {
  if (const Rational* number = numbers_.empty() ? nullptr : find_number(name)) {
    scope_.error("E-literal", use.span,
                 "%" + name + " is the number " + number->to_string() + " here, which has no shape; expected a value");
    return std::nullopt;
  }
  const NameMap<Definition>& values = levels_.back().values;
  if (const Definition* known = values.find(name)) return known->value;
  if (incomplete_) return ValueId();
  if (const Definition* outside = find_outside(name)) {
    elaboration_.scope.sink
        .error("E-capture", scope_.at(use.span),
               "%" + name + " is outside of this scan, whose body captures nothing; carry it, as in `scan (%a = %" +
                   name + ")`, or slice it along dimension 0, as in `over (%a = %" + name + ")`")
        .note(locate(scope_.source(), outside->span), "it is defined here");
    return std::nullopt;
  }
  const ValueName* in_branch = nullptr;
  std::vector<Spelled> spelled;
  find_spelled(*levels_.back().body, use, false, spelled);
  for (const Spelled& candidate : spelled) {
    if (candidate.result->span.offset > use.span.offset) {
      elaboration_.scope.sink.error("E-order", scope_.at(use.span), "%" + name + " is used before it is defined")
          .note(locate(scope_.source(), candidate.result->span), "it is defined here");
      return std::nullopt;
    }
    if (candidate.in_branch) in_branch = candidate.result;
  }
  if (in_branch != nullptr) {
    elaboration_.scope.sink.error("E-undefined", scope_.at(use.span), "%" + name + " is not defined")
        .note(locate(scope_.source(), in_branch->span), "this definition stands in a branch of an `if`");
    return std::nullopt;
  }
  constexpr size_t kMaxCandidates = 10000;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(values.size(), kMaxCandidates); ++i) names.emplace_back(values.name(i));
  std::sort(names.begin(), names.end());
  const std::string closest = closest_name(name, names), advice = method_advice(name);
  scope_.error("E-undefined", use.span,
               "%" + name + " is not defined" +
                   (!advice.empty()   ? "; " + advice
                    : closest.empty() ? ""
                                      : "; did you mean `%" + closest + "`?"));
  return std::nullopt;
}

std::string ValueNames::method_advice(const std::string& name) const {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || !knows(name.substr(0, dot))) return "";
  const std::string advice = alias_advice(name);
  return advice.empty() ? "" : "`" + name.substr(dot) + "` of Python is here " + advice;
}

bool ValueNames::check_free(const std::string& name, const Span& span) {
  const Definition* known = levels_.back().values.find(name);
  if (known == nullptr) return true;
  if (known->span.offset == span.offset) {
    scope_.error("E-duplicate", span,
                 "%" + name + " is defined again in every iteration; write %" + name +
                     ".{k} with the loop variable k, so that each has its own name");
  } else {
    elaboration_.scope.sink.error("E-duplicate", scope_.at(span), "%" + name + " is defined twice; expected a new name")
        .note(locate(scope_.source(), known->span), "it is first defined here");
  }
  return false;
}

std::optional<std::vector<std::string>> ValueNames::spell_results(const std::vector<ValueName>& results) {
  std::vector<std::string> names;
  bool good = true;
  for (const ValueName& result : results) {
    const std::optional<std::string> name = spell_one(result);
    if (!name || !check_free(*name, result.span)) {
      good = false;
    } else if (std::find(names.begin(), names.end(), *name) != names.end()) {
      scope_.error("E-duplicate", result.span, "%" + *name + " is defined twice; expected a new name");
      good = false;
    } else {
      names.push_back(*name);
    }
  }
  return good ? std::optional(std::move(names)) : std::nullopt;
}

void ValueNames::enter(const Block& body) { levels_.push_back(Level{&body, {}}); }

void ValueNames::leave() { levels_.pop_back(); }

const ValueNames::Definition* ValueNames::find_outside(const std::string& name) const {
  for (size_t i = levels_.size() - 1; i-- > 0;) {
    if (const Definition* known = levels_[i].values.find(name)) return known;
  }
  return nullptr;
}

void ValueNames::define(const std::string& name, ValueId value, const Span& span) {
  levels_.back().values.insert(name, Definition{value, span});
}

}  // namespace isoshard::text

// Turns operands into values. A name may be a spread and stands for several values. A number becomes a constant of the
// shape and dtype that its place asks for: those of the other of two operands, of the other branch of a select, or an
// integer scalar where the op takes a start or what is folded into a key. Where no other operand tells the shape, the
// number is an error, since guessing one would change the program silently. `sum` is no op: it becomes a chain of
// additions from left to right, whose order matters in floats. Ops that stand as operands are appended before the op
// that takes them, each with a made-up name; only in such expressions are scalars broadcast (ADR 87).
#include "core/text/elaborate/elaborate_operands.h"

#include <algorithm>

#include "core/support/rational_gmp.h"
#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

/// Operands that are integer scalars whatever the others are: starts of blocks, and what is folded into a key.
std::optional<DType> scalar_operand(const std::string& op, size_t operand) {
  if (op == "rng_fold_in" && operand == 1) return DType::u32;
  const bool is_start = (op == "dynamic_slice" && operand >= 1) || (op == "dynamic_update_slice" && operand >= 2) ||
                        (op == "rng_bits" && operand >= 1);
  return is_start ? std::optional(DType::i32) : std::nullopt;
}

}  // namespace

namespace {

bool is_spread(const ValueName& name) {
  return std::any_of(name.parts.begin(), name.parts.end(),
                     [](const NamePart& part) { return std::holds_alternative<Range>(part.part); });
}

constexpr std::string_view kFolded[] = {"add", "subtract", "multiply", "divide", "negate"};

}  // namespace

bool Operands::is_number(const Operand& operand) const {
  if (std::holds_alternative<Expr>(operand)) return true;
  if (const ValueName* name = std::get_if<ValueName>(&operand)) {
    return name->parts.empty() && names_.find_number(name->base) != nullptr;
  }
  const OpSyntax& op = std::get<Inline>(operand).op.front();
  return std::find(std::begin(kFolded), std::end(kFolded), op.op.text) != std::end(kFolded) &&
         op.operands.size() == (op.op.text == "negate" ? 1 : 2) &&
         std::all_of(op.operands.begin(), op.operands.end(), [&](const Operand& inner) { return is_number(inner); });
}

std::optional<Rational> Operands::folded(const Operand& operand) const {
  if (const ValueName* name = std::get_if<ValueName>(&operand)) return *names_.find_number(name->base);
  if (const Expr* literal = std::get_if<Expr>(&operand)) return read_number(*literal, scope_);
  const Inline& inlined = std::get<Inline>(operand);
  const OpSyntax& op = inlined.op.front();
  const std::optional<Rational> left = folded(op.operands.front()), right = folded(op.operands.back());
  if (!left || !right) return std::nullopt;
  const bool divides_by_zero = op.op.text == "divide" && right->is_zero();
  if (!left->finite() || !right->finite() || divides_by_zero) {
    scope_.error(divides_by_zero ? "E-divide" : "E-number", inlined.span,
                 scope_.quote(inlined.span) + " is no number: " + left->to_string() + " and " + right->to_string());
    return std::nullopt;
  }
  const mpq_class a = to_mpq(*left), b = to_mpq(*right);
  if (op.op.text == "negate") return from_mpq(-a);
  if (op.op.text == "add") return from_mpq(a + b);
  if (op.op.text == "subtract") return from_mpq(a - b);
  return op.op.text == "multiply" ? from_mpq(a * b) : from_mpq(a / b);
}

bool Operands::names_value(const Expr& literal) const {
  const bool number = literal.text == "inf" || literal.text == "nan" || scope_.declares(literal.text) ||
                      scope_.find_word(literal.text) != nullptr;
  if (literal.kind == Expr::Kind::name && !number && names_.knows(literal.text)) {
    scope_.error("E-name", literal.span,
                 "there is no let `" + literal.text + "`; did you mean the value `%" + literal.text + "`?");
    return true;
  }
  return std::any_of(literal.arguments.begin(), literal.arguments.end(),
                     [&](const Expr& part) { return names_value(part); });
}

std::optional<Argument> Operands::read_one(const Operand& operand) {
  if (const Expr* literal = std::get_if<Expr>(&operand)) {
    return names_value(*literal) ? std::nullopt : std::optional(Argument{ValueId(), literal});
  }
  const ValueName* name = std::get_if<ValueName>(&operand);
  const Span& span = name != nullptr ? name->span : std::get<Inline>(operand).span;
  if (names_.has_numbers() && is_number(operand)) {
    const std::optional<Rational> number = folded(operand);
    return number ? std::optional(Argument{ValueId(), nullptr, number, span}) : std::nullopt;
  }
  if (name == nullptr) {
    const std::optional<ValueId> value = inlined_(std::get<Inline>(operand));
    return value ? std::optional(Argument{*value}) : std::nullopt;
  }
  const std::optional<ValueId> value = names_.find(name->base, *name);
  return value ? std::optional(Argument{*value}) : std::nullopt;
}

std::optional<std::vector<Argument>> Operands::read(const std::vector<Operand>& operands) {
  std::vector<Argument> result;
  bool good = true;
  for (const Operand& operand : operands) {
    if (!good) break;  // one error for each op
    const ValueName* name = std::get_if<ValueName>(&operand);
    if (name == nullptr || name->parts.empty()) {
      std::optional<Argument> argument = read_one(operand);
      good &= argument.has_value();
      result.push_back(argument ? std::move(*argument) : Argument{});
      continue;
    }
    const std::optional<std::vector<std::string>> names = names_.spell(*name);
    good &= names.has_value();
    for (size_t i = 0; names && good && i < names->size(); ++i) {
      const std::optional<ValueId> value = names_.find((*names)[i], *name);
      good &= value.has_value();
      result.push_back(Argument{value.value_or(ValueId())});
    }
  }
  return good ? std::optional(std::move(result)) : std::nullopt;
}

ValueId Operands::one(const Operand& operand) {
  if (const Inline* inner = std::get_if<Inline>(&operand)) return inlined_(*inner).value_or(ValueId());
  if (const Expr* literal = std::get_if<Expr>(&operand)) {
    if (names_value(*literal)) return ValueId();
    scope_.error("E-literal", literal->span,
                 scope_.quote(literal->span) + " has no shape here; expected a value: write a `constant`");
    return ValueId();
  }
  const ValueName& name = std::get<ValueName>(operand);
  const std::optional<std::string> spelled = names_.spell_one(name);
  const std::optional<ValueId> value = spelled ? names_.find(*spelled, name) : std::nullopt;
  return value.value_or(ValueId());
}

std::vector<ValueId> Operands::with_broadcasts(const OpData& op, std::vector<ValueId> operands, const Span& span) {
  const bool applies = op_facts(op).elementwise && operands.size() > 1 && !std::holds_alternative<Clamp>(op);
  if (!applies || !std::all_of(operands.begin(), operands.end(), [](ValueId id) { return id.valid(); })) {
    return operands;
  }
  const auto rank = [&](ValueId id) { return builder_.type(id).tensor.shape.size(); };
  const auto whole = std::find_if(operands.begin(), operands.end(), [&](ValueId id) { return rank(id) != 0; });
  if (whole == operands.end()) return operands;
  const Shape shape = builder_.type(*whole).tensor.shape;
  const size_t first = std::holds_alternative<Select>(op) ? 1 : 0;  // its predicate may be a scalar
  for (size_t i = first; i < operands.size(); ++i) {
    if (rank(operands[i]) != 0) continue;
    if (!elaboration_.step(scope_, span)) break;
    operands[i] = builder_.add_op(BroadcastInDim{{}, shape}, {operands[i]}, "", scope_.at(span));
  }
  return operands;
}

namespace {

/// The operand whose type a number that stands as operand i has; null where it has none.
const Argument* other_operand(const std::string& op, const std::vector<Argument>& arguments, size_t i) {
  if (arguments.size() == 2) return &arguments[1 - i];
  if (arguments.size() != 3) return nullptr;
  if (op == "select" && i > 0) return &arguments[3 - i];
  return op == "clamp" && i != 1 ? &arguments[1] : nullptr;
}

}  // namespace

std::optional<std::vector<ValueId>> Operands::with_literals(const OpSyntax& syntax,
                                                            const std::vector<Argument>& arguments) {
  std::vector<ValueId> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_number()) {
      result.push_back(arguments[i].value);
      continue;
    }
    if (const std::optional<DType> dtype = scalar_operand(syntax.op.text, i)) {
      const std::optional<ValueId> scalar = constant(arguments[i], TensorType{*dtype, {}});
      if (!scalar) return std::nullopt;
      result.push_back(*scalar);
      continue;
    }
    const Argument* other = other_operand(syntax.op.text, arguments, i);
    if (other == nullptr || other->is_number() || syntax.op.text == "call" || syntax.op.text == "grad") {
      const Span& span = arguments[i].number_span();
      scope_.error("E-literal", span,
                   scope_.quote(span) +
                       " has no shape here: a number takes that of the other of two operands; write a `constant`");
      return std::nullopt;
    }
    const std::optional<ValueId> number = like(syntax, arguments[i], other->value);
    if (!number) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::optional<Rational> Operands::number_of(const Argument& argument) const {
  return argument.literal != nullptr ? read_number(*argument.literal, scope_) : argument.number;
}

std::optional<ValueId> Operands::like(const OpSyntax& syntax, const Argument& literal, ValueId other) {
  if (!other.valid()) return number_of(literal) ? std::optional(ValueId()) : std::nullopt;
  TensorType type = builder_.type(other).tensor;
  if (syntax.op.text == "pad" || syntax.op.text == "clamp") type.shape.clear();
  return constant(literal, type);
}

std::optional<ValueId> Operands::constant(const Argument& literal, const TensorType& type) {
  const std::optional<Rational> number = number_of(literal);
  const Span& span = literal.number_span();
  if (!number || !elaboration_.step(scope_, span)) return std::nullopt;
  return builder_.add_op(Constant{*number, type.dtype, type.shape}, {}, "", scope_.at(span));
}

std::vector<ValueId> Operands::sum(const OpSyntax& syntax, const std::optional<std::vector<Argument>>& arguments,
                                   const std::optional<std::vector<std::string>>& names, const Span& span) {
  if (!syntax.fields.empty() || (names && names->size() != 1)) {
    scope_.error("E-sum", span, "sum has no fields and one result, as in `%y = sum %p.{0..4}`");
    return {};
  }
  if (!arguments || !names) return {};
  const ValueName* only = syntax.operands.size() == 1 ? std::get_if<ValueName>(&syntax.operands.front()) : nullptr;
  const bool one = syntax.operands.size() == 1 && (only == nullptr || !is_spread(*only));
  if (one) {
    scope_.error("E-sum", span,
                 "sum adds several values, as in `sum %p.{0..4}`, and gets one; over the dimensions of a value it is "
                 "`reduce`, as in `reduce(%x) {op=add, dims=[1]}`");
    return {};
  }
  if (arguments->empty()) {
    scope_.error("E-sum", span, "sum has no operands; expected at least one value");
    return {};
  }
  ValueId total = arguments->front().value;
  for (size_t i = 0; i < arguments->size(); ++i) {
    if ((*arguments)[i].is_number()) {
      scope_.error("E-literal", (*arguments)[i].number_span(), "sum adds values; expected no numbers here");
      return {};
    }
    if (i == 0) continue;
    const bool last = i + 1 == arguments->size();
    total = builder_.add_op(Add{}, {total, (*arguments)[i].value}, last ? names->front() : "", scope_.at(span));
  }
  return {total};
}

}  // namespace isoshard::text

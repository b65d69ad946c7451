#pragma once  // internal

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/value_names.h"

namespace isoshard::text {

/// An operand before numbers have a type: a value, an expression, or what is known as a number already.
struct Argument {
  ValueId value;
  const Expr* literal = nullptr;
  std::optional<Rational> number{};
  Span span{};  ///< of `number`

  bool is_number() const { return literal != nullptr || number.has_value(); }
  const Span& number_span() const { return literal != nullptr ? literal->span : span; }
};

/// The operands of the ops of one program or func: names to values, numbers to constants.
class Operands {
 public:
  /// `scope` is the program's own and may change between calls; `inlined` appends an op that stands as an operand and
  /// gives nothing after an error.
  Operands(Elaboration& elaboration, Builder& builder, ValueNames& names, const Scope& scope,
           std::function<std::optional<ValueId>(const Inline&)> inlined)
      : elaboration_(elaboration), builder_(builder), names_(names), scope_(scope), inlined_(std::move(inlined)) {}

  /// Spreads names (`%p.{0..4}`); nothing after an unknown one.
  std::optional<std::vector<Argument>> read(const std::vector<Operand>& operands);
  /// What is returned or yielded: one value, or an op inline. An invalid id after an error.
  ValueId one(const Operand& operand);
  /// `operands` of an expression: scalars beside operands that are none are broadcast where `op` is elementwise.
  std::vector<ValueId> with_broadcasts(const OpData& op, std::vector<ValueId> operands, const Span& span);
  /// Gives literals their types, as constants of their own.
  std::optional<std::vector<ValueId>> with_literals(const OpSyntax& syntax, const std::vector<Argument>& arguments);
  /// `sum`: a left-to-right chain of adds; of one value, the value itself. No values after an error.
  std::vector<ValueId> sum(const OpSyntax& syntax, const std::optional<std::vector<Argument>>& arguments,
                           const std::optional<std::vector<std::string>>& names, const Span& span);

 private:
  /// Reports a value in `literal` whose `%` is missing (E-name).
  bool names_value(const Expr& literal) const;
  /// An operand that is one value or number.
  std::optional<Argument> read_one(const Operand& operand);
  /// Whether `operand` is made of numbers only, parameters that are numbers among them.
  bool is_number(const Operand& operand) const;
  /// What it then is; nothing after an error (E-divide, E-number).
  std::optional<Rational> folded(const Operand& operand) const;
  std::optional<Rational> number_of(const Argument& argument) const;
  /// A number beside `other`: of its type, or for pad a scalar of its dtype.
  std::optional<ValueId> like(const OpSyntax& syntax, const Argument& literal, ValueId other);
  std::optional<ValueId> constant(const Argument& literal, const TensorType& type);

  Elaboration& elaboration_;
  Builder& builder_;
  ValueNames& names_;
  const Scope& scope_;
  std::function<std::optional<ValueId>(const Inline&)> inlined_;
};

}  // namespace isoshard::text

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/json_read_tree.h"
#include "core/text/scope.h"

/// The parts of a JSON module that are no programs, as syntax of the language: its elaboration then finds their errors.
///
/// Every function reports what is wrong at the place in the JSON text and then returns nothing.
namespace isoshard::text {

/// "null", `"x"`, `3`, "an array": what a message shows of `node`.
std::string show(const JsonNode& node);

/// Whether `node` has `kind`; else says that it is `expected` (P-value). `subject` names it: "`left`".
bool json_is(const JsonNode& node, JsonKind kind, const std::string& subject, const std::string& expected,
             const Scope& scope);
/// Whether `node` is an object with all keys `needed`, perhaps `optional` ones and no other (P-key, P-value). `subject`
/// names it: "a check".
bool json_has_keys(const JsonNode& node, const std::string& subject, const std::vector<std::string>& needed,
                   const std::vector<std::string>& optional, const Scope& scope);
/// The items of an array.
const std::vector<JsonNode>* json_items(const JsonNode& node, const std::string& subject, const Scope& scope);

std::optional<bool> json_boolean(const JsonNode& node, const std::string& subject, const Scope& scope);
/// An integer of 64 bits (E-integer, E-overflow).
std::optional<int64_t> json_integer(const JsonNode& node, const std::string& subject, const Scope& scope);
std::optional<std::vector<int64_t>> json_integers(const JsonNode& node, const std::string& subject, const Scope& scope);
/// An integer as the language would write it there.
std::optional<Expr> json_number_syntax(const JsonNode& node, const std::string& subject, const Scope& scope);

/// A string that is one token of the language, without its sign: `model` (name), `W1` (global) or `x.3` (value).
std::optional<Word> json_word(const JsonNode& node, TokenKind kind, const std::string& subject, const Scope& scope);
/// A string that is an expression of the language.
std::optional<Expr> json_expression(const JsonNode& node, const std::string& subject, const Scope& scope);
/// An array of strings, each an entry of a layout.
std::optional<LayoutSyntax> json_layout_syntax(const JsonNode& node, const std::string& subject, const Scope& scope);
std::optional<Layout> json_layout(const JsonNode& node, const std::string& subject, const Scope& scope);

/// The `dtype` and `shape` of an object that has both.
std::optional<TypeSyntax> json_type_syntax(const JsonNode& object, const Scope& scope);
/// The value described by an object with `name`, `dtype`, `shape`, `states` and `has_gradient`.
std::optional<ValueType> json_value_type(const JsonNode& object, const Scope& scope);
/// What the `location` of an object says: `FILE:LINE:COLUMN` or `FILE:LINE`, without that text; nowhere for null. One
/// that is left out or of another form is the place of the object in the JSON text.
Location json_location(const JsonNode& object, const Scope& scope);

}  // namespace isoshard::text

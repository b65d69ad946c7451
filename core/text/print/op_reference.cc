// Writes the reference of all ops, docs/ops.md, from their declarations, so that the page cannot say anything else than
// the code. The list of ops is the variant itself, expanded at compile time; names, sentences, fields and the row of
// states come from each struct. A field whose type has no form here is one that the language writes at a place of its
// own, and marks the whole op as such. A line of usage is put together from the number of operands and the fields, in
// brackets where they may be left out.
#include "core/text/print/op_reference.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/ir/all_ops.h"
#include "core/ir/enum_names.h"
#include "core/support/rare_list.h"
#include "core/transform/autodiff/no_derivative.h"

namespace isoshard::text {
namespace {

template <class T>
struct Type {};

std::string form_of(Type<Group>) { return "an axis or a tuple of axes"; }
std::string form_of(Type<AxisSet>) { return "axes in braces"; }
std::string form_of(Type<std::optional<State>>) { return "a state"; }
std::string form_of(Type<int64_t>) { return "an integer"; }
std::string form_of(Type<std::optional<int64_t>>) { return "an integer"; }
std::string form_of(Type<std::vector<int64_t>>) { return "a list of integers"; }
std::string form_of(Type<RareList<int64_t>>) { return form_of(Type<std::vector<int64_t>>()); }
std::string form_of(Type<DimPairs>) { return "two lists, `[0]x[1]`"; }
std::string form_of(Type<ConvolutionDims>) { return "dimension numbers, `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`"; }
std::string form_of(Type<std::vector<IndexPair>>) { return "a list of pairs, `[(0, 1), (1, 0)]`"; }
std::string form_of(Type<DType>) { return "a dtype"; }
std::string form_of(Type<std::string>) { return "a string"; }
std::string form_of(Type<Rational>) { return "a number"; }
template <class E>
requires std::is_enum_v<E> && requires(E value) { enum_names(value); }
std::string form_of(Type<E>) {
  std::string text;
  const auto& rows = enum_names(E{});
  for (size_t i = 0; i < std::size(rows); ++i) {
    if (i != 0) text += i + 1 == std::size(rows) ? " or " : ", ";
    text += '`';
    text += rows[i].name;
    text += '`';
  }
  return text;
}

std::string_view row_of(StateRule rule) {
  switch (rule) {
    case StateRule::constant:
      return "`=` on every axis";
    case StateRule::jointly_linear:
      return "jointly linear";
    case StateRule::unary_linear:
      return "unary linear";
    case StateRule::bilinear:
      return "bilinear";
    case StateRule::nonlinear:
      return "nonlinear";
    case StateRule::custom:
      break;
  }
  return "its own";
}

template <class Op, class T>
void add_field_reference(const Field<Op, T>& field, OpReference& op) {
  if constexpr (requires { form_of(Type<T>()); }) {
    op.fields.push_back({std::string(field.name), form_of(Type<T>()), field.required, std::string(field.doc)});
  } else {
    op.own_form = true;  // a field that has a place of its own in the text
  }
}

template <class Op>
OpReference reference_of() {
  OpReference op{std::string(Op::kName),
                 std::string(Op::kDoc),
                 Op::kOperands,
                 std::string(row_of(Op::kStates)),
                 std::is_same_v<Op, Scan>,
                 {},
                 std::string(autodiff::no_derivative(Op{}))};
  std::apply([&](const auto&... field) { (add_field_reference(field, op), ...); }, Op::fields());
  return op;
}

template <size_t... I>
std::vector<OpReference> references_of(std::index_sequence<I...>) {
  return {reference_of<std::variant_alternative_t<I, OpVariant>>()...};
}

std::string entry(const OpReference& op) {
  std::string text = "\n## `" + op.name + "`\n\n" + op.doc + "\n\n";
  if (op.own_form) {
    text += "It has a form of its own: see [language.md](language.md).\n\n";
  } else {
    text += "```\n" + op.usage() + "\n```\n\n";
  }
  text += "States: " + op.states + ".\n";
  if (!op.no_derivative.empty()) text += "No derivative: " + op.no_derivative + ".\n";
  if (op.fields.empty() || op.own_form) return text;
  text += "\n| field | is | meaning |\n|---|---|---|\n";
  for (const FieldReference& field : op.fields) {
    text += "| `" + field.name + "` | " + field.form + (field.required ? "" : "; may be left out") + " | " + field.doc +
            " |\n";
  }
  return text;
}

}  // namespace

std::string OpReference::usage() const {
  if (own_form) return "";
  std::string text = "%y = " + name;
  const char* const names[] = {" %a", ", %b", ", %c"};
  for (int i = 0; i < operands; ++i) text += names[i];
  if (operands < 0) text += " %a, %b, ...";
  if (fields.empty()) return text;
  text += " {";
  for (size_t i = 0; i < fields.size(); ++i) {
    text += (i != 0 ? ", " : "");
    text += fields[i].required ? fields[i].name + "=..." : "[" + fields[i].name + "=...]";
  }
  return text + "}";
}

std::vector<OpReference> op_references() {
  std::vector<OpReference> ops = references_of(std::make_index_sequence<std::variant_size_v<OpVariant>>());
  std::sort(ops.begin(), ops.end(), [](const OpReference& a, const OpReference& b) { return a.name < b.name; });
  return ops;
}

std::string op_page() {
  std::string text =
      "# Ops\n\n<!-- Generated from the declarations in core/ir/ops by docs/generate; do not edit. -->\n\n"
      "Every op of the language, with its fields. Names and semantics are StableHLO's wherever it has the op. The rows "
      "of\n"
      "the state table that \"States\" names are in [types.md](types.md); fields in brackets may be left out.\n";
  for (const OpReference& op : op_references()) text += entry(op);
  return text;
}

}  // namespace isoshard::text

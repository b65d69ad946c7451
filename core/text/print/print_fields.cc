// Writes the fields of an op, `{axis=model, dim=1}`. All ops share this code: each op lists its fields once
// (docs/adr/0002-ops-are-structs-in-one-variant.md), and there is one `print` per type of member, so that a new op
// needs no line here. Fields that may be left out and have their default are left out, which makes the text canonical.
// Funcs of an op stand before its operands and are written by printer.cc. read_fields.cc reads what this writes.
#include <tuple>
#include <type_traits>

#include "core/ir/enum_names.h"
#include "core/text/elaborate/fields.h"

namespace isoshard::text {
namespace {

/// Writes the value of a field, one `print` per type of member.
struct FieldPrinter {
  const Mesh& mesh;

  std::string print(const Group& value) const { return mesh.to_string(value); }
  std::string print(const AxisSet& value) const { return print_axes(value, mesh); }
  std::string print(const std::optional<State>& value) const {
    return value ? std::string(1, letter(*value)) : std::string();
  }
  std::string print(int64_t value) const { return std::to_string(value); }
  std::string print(const std::optional<int64_t>& value) const {
    return value ? std::to_string(*value) : std::string();
  }
  std::string print(const std::vector<int64_t>& value) const {
    std::string text = "[";
    for (size_t i = 0; i < value.size(); ++i) text += (i ? ", " : "") + std::to_string(value[i]);
    return text + "]";
  }
  std::string print(const DimPairs& value) const { return print(value.lhs) + "x" + print(value.rhs); }
  std::string print(const ConvolutionDims& value) const { return to_string(value); }
  std::string print(const std::vector<IndexPair>& value) const {
    std::string text = "[";
    for (size_t i = 0; i < value.size(); ++i) {
      text += (i ? ", (" : "(") + std::to_string(value[i].first) + ", " + std::to_string(value[i].second) + ")";
    }
    return text + "]";
  }
  std::string print(const std::string& value) const {
    std::string text(1, '"');
    text += value;
    text += '"';
    return text;
  }
  std::string print(DType value) const { return std::string(name(value)); }
  std::string print(const Rational& value) const { return value.to_string(); }
  template <class E>
  requires std::is_enum_v<E> std::string print(E value)
  const { return std::string(enum_name(value)); }
};

template <class Op>
std::string print_all(const Op& op, const Mesh& mesh) {
  std::string text;
  const auto add = [&](const auto& field) {
    using T = typename std::decay_t<decltype(field)>::Type;
    if constexpr (!std::is_same_v<T, ProgramId>) {  // those stand before the operands
      if (!field.required && op.*field.member == T{}) return;
      text += (text.empty() ? "" : ", ") + std::string(field.name) + "=" + FieldPrinter{mesh}.print(op.*field.member);
    }
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, Op::fields());
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace

std::string print_axes(const AxisSet& axes, const Mesh& mesh) {
  std::string text;
  for (size_t i = 0; i < mesh.axis_count(); ++i) {
    if (axes.contains(AxisId(i))) text += (text.empty() ? "" : ", ") + mesh.axes()[i].name;
  }
  return "{" + text + "}";
}

std::string print_fields(const OpData& op, const Mesh& mesh) {
  return std::visit(
      [&]<class Op>(const Op& data) -> std::string {
        if constexpr (std::is_same_v<Op, View> || std::is_same_v<Op, Call>) {
          return "";
        } else {
          return print_all(data, mesh);
        }
      },
      op);
}

}  // namespace isoshard::text

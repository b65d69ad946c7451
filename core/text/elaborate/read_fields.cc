// Reads the fields of an op from its syntax, `{axis=model, dim=1}`, into the struct of the op. A table of one row per
// op is made at compile time from the variant of all ops; a row walks the fields that the op declares and calls the
// `read` that belongs to the type of the member. So a new op needs no line here, and every message says the op, the
// field, what is written and what belongs there. Unknown and repeated fields are reported first, all of them; a
// required field that is missing quotes its meaning from the declaration. `call` and `grad` have fields but forms of
// their own, and are read apart. Cost: fields times declared fields, both small.
#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/ir/enum_names.h"
#include "core/text/elaborate/fields.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/elaborate/op_aliases.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

using Kind = FieldValue::Kind;

/// Ops that fields alone describe.
template <class Op>
constexpr bool kHasOwnForm = std::is_same_v<Op, View> || std::is_same_v<Op, Call> || std::is_same_v<Op, Scan>;

/// Turns the value of a field into a member of an op, one `read` per type of member.
class FieldReader {
 public:
  FieldReader(const Scope& scope, const std::string& op, const FieldSyntax& field)
      : scope_(scope), op_(op), field_(field) {}

  bool read(Group& out) const {
    const FieldValue& value = field_.value;
    std::vector<Word> words;
    if (value.kind != Kind::expression && value.kind != Kind::tuple) return wrong("an axis or a tuple of axes");
    if (!axis_words(value, words)) return wrong("an axis or a tuple of axes");
    const std::optional<Group> group = scope_.group(words);
    if (group) out = *group;
    return group.has_value();
  }

  bool read(AxisSet& out) const {
    std::vector<Word> words;
    if (field_.value.kind != Kind::set || !axis_words(field_.value, words))
      return wrong("axes in braces, as in {model}");
    const std::optional<Group> group = scope_.group(words);
    if (group) out = group->set();
    return group.has_value();
  }

  bool read(std::optional<State>& out) const {
    const std::string* word = name_of(field_.value);
    out = word == nullptr ? std::nullopt : parse_state(*word);
    return out ? true : wrong("a state: R, I, V or P");
  }

  bool read(int64_t& out) const { return take_integer(field_.value, out, "an integer"); }

  bool read(std::optional<int64_t>& out) const {
    int64_t value = 0;
    if (!read(value)) return false;
    out = value;
    return true;
  }

  bool read(std::vector<int64_t>& out) const {
    return read_list(field_.value, out, "a list of integers, as in [0, 1]");
  }

  bool read(RareList<int64_t>& out) const {
    std::vector<int64_t> list;
    const bool good = read(list);
    out = std::move(list);
    return good;
  }

  bool read(DimPairs& out) const {
    constexpr const char* kExpected = "two lists of dimensions, as in [1]x[0]";
    if (field_.value.kind != Kind::dim_pairs) return wrong(kExpected);
    return read_list(field_.value.items[0], out.lhs, kExpected) && read_list(field_.value.items[1], out.rhs, kExpected);
  }

  bool read(ConvolutionDims& out) const {
    if (field_.value.kind != Kind::convolution) return wrong(kConvolution);
    const std::vector<FieldValue>& lists = field_.value.items;
    return read_roles(lists[0], "b", out.input.batch, "f", out.input.feature, out.input.spatial.own()) &&
           read_roles(lists[1], "o", out.kernel.output, "i", out.kernel.input, out.kernel.spatial.own()) &&
           read_roles(lists[2], "b", out.output.batch, "f", out.output.feature, out.output.spatial.own());
  }

  bool read(std::vector<IndexPair>& out) const {
    constexpr const char* kExpected = "a list of pairs, as in [(0, 1), (1, 0)]";
    if (field_.value.kind != Kind::list) return wrong(kExpected);
    for (const FieldValue& item : field_.value.items) {
      if (item.kind != Kind::tuple || item.items.size() != 2) return wrong(kExpected);
      IndexPair pair;
      if (!take_integer(item.items[0], pair.first, kExpected)) return false;
      if (!take_integer(item.items[1], pair.second, kExpected)) return false;
      out.push_back(pair);
    }
    return true;
  }

  bool read(std::optional<Word>& out) const {
    if (field_.value.kind != Kind::function) return wrong("a func, as in @f_bwd");
    out = Word{field_.value.expression->text, field_.value.span};
    return true;
  }

  bool read(DType& out) const {
    const std::string* word = name_of(field_.value);
    const std::optional<DType> dtype = word == nullptr ? std::nullopt : parse_dtype(*word);
    if (dtype) {
      out = *dtype;
      return true;
    }
    std::string names;
    for (const DTypeInfo& row : kDTypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return wrong("a dtype: " + names);
  }

  bool read(std::string& out) const {
    if (field_.value.kind != Kind::string) return wrong("a string, as in \"1F1B\"");
    out = field_.value.text;
    return true;
  }

  bool read(Rational& out) const {
    if (field_.value.kind != Kind::expression) return wrong("a number, as in 0.1, 1/3, -2 or inf");
    const std::optional<Rational> value = read_number(*field_.value.expression, scope_);
    if (value) out = *value;
    return value.has_value();
  }

  template <class E>
  requires std::is_enum_v<E>
  bool read(E& out) const {
    const std::string* word = name_of(field_.value);
    const auto& rows = enum_names(E());
    for (const auto& row : rows) {
      if (word == nullptr || *word != row.name) continue;
      out = row.value;
      return true;
    }
    const bool few = std::size(rows) <= 2;
    std::string names = few ? "" : "one of ";
    for (const auto& row : rows) {
      names += (&row == &rows[0] ? "" : few ? " or " : ", ") + std::string(row.name);
    }
    return wrong(names);
  }

 private:
  static constexpr const char* kConvolution = "dimension numbers, as in [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";

  /// Reports what was written and what belongs here; always false.
  bool wrong(const std::string& expected) const {
    scope_.error("E-field-value", field_.value.span,
                 op_ + ": the field `" + field_.name.text + "` is " + scope_.quote(field_.value.span) + "; expected " +
                     expected);
    return false;
  }

  static const std::string* name_of(const FieldValue& value) {
    const bool is_name = value.kind == Kind::expression && value.expression->kind == Expr::Kind::name;
    return is_name ? &value.expression->text : nullptr;
  }

  static bool axis_words(const FieldValue& value, std::vector<Word>& words) {
    if (value.kind == Kind::expression) {
      if (name_of(value) == nullptr) return false;
      words.push_back(Word{*name_of(value), value.span});
      return true;
    }
    for (const FieldValue& item : value.items) {
      if (name_of(item) == nullptr) return false;
      words.push_back(Word{*name_of(item), item.span});
    }
    return true;
  }

  bool take_integer(const FieldValue& value, int64_t& out, const char* expected) const {
    if (value.kind != Kind::expression) return wrong(expected);
    const std::optional<int64_t> result = read_integer(*value.expression, scope_);
    out = result.value_or(0);
    return result.has_value();
  }

  bool read_list(const FieldValue& value, std::vector<int64_t>& out, const char* expected) const {
    if (value.kind == Kind::shape) return read_shape(value, out);
    if (value.kind != Kind::list) return wrong(expected);
    for (const FieldValue& item : value.items) {
      const bool good = item.kind == Kind::shape   ? read_shape(item, out)
                        : item.kind == Kind::range ? read_range(item, out)
                                                   : take_integer(item, out.emplace_back(), expected);
      if (!good) return false;
    }
    return true;
  }

  /// The sizes of the value in `shape(%x)`.
  bool read_shape(const FieldValue& value, std::vector<int64_t>& out) const {
    const std::optional<Shape> shape = scope_.shape_of(*value.expression);
    if (shape) out.insert(out.end(), shape->begin(), shape->end());
    return shape.has_value();
  }

  /// The numbers of `0..k`.
  bool read_range(const FieldValue& value, std::vector<int64_t>& out) const {
    constexpr int64_t kMost = 4096;
    int64_t first = 0, limit = 0;
    if (!take_integer(value.items[0], first, "an integer") || !take_integer(value.items[1], limit, "an integer")) {
      return false;
    }
    if (first >= -kMost && limit <= kMost) {
      for (int64_t i = first; i < limit; ++i) out.push_back(i);
      return true;
    }
    scope_.error("E-limit", value.span,
                 scope_.quote(value.span) + " is from " + std::to_string(first) + " to " + std::to_string(limit) +
                     "; expected numbers of dimensions, at most " + std::to_string(kMost));
    return false;
  }

  /// The places of the two names and of the spatial dimensions, 0 to one less than there are, each once.
  bool read_roles(const FieldValue& list, std::string_view first, int64_t& first_dim, std::string_view second,
                  int64_t& second_dim, std::vector<int64_t>& spatial) const {
    std::vector<int64_t> roles;  // -2 and -1 for the two names
    for (const FieldValue& item : list.items) {
      const std::string* word = name_of(item);
      int64_t& role = roles.emplace_back();
      if (word == nullptr && !take_integer(item, role, kConvolution)) return false;
      if (word != nullptr) role = *word == first ? -2 : *word == second ? -1 : std::ssize(list.items);
    }
    for (int64_t role = -2; role < std::ssize(roles) - 2; ++role) {
      const auto place = std::find(roles.begin(), roles.end(), role);
      if (place == roles.end()) return wrong(kConvolution);
      (role == -2 ? first_dim : role == -1 ? second_dim : spatial.emplace_back()) = place - roles.begin();
    }
    return roles.size() >= 2 || wrong(kConvolution);
  }

  const Scope& scope_;
  const std::string& op_;
  const FieldSyntax& field_;
};

using FieldNames = std::span<const std::string_view>;

/// The names of the fields that are written in braces.
template <class Op>
FieldNames field_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    const auto add = [&](const auto& field) {
      if (!std::is_same_v<typename std::decay_t<decltype(field)>::Type, ProgramId>) result.push_back(field.name);
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, Op::fields());
    return result;
  }();
  return names;
}

const FieldSyntax* find(const OpSyntax& syntax, std::string_view name) {
  for (const FieldSyntax& field : syntax.fields) {
    if (field.name.text == name) return &field;
  }
  return nullptr;
}

/// Reports fields that the op does not have or that are written twice.
bool check_names(const OpSyntax& syntax, FieldNames known, const Scope& scope) {
  bool good = true;
  for (const FieldSyntax& field : syntax.fields) {
    const std::string& name = field.name.text;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string> names(known.begin(), known.end());
      scope.error("E-field", field.name.span,
                  syntax.op.text + " has no field `" + name + "`" + suggestion(name, names, "", "fields"));
      good = false;
    } else if (find(syntax, name) != &field) {
      scope.error("E-field", field.name.span, syntax.op.text + ": the field `" + name + "` is given twice");
      good = false;
    }
  }
  return good;
}

template <class Op, class FieldOfOp>
bool read_field(const OpSyntax& syntax, const Scope& scope, const FieldOfOp& field, Op& op) {
  if constexpr (!std::is_same_v<typename FieldOfOp::Type, ProgramId>) {  // those stand before the operands
    const FieldSyntax* written = find(syntax, field.name);
    if (written != nullptr) return FieldReader(scope, syntax.op.text, *written).read(op.*field.member);
    if (!field.required) return true;
    scope.error("E-field", syntax.op.span,
                syntax.op.text + " needs the field `" + std::string(field.name) + "`: " + std::string(field.doc));
    return false;
  }
  return true;
}

template <class Op>
std::optional<OpData> read_fields(const OpSyntax& syntax, const Scope& scope) {
  bool good = check_names(syntax, field_names<Op>(), scope);
  Op op{};
  std::apply([&](const auto&... field) { ((good &= read_field(syntax, scope, field, op)), ...); }, Op::fields());
  if (!good) return std::nullopt;
  return OpData(std::move(op));
}

struct OpRow {
  std::string_view name;
  std::optional<OpData> (*read)(const OpSyntax&, const Scope&);
};

template <class Op>
constexpr OpRow row() {
  if constexpr (kHasOwnForm<Op>) {
    return OpRow{Op::kName, nullptr};
  } else {
    return OpRow{Op::kName, &read_fields<Op>};
  }
}

template <class... Ops>
constexpr std::array<OpRow, sizeof...(Ops)> rows(const std::variant<Ops...>*) {
  return {row<Ops>()...};
}

constexpr auto kRows = rows(static_cast<const OpData*>(nullptr));

/// The row of the op called `name`; null where there is none.
const OpRow* find_row(std::string_view name) {
  static const std::unordered_map<std::string_view, const OpRow*> by_name = [] {
    std::unordered_map<std::string_view, const OpRow*> result;
    for (const OpRow& op : kRows) result.emplace(op.name, &op);
    return result;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace

bool is_op(std::string_view name) {
  return find_row(name) != nullptr || name == "sum" || name == "einsum" || name == "grad";
}

std::optional<CallFields> read_call(const OpSyntax& syntax, const Scope& scope) {
  const auto vjp = optional_field("vjp", &CallFields::vjp, "a func that is the backward");
  constexpr std::string_view kNames[] = {"vjp"};
  CallFields fields;
  if (!check_names(syntax, kNames, scope) || !read_field(syntax, scope, vjp, fields)) return std::nullopt;
  return fields;
}

std::optional<EinsumFields> read_einsum(const OpSyntax& syntax, const Scope& scope) {
  const auto partial = optional_field("partial", &EinsumFields::partial, "axes over which what is summed is sharded");
  constexpr std::string_view kNames[] = {"partial"};
  EinsumFields fields;
  if (!check_names(syntax, kNames, scope) || !read_field(syntax, scope, partial, fields)) return std::nullopt;
  return fields;
}

std::optional<GradFields> read_grad(const OpSyntax& syntax, const Scope& scope) {
  const auto wrt =
      field("wrt", &GradFields::wrt, "the arguments, counted from 0, whose gradients are wanted, as in wrt=[2, 3]");
  const auto convention = optional_field("convention", &GradFields::convention, "shard_map_unchecked");
  GradFields fields;
  const auto remat = optional_field("remat", &GradFields::remat, "what scans compute again: none or full");
  constexpr std::string_view kNames[] = {"wrt", "convention", "remat"};
  const bool good = check_names(syntax, kNames, scope) && read_field(syntax, scope, wrt, fields) &&
                    read_field(syntax, scope, convention, fields) && read_field(syntax, scope, remat, fields);
  return good ? std::optional(std::move(fields)) : std::nullopt;
}

std::optional<OpData> read_op(const OpSyntax& syntax, const Scope& scope) {
  const OpRow* row = find_row(syntax.op.text);
  if (row != nullptr && row->read != nullptr) return row->read(syntax, scope);
  std::vector<std::string> names{"einsum", "sum"};
  for (const OpRow& op : kRows) names.emplace_back(op.name);
  const std::string advice = alias_advice(syntax.op.text);
  if (!advice.empty()) {
    scope.error("E-op", syntax.op.span, "there is no op `" + syntax.op.text + "`; here it is " + advice);
    return std::nullopt;
  }
  const std::string closest = closest_name(syntax.op.text, names);
  scope.error("E-op", syntax.op.span,
              "there is no op `" + syntax.op.text + "`" +
                  (closest.empty() ? "; `isoshard ops` lists them" : "; did you mean `" + closest + "`?"));
  return std::nullopt;
}

}  // namespace isoshard::text

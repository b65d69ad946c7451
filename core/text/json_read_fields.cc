// The fields of an op in JSON: one `read` per type of member, as json_fields.cc has one `json`.

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/ir/enum_names.h"
#include "core/support/quoted.h"
#include "core/text/json_read_program.h"
#include "core/text/json_read_values.h"
#include "core/text/suggest.h"

namespace isoshard::text {
namespace {

class JsonFieldReader {
 public:
  JsonFieldReader(const JsonReading& reading, const Scope& scope, const std::string& op, std::string_view field,
                  const JsonNode& node)
      : reading_(reading), scope_(scope), subject_(op + ": `" + std::string(field) + "`"), node_(node) {}

  bool read(int64_t& out) const { return set(out, json_integer(node_, subject_, scope_)); }
  bool read(std::vector<int64_t>& out) const { return set(out, json_integers(node_, subject_, scope_)); }
  bool read(std::optional<int64_t>& out) const {
    if (node_.kind == JsonKind::null) return true;
    return set(out.emplace(), json_integer(node_, subject_, scope_));
  }

  bool read(std::string& out) const {
    if (node_.kind != JsonKind::string) return wrong("a string");
    out = node_.text;
    return true;
  }

  bool read(Rational& out) const {
    const std::optional<Expr> number = json_expression(node_, subject_, scope_);
    return number && set(out, scope_.number(*number));
  }

  bool read(DType& out) const {
    std::string names;
    for (const DTypeInfo& row : kDTypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
    const std::optional<DType> dtype = node_.kind == JsonKind::string ? parse_dtype(node_.text) : std::nullopt;
    return dtype ? set(out, dtype) : wrong("a dtype: " + names);
  }

  bool read(std::optional<State>& out) const {
    if (node_.kind == JsonKind::null) return true;
    out = node_.kind == JsonKind::string ? parse_state(node_.text) : std::nullopt;
    return out ? true : wrong("a state: R, I, V or P");
  }

  bool read(GlobalId& out) const {
    const std::optional<Word> name = json_word(node_, TokenKind::global, subject_, scope_);
    return name && set(out, reading_.elaboration.find_global(*name, scope_));
  }

  bool read(ProgramId& out) const {
    return set(out, find_json_program(reading_, node_, ProgramKind::function, subject_, scope_));
  }

  bool read(Group& out) const {
    const std::vector<JsonNode>* items = json_items(node_, subject_, scope_);
    if (items == nullptr) return false;
    std::vector<Word> words;
    for (const JsonNode& item : *items) {
      const std::optional<Word> word = json_word(item, TokenKind::name, "an axis of " + subject_, scope_);
      if (!word) return false;
      words.push_back(*word);
    }
    return set(out, scope_.group(words));
  }

  bool read(AxisSet& out) const {
    Group group;
    if (!read(group)) return false;
    out = group.set();
    return true;
  }

  bool read(Layout& out) const { return set(out, json_layout(node_, subject_, scope_)); }

  bool read(DimPairs& out) const {
    if (!json_has_keys(node_, subject_, {"lhs", "rhs"}, {}, scope_)) return false;
    return set(out.lhs, json_integers(*node_.find("lhs"), subject_ + ".lhs", scope_)) &&
           set(out.rhs, json_integers(*node_.find("rhs"), subject_ + ".rhs", scope_));
  }

  bool read(std::vector<IndexPair>& out) const {
    const std::vector<JsonNode>* items = json_items(node_, subject_, scope_);
    if (items == nullptr) return false;
    for (const JsonNode& item : *items) {
      const std::optional<std::vector<int64_t>> pair = json_integers(item, "a pair of " + subject_, scope_);
      if (!pair) return false;
      if (pair->size() != 2) return wrong("pairs of integers, as in [[0, 1], [1, 0]]");
      out.push_back(IndexPair{(*pair)[0], (*pair)[1]});
    }
    return true;
  }

  bool read(Coverage& out) const {
    if (!read(out.times)) return false;
    return out.times >= 0 ? true : wrong("how often each element is read, or 0 where that is not checked");
  }

  bool read(std::vector<BlockRange>& out) const {
    const std::vector<JsonNode>* items = json_items(node_, subject_, scope_);
    if (items == nullptr) return false;
    for (const JsonNode& item : *items) {
      BlockRange range;
      if (!json_has_keys(item, "a part of " + subject_, {"start", "limit"}, {}, scope_)) return false;
      const JsonNode& limit = *item.find("limit");
      if (!set(range.start, json_integer(*item.find("start"), "`start`", scope_))) return false;
      if (limit.kind != JsonKind::null && !set(range.limit.emplace(), json_integer(limit, "`limit`", scope_)))
        return false;
      out.push_back(range);
    }
    return true;
  }

  bool read(std::vector<Owner>& out) const {
    if (!json_is(node_, JsonKind::object, subject_, "an object of coordinates, as in {\"model\": 0}", scope_))
      return false;
    for (size_t i = 0; i < node_.items.size(); i += 2) {
      const std::optional<Word> word = json_word(node_.items[i], TokenKind::name, "an axis of " + subject_, scope_);
      const std::optional<AxisId> axis = word ? scope_.axis(*word) : std::nullopt;
      const std::optional<int64_t> coordinate = json_integer(node_.items[i + 1], "a coordinate of " + subject_, scope_);
      if (!axis || !coordinate) return false;
      out.push_back(Owner{*axis, *coordinate});
    }
    return true;
  }

  template <class E>
  requires requires(E value) { enum_names(value); }
  bool read(E& out) const {
    std::string names;
    for (const auto& row : enum_names(E())) {
      if (node_.kind == JsonKind::string && node_.text == row.name) {
        out = row.value;
        return true;
      }
      names += (names.empty() ? "" : " or ") + std::string(row.name);
    }
    return wrong(names);
  }

 private:
  template <class T, class U>
  static bool set(T& out, const std::optional<U>& value) {
    if (value) out = *value;
    return value.has_value();
  }

  bool wrong(const std::string& expected) const {
    scope_.error("E-field-value", node_.span, subject_ + " is " + show(node_) + "; expected " + expected);
    return false;
  }

  const JsonReading& reading_;
  const Scope& scope_;
  std::string subject_;
  const JsonNode& node_;
};

struct FieldContext {
  const JsonReading& reading;
  const Scope& scope;
  const JsonNode& fields;
};

template <class Op, class T>
bool read_json_field(const FieldContext& context, std::string_view name, bool required, std::string_view doc,
                     T Op::*member, Op& op) {
  const std::string op_name(Op::kName);
  const JsonNode* node = context.fields.find(name);
  if (node != nullptr) return JsonFieldReader(context.reading, context.scope, op_name, name, *node).read(op.*member);
  if (!required) return true;
  context.scope.error("E-field", context.fields.span,
                      op_name + " needs the field `" + std::string(name) + "`: " + std::string(doc));
  return false;
}

/// `global` and `layout` of ops that have both outside of their fields, as the text writes them elsewhere.
template <class Op>
constexpr bool kHasHiddenView = requires(Op op) {
  op.global;
}
&&!std::is_same_v<Op, View>;

template <class Op>
bool check_json_names(const FieldContext& context) {
  std::vector<std::string> known;
  if (kHasHiddenView<Op>) known = {"global", "layout"};
  std::apply([&](const auto&... field) { (known.emplace_back(field.name), ...); }, Op::fields());
  bool good = true;
  for (size_t i = 0; i < context.fields.items.size(); i += 2) {
    const JsonNode& key = context.fields.items[i];
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    context.scope.error("E-field", key.span,
                        std::string(Op::kName) + " has no field " + isoshard::quoted(key.text) +
                            suggestion(key.text, known, "", "fields"));
    good = false;
  }
  return good;
}

template <class Op>
std::optional<OpData> read_json_fields(const FieldContext& context) {
  bool good = check_json_names<Op>(context);
  Op op{};
  if constexpr (kHasHiddenView<Op>) {
    good &= read_json_field(context, "global", true, "the global whose block is meant", &Op::global, op);
    good &= read_json_field(context, "layout", true, "one entry per dimension", &Op::layout, op);
  }
  std::apply(
      [&](const auto&... field) {
        ((good &= read_json_field(context, field.name, field.required, field.doc, field.member, op)), ...);
      },
      Op::fields());
  if (!good) return std::nullopt;
  return OpData(std::move(op));
}

struct JsonOpRow {
  std::string_view name;
  std::optional<OpData> (*read)(const FieldContext&);
};

template <class... Ops>
constexpr std::array<JsonOpRow, sizeof...(Ops)> json_op_rows(const std::variant<Ops...>*) {
  return {JsonOpRow{Ops::kName, &read_json_fields<Ops>}...};
}

constexpr auto kJsonOpRows = json_op_rows(static_cast<const OpData*>(nullptr));

}  // namespace

std::optional<OpData> read_json_op(const JsonReading& reading, const JsonNode& name, const JsonNode& fields,
                                   const Scope& scope) {
  if (!json_is(name, JsonKind::string, "`op`", "the name of an op", scope)) return std::nullopt;
  if (!json_is(fields, JsonKind::object, "`fields`", "an object", scope)) return std::nullopt;
  std::vector<std::string> names;
  for (const JsonOpRow& op : kJsonOpRows) {
    if (op.name == name.text) return op.read(FieldContext{reading, scope, fields});
    names.emplace_back(op.name);
  }
  std::sort(names.begin(), names.end());
  scope.error("E-op", name.span,
              "there is no op " + isoshard::quoted(name.text) + suggestion(name.text, names, "", "ops"));
  return std::nullopt;
}

}  // namespace isoshard::text

#include "core/text/json_read_values.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/support/quoted.h"
#include "core/text/suggest.h"

namespace isoshard::text {
namespace {

bool report_unknown_keys(const JsonNode& node, const std::string& subject, std::vector<std::string> needed,
                         const std::vector<std::string>& optional, const Scope& scope) {
  bool good = true;
  needed.insert(needed.end(), optional.begin(), optional.end());
  for (size_t i = 0; i < node.items.size(); i += 2) {
    const JsonNode& key = node.items[i];
    if (std::find(needed.begin(), needed.end(), key.text) != needed.end()) continue;
    scope.error("P-key", key.span,
                subject + " has no key " + isoshard::quoted(key.text) + suggestion(key.text, needed, "", "keys"));
    good = false;
  }
  return good;
}

/// The line of `text` from its `:` on; the digits are those that would be printed.
std::optional<uint32_t> line_number(std::string_view text) {
  uint32_t value = 0;
  if (text.empty() || text[0] == '0') return std::nullopt;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Cuts `:12` from the end of `text`.
std::optional<uint32_t> take_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::optional<uint32_t> number = line_number(text.substr(colon + 1));
  if (number) text = text.substr(0, colon);
  return number;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
}

std::optional<Location> parse_location(std::string_view text) {
  if (has_control(text)) return std::nullopt;
  const std::optional<uint32_t> last = take_number(text);
  if (!last) return std::nullopt;
  const std::optional<uint32_t> before = take_number(text);
  const auto file = std::make_shared<const SourceFile>(SourceFile{std::string(text), ""});
  if (!before) return Location::span(file, *last, 0, 0);
  return Location::span(file, *before, *last, *last);
}

}  // namespace

std::string show(const JsonNode& node) {
  switch (node.kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return node.text;
    case JsonKind::number:
      return node.text.size() > 40 ? node.text.substr(0, 40) + "..." : node.text;
    case JsonKind::string:
      return isoshard::quoted(node.text);
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "";
}

bool json_is(const JsonNode& node, JsonKind kind, const std::string& subject, const std::string& expected,
             const Scope& scope) {
  if (node.kind == kind) return true;
  scope.error("P-value", node.span, subject + " is " + show(node) + "; expected " + expected);
  return false;
}

bool json_has_keys(const JsonNode& node, const std::string& subject, const std::vector<std::string>& needed,
                   const std::vector<std::string>& optional, const Scope& scope) {
  if (!json_is(node, JsonKind::object, subject, "an object", scope)) return false;
  bool good = report_unknown_keys(node, subject, needed, optional, scope);
  for (const std::string& key : needed) {
    if (node.find(key) != nullptr) continue;
    scope.error("P-key", node.span, subject + " needs the key `" + key + "`");
    good = false;
  }
  return good;
}

const std::vector<JsonNode>* json_items(const JsonNode& node, const std::string& subject, const Scope& scope) {
  return json_is(node, JsonKind::array, subject, "an array", scope) ? &node.items : nullptr;
}

std::optional<bool> json_boolean(const JsonNode& node, const std::string& subject, const Scope& scope) {
  if (!json_is(node, JsonKind::boolean, subject, "true or false", scope)) return std::nullopt;
  return node.text == "true";
}

std::optional<Expr> json_number_syntax(const JsonNode& node, const std::string& subject, const Scope& scope) {
  if (!json_is(node, JsonKind::number, subject, "an integer", scope)) return std::nullopt;
  Expr number;
  number.text = node.text;
  number.span = node.span;
  return number;
}

std::optional<int64_t> json_integer(const JsonNode& node, const std::string& subject, const Scope& scope) {
  const std::optional<Expr> number = json_number_syntax(node, subject, scope);
  return number ? scope.integer(*number) : std::nullopt;
}

std::optional<std::vector<int64_t>> json_integers(const JsonNode& node, const std::string& subject,
                                                  const Scope& scope) {
  const std::vector<JsonNode>* items = json_items(node, subject, scope);
  if (items == nullptr) return std::nullopt;
  std::vector<int64_t> result;
  for (const JsonNode& item : *items) {
    const std::optional<int64_t> value = json_integer(item, "an item of " + subject, scope);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<TypeSyntax> json_type_syntax(const JsonNode& object, const Scope& scope) {
  const std::optional<Word> dtype = json_word(*object.find("dtype"), TokenKind::name, "`dtype`", scope);
  const JsonNode& shape = *object.find("shape");
  const std::vector<JsonNode>* sizes = json_items(shape, "`shape`", scope);
  if (!dtype || sizes == nullptr) return std::nullopt;
  TypeSyntax result;
  result.dtype = *dtype;
  result.span = shape.span;
  for (const JsonNode& size : *sizes) {
    const std::optional<Expr> number = json_number_syntax(size, "an item of `shape`", scope);
    if (!number) return std::nullopt;
    result.shape.push_back(*number);
  }
  return result;
}

namespace {

/// One letter per axis of the mesh in use.
std::optional<States> read_states(const JsonNode& node, const Scope& scope) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : scope.mesh().axes()) axes.push_back(axis.name);
  if (!json_has_keys(node, "`states`", axes, {}, scope)) return std::nullopt;
  States result;
  for (const std::string& axis : axes) {
    const JsonNode& letter = *node.find(axis);
    const std::optional<State> state = letter.kind == JsonKind::string ? parse_state(letter.text) : std::nullopt;
    if (!state) {
      scope.error(
          "P-value", letter.span,
          "the state over `" + axis + "` is " + show(letter) + "; expected \"R\", \"I\", \"V\", \"P\", \"=\" or \"?\"");
      return std::nullopt;
    }
    result.push_back(*state);
  }
  return result;
}

}  // namespace

std::optional<ValueType> json_value_type(const JsonNode& object, const Scope& scope) {
  if (!json_has_keys(object, "a value", {"name", "dtype", "shape", "states", "has_gradient"}, {}, scope))
    return std::nullopt;
  const std::optional<TypeSyntax> syntax = json_type_syntax(object, scope);
  const std::optional<States> states = read_states(*object.find("states"), scope);
  const std::optional<bool> gradient = json_boolean(*object.find("has_gradient"), "`has_gradient`", scope);
  const std::optional<TensorType> tensor = syntax ? scope.type(*syntax) : std::nullopt;
  if (!tensor || !states || !gradient) return std::nullopt;
  return ValueType{*tensor, *states, *gradient};
}

Location json_location(const JsonNode& object, const Scope& scope) {
  const JsonNode* written = object.find("location");
  if (written != nullptr && written->kind == JsonKind::null) return {};
  if (written != nullptr && written->kind == JsonKind::string) {
    if (const std::optional<Location> location = parse_location(written->text)) return *location;
  }
  return scope.at(object.span);
}

}  // namespace isoshard::text

#include "core/text/json_read_names.h"

#include <algorithm>

#include "core/support/quoted.h"
#include "core/text/suggest.h"

namespace isoshard::text {

std::optional<Word> JsonNames::new_name(const JsonNode& object) const {
  return json_word(*object.find("name"), TokenKind::value, "`name`", scope_);
}

std::optional<std::vector<std::string>> JsonNames::new_names(const JsonNode& node) const {
  const std::vector<JsonNode>* items = json_items(node, "a list of values", scope_);
  if (items == nullptr) return std::nullopt;
  std::vector<std::string> result;
  for (const JsonNode& item : *items) {
    if (!json_has_keys(item, "a value", {"name", "dtype", "shape", "states", "has_gradient"}, {}, scope_))
      return std::nullopt;
    const std::optional<Word> name = new_name(item);
    if (!name) return std::nullopt;
    result.push_back(name->text);
  }
  return result;
}

std::optional<std::vector<ValueId>> JsonNames::values(const JsonNode& node, const std::string& subject) const {
  const std::vector<JsonNode>* items = json_items(node, subject, scope_);
  if (items == nullptr) return std::nullopt;
  std::vector<ValueId> result;
  for (const JsonNode& item : *items) {
    const std::optional<ValueId> value = find(item, "an item of " + subject);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<ValueId> JsonNames::find(const JsonNode& node, const std::string& subject) const {
  if (!json_is(node, JsonKind::string, subject, "the name of a value", scope_)) return std::nullopt;
  const auto known = bodies_.back().find(node.text);
  if (known != bodies_.back().end()) return known->second;
  const bool outside = std::any_of(bodies_.begin(), bodies_.end(), [&](const Body& n) { return n.count(node.text); });
  if (outside) {
    scope_.error("E-capture", node.span,
                 show(node) + " is outside of this scan, whose body captures nothing; carry it or stack it");
    return std::nullopt;
  }
  constexpr size_t kMaxCandidates = 10000;
  std::vector<std::string> names;
  for (const auto& [name, value] : bodies_.back()) {
    if (names.size() < kMaxCandidates) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const std::string closest = closest_name(node.text, names);
  scope_.error("E-undefined", node.span,
               show(node) + " is not defined before this place" +
                   (closest.empty() ? "" : "; did you mean " + isoshard::quoted(closest) + "?"));
  return std::nullopt;
}

}  // namespace isoshard::text

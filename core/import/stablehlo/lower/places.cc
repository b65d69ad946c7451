// Locations that JAX prints with `debug_info=True`: a name around a file and a line, `callsite(A at B)` with the callee
// first, aliases for all of them. The user's line is the first file that is met from the inside. Cost: the nesting of a
// location for each op; line numbers of the text are counted from its beginning.
#include "core/import/stablehlo/lower/places.h"

#include <charconv>

namespace isoshard::stablehlo {
namespace {

constexpr int kMostSteps = 100;

const Attribute* resolved(const ModuleText& text, const Attribute& location) {
  const Attribute* at = &location;
  for (int steps = 0; at->kind == Attribute::Kind::alias && steps < kMostSteps; ++steps) {
    const auto alias = text.aliases.find(at->text);
    if (alias == text.aliases.end()) return nullptr;
    at = &alias->second;
  }
  return at;
}

uint32_t number_at(const Attribute& place, size_t i) {
  uint32_t result = 0;
  if (i < place.items.size()) {
    const std::string_view text = place.items[i].text;
    std::from_chars(text.data(), text.data() + text.size(), result);
  }
  return result;
}

/// The first `"file":line:column` from the inside; unknown where there is none.
Location file_place(const ModuleText& text, const Attribute& location, int depth) {
  const Attribute* place = resolved(text, location);
  if (place == nullptr || depth > kMostSteps || place->kind != Attribute::Kind::list) return {};
  if (place->text == "file") {
    const auto file = std::make_shared<const SourceFile>(SourceFile{std::string(place->items[0].text), ""});
    const uint32_t column = number_at(*place, 2);
    return Location::span(file, number_at(*place, 1), column, column + 1);
  }
  for (const Attribute& item : place->items) {
    const Location found = file_place(text, item, depth + 1);
    if (found.known()) return found;
  }
  return {};
}

}  // namespace

Location place_of(const ModuleText& text, const Attribute& location, Span span) {
  const Location in_text = text.location(span);
  const Location user = file_place(text, location, 0);
  return user.known() ? user.within(in_text, "in the text of the program") : in_text;
}

std::string_view name_of(const ModuleText& text, const Attribute& location) {
  const Attribute* place = resolved(text, location);
  if (place == nullptr || place->text != "name" || place->items.empty()) return {};
  return place->items[0].text;
}

}  // namespace isoshard::stablehlo

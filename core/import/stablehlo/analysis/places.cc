// Locations that JAX prints with `debug_info=True`: a name around a file and a line, `callsite(A at B)` with the callee
// first, aliases for all of them. The user's line is the first that is met from the inside in a file that is none of a
// package: what Flax or Optax compute is found where they are called. Cost: the nesting of a location for each op; line
// numbers of the text are counted from its beginning.
#include "core/import/stablehlo/analysis/places.h"

#include <charconv>

namespace isoshard::stablehlo {
namespace {

constexpr int kMostAliases = 100;

const Attribute* resolved(const ModuleText& text, const Attribute& location) {
  const Attribute* at = &location;
  for (int steps = 0; at->kind == Attribute::Kind::alias && steps < kMostAliases; ++steps) {
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

bool in_package(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos || file.starts_with("site-packages/") ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen ");
}

/// The first `"file":line:column` from the inside, with `own` of the user's files only; unknown where there is none.
Location file_place(const ModuleText& text, const Attribute& location, bool own, int depth) {
  const Attribute* place = resolved(text, location);
  if (place == nullptr || depth > kMostAliases || place->kind != Attribute::Kind::list) return {};
  if (place->text == "file") {
    if (own && in_package(place->items[0].text)) return {};
    const auto file = std::make_shared<const SourceFile>(SourceFile{std::string(place->items[0].text), ""});
    const uint32_t column = number_at(*place, 2);
    return Location::span(file, number_at(*place, 1), column, column + 1);
  }
  for (const Attribute& item : place->items) {
    const Location found = file_place(text, item, own, depth + 1);
    if (found.known()) return found;
  }
  return {};
}

}  // namespace

Location user_place(const ModuleText& text, const Attribute& location) { return file_place(text, location, true, 0); }

Location library_place(const ModuleText& text, const Attribute& location) {
  return file_place(text, location, false, 0);
}

std::string_view name_of(const ModuleText& text, const Attribute& location) {
  const Attribute* place = resolved(text, location);
  if (place == nullptr || place->text != "name" || place->items.empty()) return {};
  return place->items[0].text;
}

}  // namespace isoshard::stablehlo

#include "core/text/syntax/suggest.h"

#include "core/support/diagnostic.h"

namespace isoshard::text {

std::string list_names(const std::vector<std::string>& names, std::string_view prefix) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kShown; ++i) {
    if (i != 0) text += ", ";
    text += prefix;
    text += names[i];
  }
  return names.size() > kShown ? text + ", ..." : text;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names, std::string_view prefix,
                       std::string_view kind) {
  const std::string closest = closest_name(word, names);
  if (!closest.empty()) return "; did you mean `" + std::string(prefix) + closest + "`?";
  if (names.empty()) return "; there are no " + std::string(kind);
  return "; the " + std::string(kind) + " are " + list_names(names, prefix);
}

}  // namespace isoshard::text

#include "core/import/stablehlo/lower/word_of.h"

namespace isoshard::stablehlo {

std::string word_of(std::string_view written) {
  std::string word;
  for (const char c : written) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && word.empty()) word = '_';
    word += letter || digit ? c : '_';
  }
  return word.empty() ? "_" : word;
}

}  // namespace isoshard::stablehlo

#include "core/text/plan/print/unique_names.h"

#include <cstddef>
#include <string_view>

namespace isoshard::text {
namespace {

bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the word that begins at `at` has digits only: others that begin with one are no tokens.
bool is_number(const std::string& name, size_t at) {
  while (at < name.size() && is_name_digit(name[at])) ++at;
  return at == name.size() || !is_name_sign(name[at]);
}

}  // namespace

std::string UniqueNames::add(const std::string& wanted, const char* between) {
  if (taken_.insert(wanted).second) return wanted;
  int64_t& number = next_.try_emplace(wanted, 2).first->second;
  for (;; ++number) {
    std::string name = wanted;
    name += between;
    name += std::to_string(number);
    if (taken_.insert(name).second) return name;
  }
}

std::string dotted_name(const std::string& name) {
  std::string result;
  bool pending = false;
  for (const char c : name) {
    if (!is_name_sign(c)) {
      pending = !result.empty();
      continue;
    }
    if (pending) result += '.';
    pending = false;
    result += c;
  }
  return result.empty() ? "value" : result;
}

std::string plain_name(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool inside = i > 0 && is_name_sign(name[i - 1]);
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    if (!inside && is_name_digit(c) && !is_number(name, i)) result += '_';
    result += is_name_sign(c) || std::string_view(" (),+-=>").find(c) != std::string_view::npos ? c : '_';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result.empty() ? "_" : result;
}

}  // namespace isoshard::text

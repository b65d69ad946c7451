#include "core/text/plan/print/line_names.h"

namespace isoshard::text {

std::string comma_list(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? ", " : "") + parts[i];
  return text;
}

std::string enclosed(char open, const std::string& text, char close) {
  std::string result(1, open);
  result += text;
  result += close;
  return result;
}

std::string prefixed(char prefix, const std::string& text) {
  std::string result(1, prefix);
  result += text;
  return result;
}

}  // namespace isoshard::text

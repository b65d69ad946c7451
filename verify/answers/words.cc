#include "verify/answers/words.h"

#include <cmath>
#include <cstdio>

namespace isoshard::verify {

std::string device_name(const Mesh& mesh, int64_t position) { return mesh.place(position); }

std::string axes_in_words(const std::vector<AxisId>& axes, const Mesh& mesh) {
  std::vector<std::string> names;
  for (const AxisId axis : axes) names.push_back("`" + mesh.axis(axis).name + "`");
  return enumerated(names);
}

std::string devices_in_words(const std::vector<int64_t>& positions, const Mesh& mesh) {
  constexpr size_t kMost = 4;
  std::string text = std::to_string(positions.size()) + (positions.size() == 1 ? " device (" : " devices (");
  for (size_t i = 0; i < positions.size() && i < kMost; ++i) {
    text += i > 0 ? "; " : "";
    text += device_name(mesh, positions[i]);
  }
  return text + (positions.size() > kMost ? "; ...)" : ")");
}

std::string places_in_words(const std::vector<int64_t>& positions, const Mesh& mesh) {
  return positions.size() == 1 ? device_name(mesh, positions[0]) : devices_in_words(positions, mesh);
}

std::string list_in_words(const std::vector<int64_t>& numbers, size_t most) {
  std::string text;
  for (size_t i = 0; i < numbers.size() && i < most; ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() > most ? ", ..." : "");
}

std::string joined(const std::vector<std::string>& texts, const std::string& between) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : between) + one;
  return text;
}

std::string made_in_words(const std::string& value, const std::string& op) {
  return value.starts_with('%') ? value + " = " + op : value + " (" + op + ")";
}

std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string index_in_words(const std::vector<int64_t>& index) {
  std::string text = "[";
  text += list_in_words(index, index.size());
  return text += "]";
}

std::string source_of(const Location& location) {
  std::string_view line = location.source_line();
  const size_t comment = line.find("//");
  if (comment != std::string_view::npos) line = line.substr(0, comment);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return std::string(line);
}

std::string power_of_2(double log2) { return "2^" + std::to_string(static_cast<long>(std::ceil(log2))); }

std::string seconds_in_words(double seconds) {
  return seconds < 1 ? number(seconds * 1000, 3) + " ms" : number(seconds, 3) + " s";
}

std::string number(double x, int digits) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, x);
  return buffer;
}

}  // namespace isoshard::verify

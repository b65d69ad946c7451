#include "core/support/location.h"

#include <utility>

namespace isoshard {

std::string_view SourceFile::line(uint32_t line) const {
  std::string_view rest = text;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

Location Location::span(std::shared_ptr<const SourceFile> file, uint32_t line, uint32_t column, uint32_t end_column) {
  Location result;
  result.source_ = std::move(file);
  result.line_ = line;
  result.column_ = column;
  result.end_column_ = end_column;
  return result;
}

Location Location::here(const char* file, int line) {
  Location result;
  result.site_ = file;
  result.line_ = static_cast<uint32_t>(line);
  return result;
}

Location Location::within(const Location& outer, std::string note) const {
  Location result = *this;
  if (result.outer_ != nullptr) {
    result.outer_ = std::make_shared<const Location>(result.outer_->within(outer, std::move(note)));
    return result;
  }
  result.outer_ = std::make_shared<const Location>(outer);
  result.note_ = std::move(note);
  return result;
}

std::string_view Location::file() const {
  if (source_ != nullptr) return source_->name;
  return site_ != nullptr ? std::string_view(site_) : std::string_view();
}

std::string_view Location::source_line() const {
  return source_ != nullptr ? source_->line(line_) : std::string_view();
}

std::string Location::to_string() const {
  if (!known()) return "<unknown>";
  std::string result(file());
  result += ':' + std::to_string(line_);
  if (column_ != 0) result += ':' + std::to_string(column_);
  return result;
}

}  // namespace isoshard

// Places in sources, or in the C++ code of a model, with the chain of iterations and calls around them. A location is
// one pointer to a place that is never changed, because each value and op has one. `within` puts a place at the outer
// end of the chain. A line is searched from the beginning of the file where nobody said at which byte it begins. Cost:
// the length of the chain, of the line, or of the file.
#include "core/support/location.h"

#include <algorithm>
#include <utility>

#include "core/support/shared.h"

namespace isoshard {

std::string_view SourceFile::line(uint32_t line) const {
  std::string_view rest = text;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return line_at(text.size() - rest.size());
}

std::string_view SourceFile::line_at(size_t begin) const {
  std::string_view rest = std::string_view(text).substr(std::min(begin, text.size()));
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

/// From where a place was reached, and how. It stands apart, because most places have none and there are millions.
struct Location::Reached {
  Location outer;
  std::string note;
};

struct Location::Place {
  std::shared_ptr<const SourceFile> source;
  const char* site = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_column = 0;
  uint32_t line_begin = kNoByte;
  Shared<Reached> reached{};  ///< holds nothing where no chain goes on
};

Location::Location(Place place) : place_(std::make_shared<const Place>(std::move(place))) {}

const Location::Place& Location::place() const {
  static const Place unknown;
  return place_ == nullptr ? unknown : *place_;
}

Location Location::span(std::shared_ptr<const SourceFile> file, uint32_t line, uint32_t column, uint32_t end_column,
                        uint32_t line_begin) {
  return Location(Place{std::move(file), nullptr, line, column, end_column, line_begin});
}

Location Location::here(const char* file, int line) {
  return Location(Place{nullptr, file, static_cast<uint32_t>(line)});
}

Location Location::within(const Location& outer, std::string note) const {
  Place result = place();
  if (result.reached.holds()) {
    const Reached& inner = *result.reached;
    result.reached = Shared(Reached{inner.outer.within(outer, std::move(note)), inner.note});
  } else {
    result.reached = Shared(Reached{outer, std::move(note)});
  }
  return Location(std::move(result));
}

uint32_t Location::line() const { return place().line; }
uint32_t Location::column() const { return place().column; }
uint32_t Location::end_column() const { return place().end_column; }

const std::string& Location::note() const {
  static const std::string none;
  return place().reached.holds() ? place().reached->note : none;
}

const Location* Location::outer() const {
  const Shared<Reached>& reached = place().reached;
  return reached.holds() ? &reached->outer : nullptr;
}

std::string_view Location::file() const {
  if (place().source != nullptr) return place().source->name;
  return place().site != nullptr ? std::string_view(place().site) : std::string_view();
}

std::string_view Location::function() const {
  return place().source != nullptr ? std::string_view(place().source->function) : std::string_view();
}

std::string_view Location::source_line() const {
  const Place& here = place();
  if (here.source == nullptr) return {};
  return here.line_begin == kNoByte ? here.source->line(here.line) : here.source->line_at(here.line_begin);
}

std::string Location::to_string() const {
  if (!known()) return "<unknown>";
  std::string result(file());
  result += ':' + std::to_string(line());
  if (column() != 0) result += ':' + std::to_string(column());
  return result;
}

std::string Location::in_words() const {
  return to_string() + (function().empty() ? "" : " in " + std::string(function()));
}

}  // namespace isoshard

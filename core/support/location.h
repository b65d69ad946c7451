#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace isoshard {

/// A named text that locations point into; kept alive by every location that needs its lines.
struct SourceFile {
  std::string name;
  std::string text;
  /// The function that all places in it are in, of texts that say so (JAX's); a file has one of these for each
  /// function.
  std::string function{};

  /// The text of 1-based `line` without its line end; empty when there is no such line.
  std::string_view line(uint32_t line) const;
  /// The same of the line that begins at this byte.
  std::string_view line_at(size_t begin) const;
};

/// Where something was written: a span of a file, a call site of the Builder, or a chain of those (outermost last).
///
/// Columns count bytes from 1; `end_column` is one past the last byte. A default location is unknown. Copies are cheap
/// and share what they say: every op, value and instruction has one.
class Location {
 public:
  static constexpr uint32_t kNoByte = UINT32_MAX;

  Location() = default;

  /// A span inside `file`. Whoever knows at which byte the line begins saves a search for it to who asks for its text.
  static Location span(std::shared_ptr<const SourceFile> file, uint32_t line, uint32_t column, uint32_t end_column,
                       uint32_t line_begin = kNoByte);
  /// The C++ line that calls the Builder; the default arguments capture the caller.
  static Location here(const char* file = __builtin_FILE(), int line = __builtin_LINE());
  /// This location, reached from `outer` (`note` says how, e.g. "iteration k = 3" or "called from here").
  Location within(const Location& outer, std::string note) const;

  bool known() const { return line() != 0; }
  std::string_view file() const;
  uint32_t line() const;
  uint32_t column() const;
  uint32_t end_column() const;
  /// The function of the user's source that the place is in; empty where the text does not say it.
  std::string_view function() const;
  /// The line of text the span stands on; empty for call sites.
  std::string_view source_line() const;
  /// The enclosing location, or null.
  const Location* outer() const;
  const std::string& note() const;
  /// "file:line:col", "file:line" for call sites, "<unknown>".
  std::string to_string() const;
  /// The same, with the function where it is known: "model.py:12:5 in attention".
  std::string in_words() const;

 private:
  struct Place;
  struct Reached;
  explicit Location(Place place);
  const Place& place() const;

  std::shared_ptr<const Place> place_;  ///< null: unknown
};

}  // namespace isoshard

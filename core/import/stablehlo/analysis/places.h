#pragma once

#include <map>
#include <vector>

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// A line of a file, and the function that it is in, which older texts do not say.
struct Frame {
  const Attribute* file;
  std::string_view function{};

  /// Whether the file is the user's, none of a package of Python.
  bool own() const;
  bool same_line(const Frame& other) const;
};

/// The places of the user's source that `loc(...)` of a text names. Those of one function share what they say, and so
/// do those of one chain of calls.
class Places {
 public:
  explicit Places(const ModuleText& text) : text_(text) {}

  /// The innermost line of the user's own files, none of the packages of Python, that the first of `locations` names
  /// which names one; around it `in_text`, and the lines by which it was reached ("called from here"), those of the
  /// same location first. Without such a line, the innermost line of any file that `locations[0]` names, else
  /// `in_text`.
  Location of(const std::vector<const Attribute*>& locations, const Location& in_text);

 private:
  Location line(const Frame& frame);
  Location callers(const std::vector<Frame>& frames, size_t first);

  const ModuleText& text_;
  std::map<std::pair<std::string_view, std::string_view>, std::shared_ptr<const SourceFile>> sources_;
  std::map<std::vector<const Attribute*>, Location> callers_;
};

/// The name that `loc("x")` gives an argument, without what stands behind it; empty where it has none.
std::string_view name_of(const ModuleText& text, const Attribute& location);

}  // namespace isoshard::stablehlo

#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace isoshard::command_line {

/// Help texts in the columns of the terminal, 80 where there is none: long descriptions go on below themselves.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// `text` in lines of at most `columns`, all but the first one begun with `indent` blanks; its own line ends stay.
std::string wrapped(const std::string& text, size_t columns, size_t indent);

/// A line of a list, `name` padded to `width` and what it is: on a terminal below itself where it is longer than that
/// is wide, elsewhere one line, as scripts read it.
std::string list_entry(const std::string& name, size_t width, const std::string& text);

}  // namespace isoshard::command_line

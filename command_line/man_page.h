#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isoshard::command_line {

/// The manual page, in the language of man(7), of isoshard or, where `command` is no null, of that command.
std::string man_page(const CLI::App& app, const CLI::App* command);

}  // namespace isoshard::command_line

#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isoshard::command_line {

/// A script that completes the commands, options and values of `app` in `shell`: bash, zsh or fish.
std::string completion_script(CLI::App& app, const std::string& shell);

}  // namespace isoshard::command_line

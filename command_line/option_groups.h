#pragma once  // internal

#include <CLI/CLI.hpp>

#include "command_line/settings.h"

namespace isoshard::command_line {

/// What stands below the help of every command: exit codes, and what may be named.
extern const char* const kFooter;

/// Adds meshes, values of `let` names and colours, and below the help an example and kFooter.
void add_common(CLI::App* command, Settings& settings, const char* example);
/// Adds the seed of draws and the number of threads.
void add_draw_options(CLI::App* command, Settings& settings);
/// Adds what is run, on what, and where that goes.
void add_step_options(CLI::App* command, Settings& settings);
/// Adds what is said of StableHLO texts, which they do not say themselves.
void add_text_options(CLI::App* command, Settings& settings);
CLI::Option* add_json(CLI::App* command, Settings& settings);
/// Adds -q, which `what` explains.
void add_quiet(CLI::App* command, Settings& settings, const char* what);

}  // namespace isoshard::command_line

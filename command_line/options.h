#pragma once

#include <CLI/CLI.hpp>

#include "command_line/settings.h"

namespace isoshard::command_line {

// Each adds a command with its options, which are put into `settings`.
CLI::App* add_check(CLI::App& app, Settings& settings);
CLI::App* add_sim(CLI::App& app, Settings& settings);
CLI::App* add_run(CLI::App& app, Settings& settings);
CLI::App* add_show(CLI::App& app, Settings& settings);
CLI::App* add_import(CLI::App& app, Settings& settings);
CLI::App* add_models(CLI::App& app, Settings& settings);
CLI::App* add_make(CLI::App& app, Settings& settings);
CLI::App* add_ops(CLI::App& app, Settings& settings);
CLI::App* add_fmt(CLI::App& app, Settings& settings);
CLI::App* add_explain(CLI::App& app, Settings& settings);

}  // namespace isoshard::command_line

// The command line of isoshard: which command is meant; each lives in commands/<name>_command.cc, its options in
// options.cc.

#include <cstdio>
#include <string_view>

#include <isoshard/command_line.h>
#include <isoshard/version.h>

#include "command_line/completion.h"
#include "command_line/help_format.h"
#include "command_line/man_page.h"
#include "command_line/option_groups.h"
#include "command_line/options.h"
#include "command_line/settings.h"
#include "command_line/signals.h"
#include "command_line/standard_input.h"
#include "command_line/terminal.h"
#include "command_line/usage.h"
#include "core/support/internal_error_report.h"
#include "sim/run/keep_memory.h"

namespace isoshard::command_line {
namespace {

CLI::App* add_help(CLI::App& app, std::string& command) {
  CLI::App* help = app.add_subcommand("help", "print this, or the help of a command");
  help->add_option("command", command, "which command (default: an overview)")->type_name("COMMAND");
  return help;
}

/// The formatter is asked itself: App::help() is about the command that was parsed, which is `help`.
int print_help(const CLI::App& app, const std::string& command) {
  if (const std::string message = command.empty() ? "" : unknown_command(app, command); !message.empty()) {
    print_error(message);
    return kBadInput;
  }
  const CLI::App* asked = command.empty() ? &app : app.get_subcommand(command);
  const std::string name = app.get_name() + (command.empty() ? "" : " " + command);
  return write_out(app.get_formatter()->make_help(asked, name, CLI::AppFormatMode::Normal)) ? kHolds : kBadInput;
}

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "print a script that completes command lines");
  completion->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  completion->footer("Example: isoshard completion bash > ~/.local/share/bash-completion/completions/isoshard");
  return completion;
}

CLI::App* add_man(CLI::App& app, std::string& command) {
  CLI::App* man = app.add_subcommand("man", "print a manual page, for man(1)");
  man->add_option("command", command, "which command (default: isoshard itself)")->type_name("COMMAND");
  man->footer("Example: isoshard man check | man -l -");
  return man;
}

int print_man(const CLI::App& app, const std::string& command) {
  if (const std::string message = command.empty() ? "" : unknown_command(app, command); !message.empty()) {
    print_error(message);
    return kBadInput;
  }
  return write_out(man_page(app, command.empty() ? nullptr : app.get_subcommand(command))) ? kHolds : kBadInput;
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app("isoshard proves that a sharded program equals the unsharded one, simulates it, and runs it.",
               "isoshard");
  app.require_subcommand(1);
  app.footer(kFooter);
  app.formatter(help_formatter());
  bool version = false;
  app.add_flag("-V,--version", version, "print the version");
  const CLI::App* check = add_check(app, settings);
  const CLI::App* sim = add_sim(app, settings);
  const CLI::App* run_devices = add_run(app, settings);
  const CLI::App* show = add_show(app, settings);
  const CLI::App* import_texts = add_import(app, settings);
  const CLI::App* models = add_models(app, settings);
  const CLI::App* make = add_make(app, settings);
  const CLI::App* fmt = add_fmt(app, settings);
  const CLI::App* ops = add_ops(app, settings);
  const CLI::App* explain = add_explain(app, settings);
  std::string helped;
  const CLI::App* help_command = add_help(app, helped);
  const CLI::App* completion = add_completion(app, helped);
  const CLI::App* man = add_man(app, helped);
  const CLI::App* print_version = app.add_subcommand("version", "print the version and the format version");
  if (argc == 2 && (std::string_view(argv[1]) == "--version" || std::string_view(argv[1]) == "-V")) {
    argv[1] = const_cast<char*>("version");
  }
  if (reject_unknown_command(app, argc, argv)) return kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help) == 0 ? kHolds : kBadInput;
  } catch (const CLI::ParseError& error) {
    print_error(usage_error(app, error));
    return kBadInput;
  }
  try {
    if (help_command->parsed()) return print_help(app, helped);
    if (completion->parsed()) return write_out(completion_script(app, helped)) ? kHolds : kBadInput;
    if (man->parsed()) return print_man(app, helped);
    if (explain->parsed()) return run_explain(settings);
    if (settings.json) settings.format = "json";
    settings.json = settings.format == "json";
    if (!fmt->parsed() && !take_standard_input(settings)) return kBadInput;
    if (check->parsed()) return run_check(settings);
    if (sim->parsed()) return settings.memory ? run_memory(settings) : run_sim(settings);
    if (run_devices->parsed()) return run_run(settings);
    if (show->parsed()) return run_show(settings);
    if (import_texts->parsed()) return run_import(settings);
    if (models->parsed()) return run_models(settings);
    if (make->parsed()) return run_make(settings);
    if (fmt->parsed()) return run_fmt(settings);
    if (ops->parsed()) return run_ops(settings);
    if (print_version->parsed())
      return write_out("isoshard " ISOSHARD_VERSION ", .shard format 1\n") ? kHolds : kBadInput;
  } catch (const InternalError& error) {
    std::fputs(internal_error_report(error, ISOSHARD_VERSION, settings.inputs).c_str(), stderr);
  }
  return kBadInput;
}

}  // namespace
}  // namespace isoshard::command_line

namespace isoshard {
inline namespace v1 {

int run_command_line(int argc, char** argv) {
  command_line::handle_signals();
  sim::keep_freed_memory();
  return command_line::run(argc, argv);
}

}  // namespace v1
}  // namespace isoshard

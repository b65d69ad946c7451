// The command line of isoshard: which command is meant; each lives in commands/<name>_command.cc, its options in
// options.cc.

#include <cstdio>
#include <string_view>

#include <isoshard/version.h>

#include "apps/isoshard/options.h"
#include "apps/isoshard/settings.h"
#include "apps/isoshard/signals.h"
#include "apps/isoshard/standard_input.h"
#include "apps/isoshard/terminal.h"
#include "apps/isoshard/usage.h"
#include "core/support/internal_error_report.h"
#include "sim/run/keep_memory.h"

namespace isoshard::app {
namespace {

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app("isoshard proves that a sharded program equals the unsharded one, simulates it, and runs it.",
               "isoshard");
  app.require_subcommand(1);
  app.footer(kFooter);
  bool version = false;
  app.add_flag("--version", version, "print the version");
  const CLI::App* check = add_check(app, settings);
  const CLI::App* sim = add_sim(app, settings);
  const CLI::App* run_devices = add_run(app, settings);
  const CLI::App* show = add_show(app, settings);
  const CLI::App* import_texts = add_import(app, settings);
  const CLI::App* models = add_models(app, settings);
  const CLI::App* make = add_make(app, settings);
  const CLI::App* fmt = add_fmt(app, settings);
  const CLI::App* ops = add_ops(app, settings);
  const CLI::App* print_version = app.add_subcommand("version", "print the version and the format version");
  if (argc == 2 && std::string_view(argv[1]) == "--version") argv[1] = const_cast<char*>("version");
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
}  // namespace isoshard::app

int main(int argc, char** argv) {
  isoshard::app::handle_signals();
  isoshard::sim::keep_freed_memory();
  return isoshard::app::run(argc, argv);
}

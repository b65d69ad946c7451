// Options that several commands have, so that they are named, checked and explained alike.
#include "command_line/option_groups.h"

#include <cstdint>
#include <string>

#include "command_line/usage.h"

namespace isoshard::command_line {

const char* const kFooter =
    "Exit codes: 0 holds, 1 does not hold, 2 bad input, 3 could not decide.\n"
    "After Ctrl-C the exit code is 130.\n"
    "A FILE is a .shard file, or for check, sim, run and show a .plan file; a NAME is a model of the catalogue "
    "(`isoshard "
    "models`).";

void add_common(CLI::App* command, Settings& settings, const char* example) {
  command->add_option("--mesh", settings.mesh, "sizes of mesh axes, for example data=2,model=4 (default: as written)")
      ->allow_extra_args(false)
      ->type_name("AXIS=SIZE,...");
  command
      ->add_option("--devices", settings.devices,
                   "how many devices a mesh has: one size of --mesh may be -1, what the others leave (default: any)")
      ->check(integer(1, INT32_MAX))
      ->type_name("N");
  command
      ->add_option("--set", settings.set, "values of `let` names or settings, for example d=512 (default: as written)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE,...");
  command->add_option("--color", settings.color, "auto, always or never (default: auto; NO_COLOR is respected)")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->footer(std::string("Example: ") + example + "\n" + kFooter);
}

void add_draw_options(CLI::App* command, Settings& settings) {
  command->add_option("--seed", settings.seed, "seed of all random draws (default: 0)")
      ->check(integer(0, UINT64_MAX))
      ->type_name("N");
  command->add_option("--workers", settings.workers, "worker threads (default: 0, one per core; never changes results)")
      ->check(integer(0, 1024))
      ->type_name("N");
}

void add_step_options(CLI::App* command, Settings& settings) {
  command->add_option("--program", settings.program, "which program (default: the left side of the first check)")
      ->type_name("@NAME");
  command
      ->add_option("--inputs", settings.read_arrays,
                   "arrays by global name (default: all drawn from --seed and their init)")
      ->type_name("FILE.npz");
  command->add_option("--outputs", settings.write_arrays, "where to write the outputs (default: only a summary)")
      ->type_name("FILE.npz");
  command
      ->add_option("--steps", settings.steps,
                   "how many steps to run, each on the globals that the one before has updated (default: 1)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("K");
}

void add_text_options(CLI::App* command, Settings& settings) {
  command
      ->add_option("--range", settings.ranges,
                   "of StableHLO: the numbers of an integer argument, for example labels=0..32000,-100 (default: where "
                   "it is an index, those that are inside; otherwise all)")
      ->allow_extra_args(false)
      ->type_name("NAME=LOW..HIGH[,N...]");
  command
      ->add_option("--args", settings.arguments,
                   "of StableHLO: names of the arguments in order, once for all texts or once for each (default: those "
                   "of debug_info=True)")
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

CLI::Option* add_json(CLI::App* command, Settings& settings) {
  return command->add_flag("--json", settings.json, "print one JSON object instead of text")->disable_flag_override();
}

void add_quiet(CLI::App* command, Settings& settings, const char* what) {
  command->add_flag("-q,--quiet", settings.quiet, what)->disable_flag_override();
}

}  // namespace isoshard::command_line

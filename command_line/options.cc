// The options of all commands: their names, what they say of themselves, and which values they take. What options mean
// together is said by the commands.
#include "command_line/options.h"

#include "command_line/option_groups.h"
#include "command_line/usage.h"

namespace isoshard::command_line {

namespace {

/// What `check` tells, in which form.
void add_output_options(CLI::App* command, Settings& settings) {
  command
      ->add_flag("--explain", settings.explain,
                 "also what each rung said, and what the error bound is made of (default: no)")
      ->disable_flag_override();
  CLI::Option* json = add_json(command, settings);
  command
      ->add_option(
          "--format", settings.format,
          "text, json (as --json), github (text with annotations for GitHub Actions) or sarif (SARIF 2.1.0, for "
          "code scanning) (default: text)")
      ->check(one_of({"text", "json", "github", "sarif"}))
      ->type_name("FORMAT")
      ->excludes(json);
  add_quiet(command, settings, "print errors only, no report, warning or progress; the exit code tells (default: no)");
  command
      ->add_flag_callback(
          "--no-warnings", [&settings] { settings.warnings = false; },
          "leave out warnings, which tell what is no error and hardly meant (default: told)")
      ->disable_flag_override();
}

}  // namespace

CLI::App* add_check(CLI::App& app, Settings& settings) {
  CLI::App* command =
      app.add_subcommand("check", "decide the `check` lines of files or models: are the programs equal?");
  command->add_option("input", settings.inputs, "files or models")->required()->type_name("FILE|NAME...");
  add_common(command, settings, "isoshard check examples/tp_mlp.shard --mesh data=3,model=2");
  add_text_options(command, settings);
  add_draw_options(command, settings);
  command
      ->add_option("--sweep", settings.sweep,
                   "check on many meshes, a table row each: sizes and inclusive ranges per axis, for example "
                   "data=1..3,model=1,2,4 is nine meshes (default: one mesh)")
      ->allow_extra_args(false)
      ->type_name("AXIS=SIZES,...");
  command
      ->add_option("--sweep-set", settings.sweep_set,
                   "check with many values of `let` names or settings, a table row each, on all meshes of --sweep: for "
                   "example d=64,128,act=silu,gelu is four rows (default: one value)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUES,...");
  command
      ->add_flag("--strict", settings.strict,
                 "of a sweep: a mesh whose sizes do not divide what they cut is an error, and a row (default: it is "
                 "counted only)")
      ->disable_flag_override();
  command
      ->add_flag("--grad", settings.grad,
                 "compare gradients in place of values: of all float outputs, each times a random cotangent, by all "
                 "params and float inputs (default: no)")
      ->disable_flag_override();
  command
      ->add_option("--accept", settings.accept,
                   "sampled: NOT REFUTED, where integers or orders were drawn and not covered, has exit code 0 "
                   "(default: 3)")
      ->check(one_of({"sampled"}))
      ->type_name("sampled");
  command
      ->add_option("--counterexample", settings.counterexample,
                   "write the globals on which programs are NOT EQUAL, for `sim --inputs` (default: no file)")
      ->type_name("FILE.npz");
  command
      ->add_option(
          "--html", settings.page,
          "also write a page for a browser: the verdicts, and the first wrong value in its program (default: no "
          "file)")
      ->type_name("FILE.html");
  command
      ->add_option("--against", settings.against,
                   "what a Plan (FILE.plan) is compared with (default: what its `check` lines name)")
      ->type_name("FILE@NAME");
  command
      ->add_option_function<std::string>(
          "--rung", [&](const std::string& name) { settings.rung = verify::rung_of(name); },
          "for experts: try this rung of docs/soundness.md only, then F (default: as many as are needed)")
      ->check(one_of({"A", "B", "E", "Eh"}))
      ->type_name("RUNG");
  command
      ->add_option("--lanes", settings.lanes,
                   "for experts: exactly so many lanes, 1 to 8 (default: as many as the error needs, 2 at least)")
      ->check(integer(1, 8))
      ->type_name("N");
  command
      ->add_option(
          "--error", settings.error,
          "the most that the probability of a wrong EQUAL may be (default: 2^-40, or up to 2^-20 where 8 lanes "
          "do not reach it)")
      ->check(power_of_half(20, 240))
      ->type_name("2^-N");
  add_output_options(command, settings);
  return command;
}

CLI::App* add_sim(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("sim", "run a program on virtual devices with real numbers");
  command->add_option("input", settings.inputs, "a file or a model")->required()->expected(1)->type_name("FILE|NAME");
  add_common(command, settings, "isoshard sim tp_mlp --inputs in.npz --outputs out.npz");
  add_text_options(command, settings);
  add_draw_options(command, settings);
  add_step_options(command, settings);
  command
      ->add_option("--domain", settings.domain,
                   "f32 (floats as declared), bf16 (the same, of a model whose setting dtype is bf16), f64 (all floats "
                   "as f64) or ring (default: f32)")
      ->check(one_of({"f32", "bf16", "f64", "ring"}))
      ->type_name("DOMAIN");
  command
      ->add_flag("--init", settings.init,
                 "draw the first parameters, named by their paths, in place of running the program (default: off)")
      ->disable_flag_override();
  command
      ->add_option("--key", settings.key,
                   "begin with the parameters that the model itself draws from PRNGKey(N), and with its data where it "
                   "draws them, too; --outputs are then the parameters after the last step (default: drawn from "
                   "--seed; with --init 0)")
      ->check(integer(0, UINT32_MAX))
      ->type_name("N");
  command
      ->add_flag("--per-device", settings.per_device,
                 "give every device's own block of each output, along a new first dimension, in place of the whole "
                 "array (default: off)")
      ->disable_flag_override();
  CLI::Option* memory =
      command
          ->add_flag("--memory", settings.memory,
                     "tell the most bytes that a device holds at once, where and what, in place of running the program "
                     "(default: off)")
          ->disable_flag_override();
  command
      ->add_flag("--planned", settings.planned,
                 "compute inside the buffers that are planned for execution, poisoned before they are written; the "
                 "results have the same bits (default: every value has memory of its own)")
      ->disable_flag_override()
      ->excludes(memory);
  command
      ->add_option("--interleave-seed", settings.interleave_seed,
                   "run ready work in a random legal order with this seed (default: in the order it becomes ready)")
      ->check(integer(0, UINT64_MAX))
      ->type_name("N");
  add_quiet(command, settings, "print errors only; the outputs go to --outputs (default: no)");
  // None of these changes what is told without a run.
  for (const char* option :
       {"--inputs", "--outputs", "--domain", "--steps", "--init", "--per-device", "--interleave-seed"}) {
    memory->excludes(command->get_option(option));
  }
  add_json(command, settings);
  return command;
}

namespace {

void add_device_options(CLI::App* command, Settings& settings) {
  command
      ->add_option("--device", settings.device,
                   "cuda, or cpu-standin: the same calls by a stand-in for CUDA and NCCL (default: cuda)")
      ->check(one_of({"cuda", "cpu-standin"}))
      ->type_name("DEVICE");
  command
      ->add_option("--launcher", settings.launcher,
                   "what each rank is: one of the processes that `run` starts, or one of its threads (default: started "
                   "by torchrun, mpirun or srun where one of them has started "
                   "this process, else processes on cuda, threads on cpu-standin)")
      ->check(one_of({"processes", "threads"}))
      ->type_name("LAUNCHER");
  command
      ->add_option("-n,--ranks", settings.ranks,
                   "how many ranks there have to be: an error where the mesh has another number of devices")
      ->check(integer(1, INT32_MAX))
      ->type_name("N");
  command
      ->add_flag("--oversubscribe", settings.oversubscribe,
                 "where there are more ranks than GPUs let several share one; timings mean nothing then (default: an "
                 "error)")
      ->disable_flag_override();
  command
      ->add_option("--deadline", settings.deadline,
                   "seconds that a step, or the start of all ranks, may take (default: 60)")
      ->check(integer(1, 86400))
      ->type_name("S");
}

}  // namespace

CLI::App* add_run(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("run", "run a program on GPUs by CUDA and NCCL, one process for each rank");
  command->add_option("input", settings.inputs, "a file or a model")->required()->expected(1)->type_name("FILE|NAME");
  add_common(command, settings, "isoshard run tp_mlp --mesh data=2,model=2 --oversubscribe --check");
  add_text_options(command, settings);
  add_draw_options(command, settings);
  add_step_options(command, settings);
  add_device_options(command, settings);
  command
      ->add_option(
          "--products", settings.products,
          "exact: kernels whose results have the bits of sim; library: cuBLASLt where it can, which adds in an "
          "order of its own; tf32: the same, and operands of f32 may be rounded to 11 bits (default: exact)")
      ->check(one_of({"exact", "library", "tf32"}))
      ->type_name("PRODUCTS");
  command
      ->add_option(
          "--algorithms", settings.algorithms,
          "a file of the algorithms that cuBLASLt chose for products before: those for this device and version "
          "of cuBLASLt are used, and what is chosen now is added (default: chosen each time)")
      ->type_name("FILE");
  command
      ->add_option(
          "--fuse", settings.fuse,
          "on: chains of elementwise ops are one kernel each; off: one per op; the bits are the same (default: "
          "on)")
      ->check(one_of({"on", "off"}))
      ->type_name("ON");
  command->add_flag("--check", settings.check, "compare the outputs of every step with those of sim (default: no)")
      ->disable_flag_override();
  command
      ->add_option("--check-every", settings.check_every,
                   "compare only the first of each N steps, and the last, with sim (default: 1)")
      ->check(integer(1, 1000000))
      ->type_name("N")
      ->needs("--check");
  command
      ->add_option("--repeat", settings.repeat,
                   "do all steps K times from the same inputs; the bits must be the same each time (default: 1)")
      ->check(integer(1, 1000000))
      ->type_name("K");
  command
      ->add_option("--graph", settings.graph,
                   "on: issue every step but the first as one graph, made of the same calls; off: call by call; auto: "
                   "as a graph where 8 steps and more are done (default: auto)")
      ->check(one_of({"auto", "on", "off"}))
      ->type_name("GRAPH");
  command->add_flag("--time", settings.time, "tell how long each step took on the slowest rank (default: no)")
      ->disable_flag_override();
  CLI::Option* calls = command
                           ->add_flag("--print-calls", settings.print_calls,
                                      "print what each rank would issue, in place of running it (default: off)")
                           ->disable_flag_override();
  command->add_option("--rank", settings.rank, "the rank whose calls to print (default: all)")
      ->check(integer(0, INT32_MAX))
      ->needs(calls)
      ->type_name("R");
  add_quiet(command, settings, "print errors only; the outputs go to --outputs, the exit code tells (default: no)");
  for (const char* option : {"--inputs", "--outputs", "--steps", "--device", "--launcher", "--oversubscribe",
                             "--deadline", "--check", "--repeat", "--graph", "--time", "--algorithms", "--quiet"}) {
    calls->excludes(command->get_option(option));
  }
  return command;
}

CLI::App* add_show(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("show", "print a program fully elaborated, with its types, or its plan");
  command->add_option("input", settings.inputs, "a file or a model")->required()->expected(1)->type_name("FILE|NAME");
  add_common(command, settings, "isoshard show ring_matmul --plan --mesh model=4");
  add_text_options(command, settings);
  command->add_option("--program", settings.program, "which program (default: all)")->type_name("@NAME");
  command->add_flag("--types", settings.types, "after each op its type and state on every mesh axis")
      ->disable_flag_override();
  command->add_flag("--plan", settings.plan, "the queues of instructions instead of the program")
      ->disable_flag_override();
  command->add_flag("--inline", settings.inline_calls, "of a plan: calls written out, without functions")
      ->disable_flag_override();
  CLI::Option* html = command
                          ->add_flag("--html", settings.html,
                                     "a page for a browser: devices, values with their states and blocks, pipelines, "
                                     "queues and memory")
                          ->disable_flag_override();
  CLI::Option* svg =
      command->add_flag("--svg", settings.svg, "pipelines and queues as a picture")->disable_flag_override();
  CLI::Option* grid =
      command->add_flag("--grid", settings.grid, "who does what of a pipeline when, as text; with --svg as a picture")
          ->disable_flag_override();
  command->add_option("-o,--output", settings.output, "the file to write (default: standard output)")
      ->type_name("FILE");
  add_json(command, settings);
  for (const char* option : {"--types", "--plan", "--inline", "--json"}) {
    for (CLI::Option* picture : {html, svg, grid}) picture->excludes(command->get_option(option));
  }
  html->excludes(svg)->excludes(grid);
  return command;
}

CLI::App* add_import(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "import", "write a StableHLO text, or a sharded one and its reference with the check of both, as a .shard file");
  command->add_option("input", settings.inputs, "one text or two, or - for standard input")
      ->required()
      ->expected(1, 2)
      ->type_name("FILE...");
  add_common(command, settings, "isoshard import sharded.mlir reference.mlir -o step.shard");
  add_text_options(command, settings);
  command->add_option("-o,--output", settings.output, "the file to write (default: standard output)")
      ->type_name("FILE.shard");
  return command;
}

CLI::App* add_models(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("models", "list the catalogue, or describe one model");
  command->add_option("name", settings.inputs, "a model (default: all)")->expected(0, 1)->type_name("NAME");
  add_common(command, settings, "isoshard models tp_dense --mesh model=2 --set mode=scatter");
  return command;
}

CLI::App* add_make(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("make", "print a model of the catalogue as a .shard file");
  command->add_option("name", settings.inputs, "a model")->required()->expected(1)->type_name("NAME");
  add_common(command, settings, "isoshard make tp_mlp --mesh data=2,model=4 --set d=1680");
  return command;
}

CLI::App* add_ops(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("ops", "list the ops of the language, or describe one op");
  command->add_option("name", settings.inputs, "an op (default: all)")->expected(0, 1)->type_name("NAME");
  command->add_flag("--markdown", settings.markdown, "the reference page docs/ops.md");
  command->footer(std::string("Example: isoshard ops all_reduce\n") + kFooter);
  return command;
}

CLI::App* add_explain(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "say what the rule at the end of a message means, with a program that breaks it and one that does not");
  command->add_option("rule", settings.inputs, "a rule id (default: list them)")->expected(0, 1)->type_name("RULE");
  command->footer(std::string("Example: isoshard explain S-linear\n") + kFooter);
  return command;
}

CLI::App* add_fmt(CLI::App& app, Settings& settings) {
  CLI::App* command = app.add_subcommand("fmt", "give .shard files their canonical blanks, in place");
  command->add_option("file", settings.inputs, "files, or - for standard input to standard output")
      ->required()
      ->type_name("FILE...");
  command->add_flag("--check", settings.check_only, "write nothing; list the files that would change, exit 1 if any")
      ->disable_flag_override();
  command->footer(std::string("Example: isoshard fmt --check examples/tp_mlp.shard\n") + kFooter);
  return command;
}

}  // namespace isoshard::command_line

// Where a run begins, of `sim` and of `run`: what is run, and on which arrays. With --init the init program itself is
// run; with --key it runs first, on the key alone, and what it updates, or returns under the name of a global, becomes
// the first value of that global (docs/adr/0023-training-loop.md). State that it leaves alone begins as declared, an
// optimizer with zeros. An archive takes precedence over both. The arrays are then converted to the domain of the run.
// Cost: one more run, of the init program in floats.
#include "command_line/commands/sim_start.h"

#include <algorithm>

#include "command_line/load_plan.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/value/threefry.h"
#include "library/load/arrays.h"
#include "library/load/load.h"
#include "parallel/training/init_program.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"
#include "sim/run/draw.h"

namespace isoshard::command_line {
namespace {

Tensor key_array(const Settings& settings) {
  const uint64_t key = threefry::key_of(static_cast<uint32_t>(settings.key.value_or(0)));
  return Tensor::from<uint64_t>(DType::key, {}, std::vector{key});
}

std::optional<InitProgram> find_init(const Module& module, ProgramId program, const std::string& option,
                                     DiagnosticSink& sink) {
  const std::optional<InitProgram> init = find_init_program(module, program);
  if (init) return init;
  const std::string& name = module.program(program).name();
  sink.error("I-init", {},
             option + ": @" + name + " has no program @" + name +
                 "_init that draws its parameters; expected a model made of modules, as tp_dense, or leave " + option +
                 " out: what is not given is drawn from --seed");
  return std::nullopt;
}

/// What the init program makes of the key, by global: what it updates, and what it returns under the name of one. State
/// and keys that it leaves alone begin as they are declared: an optimizer with zeros.
std::optional<library::GivenArrays> first_values(const Module& module, ProgramId program, const Settings& settings,
                                                 DiagnosticSink& sink) {
  const std::optional<InitProgram> init = find_init(module, program, "--key", sink);
  if (!init) return std::nullopt;
  const sim::Domain& domain = sim::float_domain();
  const Plan plan = lower(module, init->program);
  std::vector<sim::Value> globals;
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const bool is_key = i == init->key.index();
    const Tensor array = is_key ? key_array(settings) : sim::draw_global(module.globals[i], settings.seed);
    globals.push_back(sim::from_tensor(array, domain));
  }
  sim::RunOptions options;
  options.workers = settings.workers;
  const Result<sim::RunResult> result = sim::run(plan, domain, globals, options);
  if (!result) {
    sink.add(result.error());
    return std::nullopt;
  }
  library::GivenArrays given;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const Output& output = plan.outputs[o];
    const std::optional<GlobalId> global = output.updates.valid() ? output.updates : module.find_global(output.name);
    if (!global) continue;
    given[global->index()] = sim::to_tensor(sim::assemble(output.type, result->outputs[o]).value, domain);
  }
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const Global& global = module.globals[i];
    if (global.role != Role::state && global.role != Role::key) continue;
    given.try_emplace(i, sim::draw_global(global, settings.seed));
  }
  return given;
}

/// What --inputs names, if it does.
struct Archive {
  bool good = true;  ///< false after an error
  std::optional<std::vector<NamedTensor>> arrays{};
};

Archive read_archive(const Settings& settings, DiagnosticSink& sink) {
  if (settings.read_arrays.empty()) return {};
  Result<std::vector<NamedTensor>> read = read_npz(settings.read_arrays);
  if (read) return {true, std::move(*read)};
  sink.add(read.error());
  return {false};
}

/// The program of the settings, or with --init the one that draws its parameters (I-init where there is none).
std::optional<Chosen> choose(const Module& module, const Settings& settings, DiagnosticSink& sink) {
  const std::optional<ProgramId> program = library::choose_program(module, settings.inputs[0], settings, sink);
  if (!program) return std::nullopt;
  if (!settings.init) return Chosen{*program};
  const std::optional<InitProgram> init = find_init(module, *program, "--init", sink);
  return init ? std::optional(Chosen{init->program, init->key}) : std::nullopt;
}

/// A program with state errors has no agreed meaning: to run it is bad input (`check` judges it).
bool reject_state_errors(const Module& module, ProgramId program, DiagnosticSink& sink) {
  for (const Diagnostic& error : module.state_errors(program)) sink.add(error);
  return sink.has_errors();
}

/// What is known of the globals of a program beside the archive; nothing after an error.
std::optional<library::GivenArrays> given_arrays(const RunStart& start, const Settings& settings,
                                                 DiagnosticSink& sink) {
  library::GivenArrays given;
  if (settings.key && !start.chosen.key) return first_values(*start.module, start.chosen.program, settings, sink);
  if (start.chosen.key) given[start.chosen.key->index()] = key_array(settings);
  return given;
}

/// Tells which parameters are drawn although there is an archive: a name that is misspelled in the program, or a
/// checkpoint of another model, would go unseen.
void tell_drawn_params(const std::vector<Global>& globals, const std::vector<bool>& reads, const Archive& archive,
                       const library::GivenArrays& given, const Settings& settings, DiagnosticSink& sink) {
  constexpr size_t kNamed = 4;
  if (!archive.arrays) return;
  std::vector<std::string> drawn;
  for (size_t g = 0; g < globals.size(); ++g) {
    if (globals[g].role != Role::param || !reads[g] || given.contains(g)) continue;
    const auto is_it = [&](const NamedTensor& array) { return library::names_global(array.name, globals[g].name); };
    if (std::none_of(archive.arrays->begin(), archive.arrays->end(), is_it)) drawn.push_back(globals[g].name);
  }
  if (drawn.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(drawn.size(), kNamed); ++i) names += (i == 0 ? "@" : ", @") + drawn[i];
  if (drawn.size() > kNamed) names += " and " + std::to_string(drawn.size() - kNamed) + " more";
  sink.add({Severity::note,
            "I-drawn",
            {},
            settings.read_arrays + " has no " + names +
                (drawn.size() == 1 ? ", a param, which is" : ", params, which are") + " drawn from --seed " +
                std::to_string(settings.seed),
            {}});
}

}  // namespace

std::optional<RunStart> load_start(const Settings& settings, DiagnosticSink& sink) {
  if (library::is_plan(settings.inputs[0])) {
    std::optional<text::PlanFile> file = load_plan(settings.inputs[0], settings, sink);
    return file ? std::optional(RunStart{std::move(file->plan)}) : std::nullopt;
  }
  std::optional<Module> module = library::load(settings.inputs[0], settings, sink);
  if (!module) return std::nullopt;
  const std::optional<Chosen> chosen = choose(*module, settings, sink);
  if (!chosen || reject_state_errors(*module, chosen->program, sink)) return std::nullopt;
  Plan plan = lower(*module, chosen->program);
  return RunStart{std::move(plan), std::move(module), *chosen};
}

bool check_steps(const Plan& plan, int64_t steps, DiagnosticSink& sink) {
  const bool updates =
      std::any_of(plan.outputs.begin(), plan.outputs.end(), [](const Output& o) { return o.updates.valid(); });
  if (steps == 1 || updates) return true;
  sink.error("I-steps", {},
             "--steps " + std::to_string(steps) + ": @" + plan.program +
                 " updates no global, so that all steps would be alike; leave --steps out");
  return false;
}

std::optional<std::vector<Tensor>> read_inputs(const RunStart& start, const Settings& settings, DiagnosticSink& sink) {
  const Archive archive = read_archive(settings, sink);
  if (!archive.good) return std::nullopt;
  const std::string& path = settings.read_arrays;
  if (!start.module) {
    const std::vector<bool> reads = library::globals_plan_reads(start.plan);
    tell_drawn_params(start.plan.globals, reads, archive, {}, settings, sink);
    return library::gather_arrays(start.plan.globals, reads, archive.arrays, path, {}, settings.seed, sink);
  }
  const std::optional<library::GivenArrays> given = given_arrays(start, settings, sink);
  if (!given) return std::nullopt;
  const std::vector<bool> reads = library::globals_program_reads(*start.module, start.chosen.program);
  tell_drawn_params(start.module->globals, reads, archive, *given, settings, sink);
  return library::gather_arrays(start.module->globals, reads, archive.arrays, path, *given, settings.seed, sink);
}

std::vector<sim::Value> to_values(const std::vector<Tensor>& arrays, const sim::Domain& domain) {
  std::vector<sim::Value> values;
  for (const Tensor& tensor : arrays) values.push_back(sim::from_tensor(tensor, domain));
  return values;
}

}  // namespace isoshard::command_line

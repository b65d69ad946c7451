#pragma once

#include <map>
#include <optional>
#include <vector>

#include "command_line/settings.h"
#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "core/value/tensor.h"
#include "sim/domains/domain.h"

namespace isoshard::command_line {

/// What `sim` runs: a program, and with --init, where it is an init program, the global of its key.
struct Chosen {
  ProgramId program;
  std::optional<GlobalId> key{};
};

/// What is run: a Plan, and where it is no Plan file the program that it was lowered from.
struct RunStart {
  Plan plan;
  std::optional<Module> module{};
  Chosen chosen{};
};

/// The Plan of the FILE or NAME of the settings; errors go to `sink`, those of states among them: a program that has
/// some has no agreed meaning.
std::optional<RunStart> load_start(const Settings& settings, DiagnosticSink& sink);

/// Refuses --steps of a Plan that updates nothing, whose steps would all be alike (I-steps); true when it did not.
bool check_steps(const Plan& plan, int64_t steps, DiagnosticSink& sink);

/// The globals with which a run begins: those of the archive, else with --key what the program's init program makes of
/// PRNGKey(key), else drawn from the seed. Nothing after an error (I-init, and those of gather_arrays).
std::optional<std::vector<Tensor>> read_inputs(const RunStart& start, const Settings& settings, DiagnosticSink& sink);

/// The same in a domain.
std::vector<sim::Value> to_values(const std::vector<Tensor>& arrays, const sim::Domain& domain);

}  // namespace isoshard::command_line

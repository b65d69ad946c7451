#pragma once

#include <map>
#include <optional>
#include <vector>

#include "apps/isoshard/settings.h"
#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "sim/domains/domain.h"

namespace isoshard::app {

/// What `sim` runs: a program, and with --init, where it is an init program, the global of its key.
struct Chosen {
  ProgramId program;
  std::optional<GlobalId> key{};
};

/// The program of the settings, or with --init the one that draws its parameters (I-init where there is none).
std::optional<Chosen> choose(const Module& module, const Settings& settings, DiagnosticSink& sink);

/// The globals with which a run begins: those of the archive, else with --key what the program's init program makes of
/// PRNGKey(key), else drawn from the seed. Nothing after an error (I-init, and those of gather_arrays).
std::optional<std::vector<sim::Value>> read_inputs(const Module& module, const Chosen& chosen,
                                                   const sim::Domain& domain, const Settings& settings,
                                                   DiagnosticSink& sink);

/// The same of a Plan, which has no init program: those of the archive, else drawn from the seed.
std::optional<std::vector<sim::Value>> read_inputs(const Plan& plan, const sim::Domain& domain,
                                                   const Settings& settings, DiagnosticSink& sink);

}  // namespace isoshard::app

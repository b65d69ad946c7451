// The handle of loaded programs: what they are called, what is claimed of them, and their texts. Programs are found by
// name as the command line finds them, by the same functions.
#include <isoshard/programs.h>

#include "core/plan/passes/lower.h"
#include "core/text/plan/plan_text.h"
#include "core/text/text.h"
#include "library/findings.h"
#include "library/guarded.h"
#include "library/load/load.h"
#include "library/states.h"

namespace isoshard {
inline namespace v1 {
namespace {

/// The program of this name; empty: none.
std::optional<ProgramId> find_program(const detail::ProgramsState& state, const std::string& name) {
  if (name.empty()) return std::nullopt;
  DiagnosticSink sink;
  library::LoadRequest request;
  request.program = name;
  const std::optional<ProgramId> id = library::choose_program(state.module, state.input, request, sink);
  library::throw_errors(sink);
  return id;
}

}  // namespace

Programs::Programs(std::shared_ptr<const detail::ProgramsState> state) : state_(std::move(state)) {}

std::vector<std::string> Programs::names() const {
  std::vector<std::string> names;
  for (const Program& program : state_->module.programs) {
    if (program.kind() == ProgramKind::program) names.push_back(program.name());
  }
  return names;
}

std::vector<Claim> Programs::claims() const {
  std::vector<Claim> claims;
  for (const Check& check : state_->module.checks) {
    const Module& module = state_->module;
    claims.push_back(
        {module.program(check.left).name(), module.program(check.right).name(), check.location.to_string()});
  }
  return claims;
}

std::vector<GlobalType> Programs::globals() const {
  std::vector<GlobalType> globals;
  for (const Global& global : state_->module.globals) {
    globals.push_back({global.name, to_string(global.type), std::string(isoshard::name(global.role))});
  }
  return globals;
}

const std::vector<Finding>& Programs::warnings() const { return state_->warnings; }

std::string Programs::show(const std::string& program, bool types) const {
  return library::guarded(state_->input, [&] {
    const std::optional<ProgramId> only = find_program(*state_, program);
    const text::PrintOptions options{types};
    return only ? text::print(state_->module, *only, options) : text::print(state_->module, options);
  });
}

std::string Programs::lower(const std::string& program) const {
  return library::guarded(state_->input, [&] {
    const std::optional<ProgramId> only = find_program(*state_, program);
    std::string text;
    for (size_t i = 0; i < state_->module.programs.size(); ++i) {
      const bool wanted = only ? *only == ProgramId(i) : state_->module.programs[i].kind() == ProgramKind::program;
      if (wanted) text += (text.empty() ? "" : "\n") + print(isoshard::lower(state_->module, ProgramId(i)));
    }
    return text;
  });
}

}  // namespace v1
}  // namespace isoshard

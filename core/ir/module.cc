#include "core/ir/module.h"

#include <set>

namespace isoshard {
namespace {

void collect(const Module& module, ProgramId id, std::set<ProgramId>& seen, std::vector<Diagnostic>& out) {
  if (!seen.insert(id).second) return;
  const Program& program = module.program(id);
  const std::vector<Diagnostic> own = program.state_errors();
  out.insert(out.end(), own.begin(), own.end());
  for (size_t i = 0; i < program.op_count(); ++i) {
    for (const ProgramId callee : callees(program.op(OpId(i)).data)) collect(module, callee, seen, out);
  }
}

}  // namespace

std::optional<GlobalId> Module::find_global(std::string_view name) const {
  for (size_t i = 0; i < globals.size(); ++i) {
    if (globals[i].name == name) return GlobalId(i);
  }
  return std::nullopt;
}

std::optional<ProgramId> Module::find_program(std::string_view name) const {
  for (size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].name() == name && programs[i].kind() == ProgramKind::program) return ProgramId(i);
  }
  return std::nullopt;
}

std::vector<Diagnostic> Module::state_errors(ProgramId id) const {
  std::set<ProgramId> seen;
  std::vector<Diagnostic> result;
  collect(*this, id, seen, result);
  return result;
}

}  // namespace isoshard

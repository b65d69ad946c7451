// Makes the file-level `check grad(...)` a `grad` of a function: a copy of the program whose views of globals with a
// gradient are arguments and whose outputs with a gradient are results. All else that it reads it reads in the copy as
// well. The copy stands in the module under a name that a file cannot write. Cost: one copy.
#include "core/transform/as_function.h"

#include <utility>

#include "core/support/check.h"
#include "core/transform/copy_region.h"

namespace isoshard {
namespace {

bool is_differentiable_view(const Program& program, const Op& op) {
  return std::holds_alternative<View>(op.data) && program.value(op.results.front()).type.has_gradient;
}

}  // namespace

std::optional<FunctionOfGlobals> as_function(Module& module, ProgramId id, const std::string& name,
                                             DiagnosticSink& sink) {
  const Program program = module.program(id);  // a copy: the module grows
  Builder out(module, name, program.shared_mesh(), sink,
              BuilderOptions{ProgramKind::function, program.typed(), program.location()});
  const CopyOptions options;
  RegionCopy copy(program, out, options);
  FunctionOfGlobals result;
  for (const OpId op_id : program.body().ops) {
    const Op& op = program.op(op_id);
    if (!is_differentiable_view(program, op)) continue;
    const Value& value = program.value(op.results.front());
    copy.replace(op_id, out.argument(value.name, value.type, value.location));
    result.views.push_back(op_id);
  }
  if (!copy.copy(program.body())) return std::nullopt;
  std::vector<ValueId> values;
  for (size_t i = 0; i < program.outputs().size(); ++i) {
    const Output& output = program.outputs()[i];
    ISOSHARD_CHECK(output.parts.size() == 1, "only updates have several parts");
    const ValueId value = copy.value(output.parts.front().value);
    if (!out.type(value).has_gradient) continue;
    values.push_back(value);
    result.outputs.push_back(i);
  }
  out.results(std::move(values), program.location());
  const std::optional<ProgramId> function = out.finish();
  if (!function) return std::nullopt;
  result.function = *function;
  return result;
}

}  // namespace isoshard

// Copies a program with the views of its scans' bodies in front of them. A view reads the same in every iteration, and
// bodies capture nothing, so the copy hands it in as a carry that the body returns as it is. Its gradient is then the
// gradient of one carry, added up over iterations by the rule of scans, and needs no rule of its own. Cost: one copy;
// none where no body has a view.
#include "core/transform/hoist_views.h"

#include <utility>

#include "core/transform/copy_region.h"

namespace isoshard {
namespace {

/// The views of bodies of scans that have a gradient.
void find_inner(const Program& program, const Region& region, bool inside, std::vector<OpId>& views) {
  for (const OpId id : region.ops) {
    const Op& op = program.op(id);
    const bool is_view = std::holds_alternative<View>(op.data);
    if (inside && is_view && program.value(op.results.front()).type.has_gradient) views.push_back(id);
    for (const Region& body : op.regions) find_inner(program, body, true, views);
  }
}

}  // namespace

std::optional<Program> hoist_views(Module& module, const Program& program, DiagnosticSink& sink) {
  std::vector<OpId> inner;
  find_inner(program, program.body(), false, inner);
  if (inner.empty()) return program;
  Builder out(module, program.name(), program.shared_mesh(), sink,
              BuilderOptions{ProgramKind::program, program.typed(), program.location()});
  const CopyOptions options;
  RegionCopy copy(program, out, options);
  for (const OpId id : inner) copy.carry_in(id, out.add_op(program.op(id).data, {}, "", program.op(id).location));
  if (!copy.copy(program.body())) return std::nullopt;
  for (const Output& output : program.outputs()) {
    const ReturnPart& part = output.parts.front();
    out.output(output.name, copy.value(part.value), part.layout, part.location, output.type);
  }
  if (!out.finish()) return std::nullopt;
  Program result = std::move(module.programs.back());
  module.programs.pop_back();
  return result;
}

}  // namespace isoshard

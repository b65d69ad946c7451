// Main, the function that is lowered: each argument is a whole array that is read where it is used, and each result a
// whole array or the blocks that a manual computation has left of it. Cost: that of its ops.
#include "core/import/stablehlo/lower/lower_main.h"

#include <memory>
#include <set>
#include <utility>

#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/word_of.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// Whether the devices of a mesh are 0, 1, 2, ... in its order; groups are positions only then.
bool in_order(const MeshText& mesh) {
  for (size_t i = 0; i < mesh.device_order.size(); ++i) {
    if (mesh.device_order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::optional<std::vector<MeshAxis>> axes_of(const ModuleText& text, const MeshText& mesh, DiagnosticSink& sink) {
  std::vector<MeshAxis> axes;
  std::set<std::string> names;
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1 || devices > (int64_t{1} << 20) / axis.size) {
      sink.error("M-mesh", text.location(mesh.span),
                 "the axis " + quoted(axis.name) + " of size " + std::to_string(axis.size) +
                     "; expected sizes of at least 1, and at most 2^20 devices");
      return std::nullopt;
    }
    const std::string name = word_of(axis.name);
    if (!names.insert(name).second) {
      sink.error("M-mesh", text.location(mesh.span),
                 "a second axis " + quoted(name) + "; expected names that differ in their letters and digits");
      return std::nullopt;
    }
    devices *= axis.size;
    axes.push_back(MeshAxis{name, axis.size});
  }
  return axes;
}

std::shared_ptr<const Mesh> mesh_of(const ModuleText& text, const std::vector<MeshAxis>& given, DiagnosticSink& sink) {
  std::optional<Mesh> mesh;
  for (const MeshText& written : text.meshes) {
    if (written.axes.empty()) continue;  // `@empty_mesh`, of values that are on every device
    if (!in_order(written)) {
      sink.error("M-unsupported", text.location(written.span),
                 "not supported: a mesh with another order of its devices than 0, 1, 2, ...; lower the program for one "
                 "mesh, in whose order JAX numbers them");
      return nullptr;
    }
    std::optional<std::vector<MeshAxis>> axes = axes_of(text, written, sink);
    if (!axes) return nullptr;
    Mesh next(word_of(written.name), std::move(*axes));
    if (mesh && mesh->axes() != next.axes()) {
      sink.error("M-unsupported", text.location(written.span), "not supported: a second mesh of other axes");
      return nullptr;
    }
    mesh = std::move(next);
  }
  if (!mesh && text.has_custom_calls) mesh = Mesh("mesh", given);
  return std::make_shared<const Mesh>(mesh ? std::move(*mesh) : Mesh());
}

void lower_into(Lowering& lowering, const Function& main, const MainNames& names, Builder& builder) {
  Scope scope;
  for (size_t i = 0; i < names.globals.size(); ++i) {
    Wire argument;
    argument.type = main.body.arguments[i].type;
    argument.argument = i;
    scope.define(main.body.arguments[i].name, {std::move(argument)});
  }
  const std::vector<Wire> values = lowering.body(main.body, scope);
  const Operation& end = main.body.operations.back();
  for (size_t i = 0; i < values.size(); ++i) {
    const bool split = !values[i].layout.empty();
    const ValueId id = split ? values[i].id : lowering.value(values[i], end);
    builder.output(names.results[i], id, split ? values[i].layout : Layout(values[i].type.shape.size()),
                   lowering.location(end));
  }
}

}  // namespace

std::optional<ProgramId> lower_main(const ModuleText& text, const Function& main, const MainNames& names,
                                    Module& module, DiagnosticSink& sink) {
  const std::shared_ptr<const Mesh> mesh = mesh_of(text, names.mesh, sink);
  if (!mesh) return std::nullopt;
  if (mesh->axis_count() > 0) module.meshes.push_back(mesh);
  const Location location = text.location(main.span);
  Builder builder(module, names.program, mesh, sink, BuilderOptions{ProgramKind::program, false, location});
  Lowering lowering(text, builder, names.globals, sink);
  try {
    if (main.body.operations.empty()) {
      sink.error("M-syntax", location, "@main without a return; the text may be cut off");
      return std::nullopt;
    }
    lower_into(lowering, main, names, builder);
  } catch (const NotLowered&) {
    return std::nullopt;
  }
  return builder.finish();
}

}  // namespace isoshard::stablehlo

#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/dense.h"
#include "parallel/sharding/array_utils.h"

namespace isoshard {
namespace {

constexpr int64_t kArrayColumns = 3;

std::optional<ProgramId> build_sharded_parts(GlobalId global, const ModelSettings& settings, Module& module,
                                             DiagnosticSink& sink) {
  ModelBuilder m(module, "split_array_over_mesh", settings.mesh, sink);
  const Group tp = layer_axis(settings, "tp", "dp");
  const ValueId x = m.view(global, {{}, {}}, "x");
  // One device keeps x as it is: its only block, R.
  const ValueId y = as_state(m, split_array_over_mesh(m, x, tp, 0), tp, State::varying);
  m.output("y", y, {ViewEntry{tp}, {}});
  return m.finish();
}

/// The rows that are left when those are dropped which the devices cannot share.
std::optional<ProgramId> build_array_of_parts(GlobalId global, int64_t devices, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "first_rows", std::make_shared<const Mesh>(), sink);
  const ValueId x = m.view(global, {{}, {}}, "x");
  const int64_t rows = m.shape(x).front() / devices * devices;
  m.output("y", m.op(Slice{{0, 0}, {rows, kArrayColumns}, {}}, {x}, "y"), {{}, {}});
  return m.finish();
}

bool build_split_array(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId x = declare(module, "x", {settings.number("rows"), kArrayColumns}, Role::input, InitKind::normal);
  const std::optional<ProgramId> sharded = build_sharded_parts(x, settings, module, sink);
  const int64_t devices = settings.mesh->size(layer_axis(settings, "tp", "dp"));
  return add_check(module, sharded, build_array_of_parts(x, devices, module, sink));
}

}  // namespace

Model split_array_over_mesh_model() {
  ModelInfo info;
  info.name = "split_array_over_mesh";
  info.doc = "each device's block of rows of an array that all hold; rows that do not divide are dropped";
  info.axes.push_back(AxisInfo{"dp", 1, "copies, or with `tp` splits the rows"});
  info.axes.push_back(AxisInfo{"tp", 4, "splits the rows"});
  info.settings.push_back(layer_axis_setting("tp", "dp"));
  info.settings.push_back(SettingInfo{"rows", 10, "", {}, "rows of the array"});
  return Model{std::move(info), {}, build_split_array};
}

}  // namespace isoshard

#include <utility>

#include "catalogue/models.h"
#include "parallel/sharding/stack_params.h"

namespace isoshard {
namespace {

constexpr int64_t kRows = 3, kColumns = 2;

GlobalId declare_kernels(Module& module, const std::string& name, int64_t devices) {
  return declare(module, name, {devices, kRows, kColumns}, Role::param, InitKind::normal);
}

ViewEntry stacked_over(const Group& axis) { return ViewEntry{axis, 0, std::nullopt, Split::stack}; }

/// The device that the setting keeps, if any.
std::optional<int64_t> kept_device(const ModelSettings& settings, int64_t devices) {
  const std::string& mask = settings.word("mask_except");
  if (mask == "none") return std::nullopt;
  return mask == "last" ? devices - 1 : 0;
}

std::optional<ProgramId> build_stack(GlobalId kernel, const ModelSettings& settings, Module& module,
                                     DiagnosticSink& sink) {
  ModelBuilder m(module, "stack_params", settings.mesh, sink);
  const Group axis = layer_axis(settings);
  const int64_t axis_pos = settings.word("axis_pos").front() - '0';
  const std::optional<int64_t> kept = kept_device(settings, m.mesh().size(axis));
  const ValueId mask = kept ? m.op(Constant{Rational(*kept), DType::i32, {}}, {}, "kept") : ValueId();
  const ParamLeaf leaf{"kernel", std::nullopt, m.view(kernel, {stacked_over(axis), {}, {}}, "kernel")};
  const ParamLeaf stacked = stack_params(m, {leaf}, axis, axis_pos, mask).front();
  Layout layout;
  for (const Group& name : *stacked.names) layout.push_back(ViewEntry{name});
  m.output("stacked", stacked.value, std::move(layout));
  return m.finish();
}

/// The blocks of all devices joined along `axis_pos`, zeros where the mask hides them.
std::optional<ProgramId> build_join(GlobalId kernel, const ModelSettings& settings, Module& module,
                                    DiagnosticSink& sink) {
  ModelBuilder m(module, "join", std::make_shared<const Mesh>(), sink);
  const int64_t axis_pos = settings.word("axis_pos").front() - '0';
  const ValueId all = m.view(kernel, Layout(3), "kernel");
  const int64_t devices = m.shape(all).front();
  const std::optional<int64_t> kept = kept_device(settings, devices);
  Shape shape{kRows, kColumns};
  shape.insert(shape.begin() + axis_pos, 1);
  std::vector<ValueId> parts;
  for (int64_t d = 0; d < devices; ++d) {
    const ValueId own = m.op(Reshape{shape}, {m.op(Slice{{d, 0, 0}, {d + 1, kRows, kColumns}, {}}, {all})});
    parts.push_back(!kept || *kept == d ? own : m.constant_like(own, Rational(0)));
  }
  m.output("stacked", m.op(Concatenate{axis_pos}, parts), Layout(3));
  return m.finish();
}

bool build_stack_check(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId kernel = declare_kernels(module, "kernel", settings.mesh->size(layer_axis(settings)));
  const std::optional<ProgramId> stack = build_stack(kernel, settings, module, sink);
  return add_check(module, stack, build_join(kernel, settings, module, sink));
}

bool build_unstack_check(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId stacked = declare_kernels(module, "stacked", settings.mesh->size(layer_axis(settings)));
  ModelBuilder m(module, "unstack_params", settings.mesh, sink);
  const Group axis = layer_axis(settings);
  const ParamLeaf leaf{"kernel", std::vector<Group>{axis, {}, {}},
                       m.view(stacked, {ViewEntry{axis}, {}, {}}, "stacked")};
  m.output("kernel", unstack_params(m, {leaf}, axis).front().value, {stacked_over(axis), {}, {}});
  const std::optional<ProgramId> unstack = m.finish();
  ModelBuilder same(module, "same", std::make_shared<const Mesh>(), sink);
  same.output("kernel", same.view(stacked, Layout(3), "stacked"), Layout(3));
  return add_check(module, unstack, same.finish());
}

}  // namespace

Model stack_params_model() {
  ModelInfo info;
  info.name = "stack_params";
  info.doc = "stack_params: every device's own array as a part of one, with a mask that keeps one device's";
  info.axes.push_back(AxisInfo{"data", 1, "copies, or with `model` the axes of the stack"});
  info.axes.push_back(AxisInfo{"model", 4, "whose devices have an array each"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"axis_pos", 0, "", {"0", "1", "2"}, "where the new dimension stands"});
  info.settings.push_back(SettingInfo{"mask_except", 0, "", {"none", "0", "last"}, "the only device that is not zero"});
  return Model{std::move(info), {}, build_stack_check};
}

Model unstack_params_model() {
  ModelInfo info;
  info.name = "unstack_params";
  info.doc = "unstack_params: the device's own array out of a stack";
  info.axes.push_back(AxisInfo{"data", 1, "copies, or with `model` the axes of the stack"});
  info.axes.push_back(AxisInfo{"model", 4, "whose devices have an array each"});
  info.settings.push_back(layer_axis_setting());
  return Model{std::move(info), {}, build_unstack_check};
}

}  // namespace isoshard

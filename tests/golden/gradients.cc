#include "tests/golden/gradients.h"

#include <stdexcept>

#include "core/transform/as_function.h"
#include "core/transform/autodiff/vjp.h"
#include "parallel/module/model_builder.h"
#include "tests/golden/device_layout.h"
#include "tests/golden/module_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden {
namespace {

/// What a device does with one dimension per device in front; nothing new on a mesh without axes.
Layout layout_per_device(const Mesh& mesh, size_t rank) {
  return mesh.axis_count() == 0 ? Layout(rank) : of_each_device(mesh, rank);
}

/// What each device holds of a sum, as a value of its own.
ValueId own_value(ModelBuilder& m, ValueId gradient) {
  Group group;
  for (size_t i = 0; i < m.mesh().axis_count(); ++i) {
    if (m.builder().type(gradient).states[i] == State::partial) group.axes.emplace_back(i);
  }
  return group.empty() ? gradient : m.reinterpret(gradient, group, State::varying);
}

[[noreturn]] void fail(const DiagnosticSink& sink) {
  std::string text = "no gradient: ";
  for (const Diagnostic& d : sink.diagnostics()) text += d.rule + " " + d.message + "\n";
  throw std::runtime_error(text);
}

std::map<std::string, Tensor> gradients_with(const autodiff::GradOptions& options, Module module, ProgramId id,
                                             const std::map<std::string, Tensor>& given,
                                             const std::map<std::string, Tensor>& cotangents) {
  DiagnosticSink sink;
  const Program program = module.program(id);
  const std::optional<FunctionOfGlobals> function = as_function(module, id, "f", sink);
  if (!function) fail(sink);
  std::vector<size_t> wrt;
  for (size_t i = 0; i < function->views.size(); ++i) wrt.push_back(i);
  const std::optional<autodiff::Vjp> vjp =
      autodiff::build_vjp(module, function->function, wrt, sink, Location::here(), options);
  if (!vjp) fail(sink);
  std::map<std::string, Tensor> arrays = given;
  ModelBuilder m(module, "gradients", program.shared_mesh(), sink,
                 BuilderOptions{ProgramKind::program, program.typed(), {}});
  std::vector<ValueId> operands;
  for (const OpId view : function->views) operands.push_back(m.op(std::get<View>(program.op(view).data), {}));
  std::vector<ValueId> forward = m.builder().append(Call{vjp->forward}, operands, {});
  std::vector<ValueId> backward;
  for (const size_t result : vjp->active_results) {
    const std::string& name = program.outputs()[function->outputs[result]].name;
    const Tensor& cotangent = cotangents.at(name);
    const GlobalId c = declare(module, "cotangent_of_" + name, cotangent.shape(), Role::constant, InitKind::normal);
    module.globals[c.index()].type.dtype = cotangent.dtype();
    arrays["cotangent_of_" + name] = cotangent;
    const size_t rank = m.shape(forward[result]).size();
    backward.push_back(m.view(c, layout_per_device(m.mesh(), rank), ""));
  }
  backward.insert(backward.end(), forward.end() - static_cast<std::ptrdiff_t>(vjp->residuals), forward.end());
  const std::vector<ValueId> gradients = m.builder().append(Call{vjp->backward}, backward, {});
  for (size_t i = 0; i < gradients.size() && gradients[i].valid(); ++i) {
    const std::string name = module.global(std::get<View>(program.op(function->views[i]).data).global).name;
    m.output(name, own_value(m, gradients[i]), layout_per_device(m.mesh(), m.shape(gradients[i]).size()));
  }
  const std::optional<ProgramId> derived = m.finish();
  if (!derived) fail(sink);
  return run_program(module, *derived, arrays);
}

/// Whether `remat` makes a difference.
bool has_scan(const Module& module, const Program& program) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    const OpData& data = program.op(OpId(i)).data;
    const Call* call = std::get_if<Call>(&data);
    if (std::holds_alternative<Scan>(data)) return true;
    if (call != nullptr && has_scan(module, module.program(call->callee))) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, Tensor> run_gradients(Module module, ProgramId id, const std::map<std::string, Tensor>& given,
                                            const std::map<std::string, Tensor>& cotangents) {
  if (!has_scan(module, module.program(id))) return gradients_with({}, std::move(module), id, given, cotangents);
  std::map<std::string, Tensor> saved = gradients_with({autodiff::Remat::none}, module, id, given, cotangents);
  const auto recomputed = gradients_with({autodiff::Remat::full}, std::move(module), id, given, cotangents);
  for (const auto& [name, gradient] : saved) {
    const ::testing::AssertionResult same = same_bits(recomputed.at(name), gradient);
    if (!same) throw std::runtime_error("remat=full gives another gradient of @" + name + ": " + same.message());
  }
  return saved;
}

}  // namespace isoshard::golden

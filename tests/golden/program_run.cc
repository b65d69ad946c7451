#include "tests/golden/program_run.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"
#include "tests/golden/gradients.h"

namespace isoshard::golden {
namespace {

/// The arrays one after another along a new first dimension.
Tensor stacked(const std::vector<Tensor>& arrays) {
  const Tensor& first = arrays.at(0);
  std::vector<std::byte> bytes;
  for (const Tensor& array : arrays) {
    if (array.shape() != first.shape() || array.dtype() != first.dtype()) {
      throw std::runtime_error("the local arrays of the devices differ in type");
    }
    bytes.insert(bytes.end(), array.bytes().begin(), array.bytes().end());
  }
  Shape shape = first.shape();
  shape.insert(shape.begin(), std::ssize(arrays));
  return Tensor::from_bytes(first.dtype(), shape, bytes);
}

/// The parts of a stack.
std::vector<Tensor> parts(const Tensor& stack) {
  const Shape shape(stack.shape().begin() + 1, stack.shape().end());
  const auto size = static_cast<size_t>(element_count(shape)) * info(stack.dtype()).bytes;
  std::vector<Tensor> result;
  for (size_t i = 0; i < static_cast<size_t>(stack.shape().front()); ++i) {
    result.push_back(Tensor::from_bytes(stack.dtype(), shape, stack.bytes().subspan(i * size, size)));
  }
  return result;
}

void append(const std::vector<Diagnostic>& diagnostics, std::string& text) {
  for (const Diagnostic& d : diagnostics) text += d.rule + " " + d.message + "\n";
}

}  // namespace

ProgramRun::ProgramRun(std::shared_ptr<const Mesh> mesh, bool typed)
    : mesh_(std::move(mesh)), m_(module_, "p", mesh_, sink_, BuilderOptions{ProgramKind::program, typed, {}}) {}

GlobalId ProgramRun::declare_array(const std::string& name, const Tensor& array, Role role) {
  const GlobalId id = declare(module_, name, array.shape(), role, InitKind::normal);
  module_.globals[id.index()].type.dtype = array.dtype();
  arrays_.push_back(array);
  return id;
}

/// A new first dimension, one entry per device, and `rank` whole ones; nothing new on a mesh without axes.
Layout ProgramRun::per_device_layout(size_t rank) const {
  Layout layout(rank);
  if (mesh_->axis_count() == 0) return layout;
  ViewEntry devices;
  for (size_t i = 0; i < mesh_->axis_count(); ++i) devices.axes.axes.emplace_back(i);
  devices.split = Split::stack;
  layout.insert(layout.begin(), devices);
  return layout;
}

ValueId ProgramRun::input(const std::string& name, const Tensor& array, Role role) {
  return m_.view(declare_array(name, array, role), Layout(array.shape().size()), name);
}

ValueId ProgramRun::input_per_device(const std::string& name, const std::vector<Tensor>& arrays, Role role) {
  if (std::ssize(arrays) != mesh_->device_count()) throw std::runtime_error("one array per device");
  if (mesh_->axis_count() == 0) return input(name, arrays.front(), role);
  return m_.view(declare_array(name, stacked(arrays), role), per_device_layout(arrays.front().shape().size()), name);
}

void ProgramRun::output(const std::string& name, ValueId value) {
  if (!value.valid()) return;  // the sink knows why
  m_.output(name, value, per_device_layout(m_.shape(value).size()));
}

std::string ProgramRun::messages(bool warnings) {
  id_ = m_.finish();
  std::string text;
  for (const Diagnostic& d : sink_.diagnostics()) {
    if (warnings || d.severity == Severity::error) append({d}, text);
  }
  if (id_) append(module_.program(*id_).state_errors(), text);
  return text;
}

std::map<std::string, std::vector<Tensor>> ProgramRun::run() {
  const std::string wrong = messages(false);
  if (!id_ || !wrong.empty()) throw std::runtime_error(wrong);
  const Plan plan = lower(module_, *id_);
  const sim::Domain& domain = sim::float_domain();
  std::vector<sim::Value> globals;
  for (const Tensor& array : arrays_) globals.push_back(sim::from_tensor(array, domain));
  const Result<sim::RunResult> result = sim::run(plan, domain, globals);
  if (!result) throw std::runtime_error(result.error().message);
  std::map<std::string, std::vector<Tensor>> outputs;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const Tensor whole = sim::to_tensor(sim::assemble(plan.outputs[o].type, result->outputs[o]).value, domain);
    outputs[plan.outputs[o].name] = mesh_->axis_count() == 0 ? std::vector{whole} : parts(whole);
  }
  return outputs;
}

std::map<std::string, std::vector<Tensor>> ProgramRun::gradients(
    const std::map<std::string, std::vector<Tensor>>& cotangents) const {
  std::map<std::string, Tensor> given, seeds;
  for (size_t i = 0; i < arrays_.size(); ++i) given[module_.globals[i].name] = arrays_[i];
  for (const auto& [name, arrays] : cotangents) seeds[name] = stacked(arrays);
  std::map<std::string, std::vector<Tensor>> result;
  for (const auto& [name, array] : run_gradients(module_, id_.value(), given, seeds)) result[name] = parts(array);
  return result;
}

}  // namespace isoshard::golden

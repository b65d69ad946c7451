#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/value/tensor.h"
#include "parallel/module/model_builder.h"

namespace isoshard::golden {

/// A program that a test writes with the building blocks, and its run on virtual devices with the dtypes as written, as
/// `isoshard sim` does it. Arrays go in and come out as every device holds them.
class ProgramRun {
 public:
  /// `typed`: whether its values have states.
  explicit ProgramRun(std::shared_ptr<const Mesh> mesh = std::make_shared<const Mesh>(), bool typed = true);

  ModelBuilder& m() { return m_; }
  const Mesh& mesh() const { return *mesh_; }
  /// The same array on every device; `role` says whether it has a gradient.
  ValueId input(const std::string& name, const Tensor& array, Role role = Role::input);
  /// One local array per device, in order of their positions.
  ValueId input_per_device(const std::string& name, const std::vector<Tensor>& arrays, Role role = Role::input);
  /// Has every device return its `value`.
  void output(const std::string& name, ValueId value);

  /// The outputs by name, one local array per device. Throws with all messages when the program has an error, also of
  /// states, or the run fails.
  std::map<std::string, std::vector<Tensor>> run();
  /// What every device computes for the gradients of its inputs, by their names, after `run`: of the sum over devices
  /// of <output, cotangent>, with a cotangent for each output, one local array per device.
  std::map<std::string, std::vector<Tensor>> gradients(
      const std::map<std::string, std::vector<Tensor>>& cotangents) const;
  /// Finishes the program: its messages, `RULE message` per line; empty when there are none.
  std::string messages(bool warnings = true);

 private:
  GlobalId declare_array(const std::string& name, const Tensor& array, Role role);
  Layout per_device_layout(size_t rank) const;

  Module module_;
  DiagnosticSink sink_;
  std::shared_ptr<const Mesh> mesh_;
  ModelBuilder m_;
  std::vector<Tensor> arrays_;  ///< of the globals
  std::optional<ProgramId> id_{};
};

}  // namespace isoshard::golden

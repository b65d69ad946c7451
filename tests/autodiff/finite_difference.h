#pragma once

#include <map>
#include <string>

#include "core/ir/module.h"
#include "core/value/tensor.h"

namespace isoshard::autodiff {

/// What a test of a gradient needs: a module whose program @loss views f64 globals, calls one function of them and
/// returns what the call gives, reduced over devices, as @loss. All viewed globals that are float params or inputs are
/// differentiated.
class GradientTest {
 public:
  /// Fails the test where the text has an error.
  explicit GradientTest(const std::string& text);

  /// The derivative of @loss in every element of the globals, by central differences.
  std::map<std::string, Tensor> by_differences() const;
  /// The same by build_grad: every device's gradients placed and added as docs/spec/views.md, "Gradient of a global"
  /// says. Fails the test where the derived function has an error, also of states, or gives another loss.
  std::map<std::string, Tensor> by_autodiff();
  /// By the parts of build_vjp, linked by calls.
  std::map<std::string, Tensor> by_parts();

  /// Compares all three.
  void compare();

  Module module;

 private:
  std::map<std::string, Tensor> run(ProgramId program, const std::map<std::string, Tensor>& given) const;
  std::map<std::string, Tensor> run_gradients(bool parts);

  ProgramId loss_{};
  std::map<std::string, Tensor> given_;
};

}  // namespace isoshard::autodiff

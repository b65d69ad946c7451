#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/ir/builder/builder.h"

namespace isoshard {

/// A function under construction on a mesh, whose arguments may have any states.
class IrTest : public ::testing::Test {
 protected:
  explicit IrTest(std::vector<MeshAxis> axes = {{"data", 2}, {"model", 4}}, bool typed = true)
      : mesh_(std::make_shared<Mesh>("m", std::move(axes))),
        builder_(module_, "f", mesh_, sink_, BuilderOptions{ProgramKind::function, typed, Location()}) {}

  /// An argument with one state letter per axis, e.g. "RV"; '=' without a gradient.
  ValueId argument(const std::string& name, const std::string& states, Shape shape = {8, 8}, DType dtype = DType::f32) {
    ValueType type{TensorType{dtype, std::move(shape)}, {}, is_float(dtype)};
    for (const char c : states) {
      type.states.push_back(*parse_state(std::string(1, c)));
      type.has_gradient &= c != '=';
    }
    return builder_.argument(name, std::move(type));
  }
  GlobalId global(const std::string& name, Shape shape, Role role = Role::param, DType dtype = DType::f32) {
    module_.globals.push_back(Global{name, TensorType{dtype, std::move(shape)}, role, Init{}, Location()});
    return GlobalId(module_.globals.size() - 1);
  }
  ValueId apply(OpData op, std::vector<ValueId> operands = {}) {
    return builder_.add_op(std::move(op), std::move(operands));
  }
  /// The state letters of `value`, or "error" when it was not made.
  std::string states(ValueId value) const {
    if (!value.valid()) return "error";
    std::string text;
    for (const State state : builder_.type(value).states) text += letter(state);
    return text;
  }
  std::string shape(ValueId value) const { return value.valid() ? to_string(builder_.type(value).tensor) : "error"; }
  /// The state errors so far as "RULE message" lines.
  std::vector<std::string> state_errors() const {
    std::vector<std::string> result;
    for (const Diagnostic& d : builder_.program().state_errors()) result.push_back(d.rule + " " + d.message);
    return result;
  }
  /// The last error of the sink as "RULE message", or "none".
  std::string last_error() const {
    if (sink_.diagnostics().empty()) return "none";
    const Diagnostic& d = sink_.diagnostics().back();
    return d.rule + " " + d.message;
  }

  Group over(std::initializer_list<const char*> axes) const {
    Group group;
    for (const char* axis : axes) group.axes.push_back(*mesh_->find(axis));
    return group;
  }
  AxisSet set(std::initializer_list<const char*> axes) const { return over(axes).set(); }

  Module module_;
  DiagnosticSink sink_;
  std::shared_ptr<const Mesh> mesh_;
  Builder builder_;
};

}  // namespace isoshard

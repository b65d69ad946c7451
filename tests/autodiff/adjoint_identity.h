#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/transform/autodiff/vjp.h"
#include "tests/property/generator/dice.h"
#include "tests/reference/interpreter.h"
#include "tests/reference/numbers.h"

namespace isoshard::autodiff {

using Everywhere = reference::OnDevices<reference::Formal>;  ///< a value on all devices
using Values = std::vector<Everywhere>;

/// How the floats of a test are drawn.
struct Draw {
  bool zeros = false;             ///< some numbers are 0
  bool apart = false;             ///< no two numbers are equal
  bool small = false;             ///< numbers are 0, 1 or 2
  std::optional<double> equal{};  ///< all numbers are this one, without slopes: everything ties
  int64_t least = 0;              ///< integers from here
  int64_t most = 1;               ///< to here
};

/// A random value that its type and states allow: equal over the axes on which it is R, I or =. Some elements are
/// equal, and have the same slope then, so that what ties has one derivative.
Everywhere draw_value(const ValueType& type, const Mesh& mesh, const Draw& draw, testing::Dice& dice);

/// A random point and direction at which the derivative of a function is checked: <ybar, J xdot> = <J^T ybar, xdot> in
/// exact arithmetic (docs/spec/autodiff.md, "How rules are tested"), where J xdot comes from dual numbers in the
/// interpreter of the tests, which knows no rule and no state.
///
/// The pairing goes by states: (V,V), (R,P) and (P,R) are summed over devices, (I,I) is counted once. In an untyped
/// function every device's value counts.
class AdjointIdentity {
 public:
  /// Draws arguments and cotangents, runs the function and `vjp.forward`. Throws reference::Unsupported.
  AdjointIdentity(const Module& module, ProgramId function, const Vjp& vjp, uint64_t seed, const Draw& draw,
                  std::vector<reference::Array<reference::Formal>> globals = {});

  /// Whether no equal numbers of different slopes were compared.
  bool smooth() const { return smooth_; }
  const Values& arguments() const { return arguments_; }
  /// The cotangents and residuals: the arguments of a backward function.
  const Values& backward_arguments() const { return backward_arguments_; }
  /// What a function of the module gives.
  Values apply(const Module& module, ProgramId function, const Values& arguments) const;
  /// What a backward function gives for the cotangents and residuals.
  Values gradients(const Module& module, ProgramId backward) const;
  /// Empty where those gradients fulfil the identity and are in the states dual to those of the arguments.
  std::string problem(const Values& gradients) const;

 private:
  const Program& function(const Module& module) const { return module.program(function_); }
  /// <one, other> over elements and devices; `copies`: the states of the primal.
  uint64_t pair(const Everywhere& cotangents, const Everywhere& primals, const States& states) const;

  ProgramId function_;
  Vjp vjp_;
  Mesh mesh_;
  bool typed_;
  std::vector<ValueType> types_;  ///< of the arguments
  Values arguments_, backward_arguments_;
  std::vector<reference::Array<reference::Formal>> globals_;
  uint64_t along_ = 0;  ///< <ybar, J xdot>
  bool smooth_ = true;
};

/// The same bits in all elements of all values.
bool same(const Values& a, const Values& b);

}  // namespace isoshard::autodiff

#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "tests/autodiff/adjoint_identity.h"

namespace isoshard::autodiff {

/// A function of one op, or of one use of it, whose derivative is checked.
struct RuleCase {
  std::string name;
  std::string op;                      ///< whose rule it is about
  std::vector<std::string> arguments;  ///< `a f64[2,3] V`: a name, a type, one state per axis of the mesh
  std::string body;                    ///< ops that make %y
  std::string results = "f64[2, 3]";   ///< types
  std::string mesh = "t=2";
  Draw draw{};
  std::string functions{};  ///< before @f
  std::string returns = "%y";
  bool typed = true;
  /// What is wrong with the gradients of equal numbers, by the rule for ties; empty where nothing is.
  std::function<std::string(const Values& cotangents, const Values& gradients)> at_ties{};
  double tie_at = 5;
  /// The same where numbers are 0, 1 and 2, so that some are equal.
  std::function<std::string(const Values& arguments, const Values& cotangents, const Values& gradients)> at_small{};
  bool finite_at_zero = false;  ///< gradients are finite where numbers are 0, 1 and 2
};

/// The arguments of cases that need no other.
inline const std::vector<std::string> kOneArgument = {"a f64[2,3] V"};

void PrintTo(const RuleCase& c, std::ostream* out);

const std::vector<RuleCase>& rule_cases();
/// Those of ops without communication, calls and scans.
std::vector<RuleCase> local_rule_cases();

/// The module of a case and its function, whose arguments have the types and states that the case names.
struct RuleFunction {
  Module module;
  ProgramId function;
  std::vector<size_t> wrt;  ///< all arguments with a gradient
};
/// Throws with the messages where the text has errors, also of states inside the function.
RuleFunction rule_function(const RuleCase& c);

/// The vjp of a function; throws with the messages.
Vjp vjp_of(Module& module, ProgramId function, const std::vector<size_t>& wrt, const GradOptions& options = {});

}  // namespace isoshard::autodiff

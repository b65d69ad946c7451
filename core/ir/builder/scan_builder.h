#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "core/ir/builder/open_program.h"
#include "core/ir/builder/scan_body.h"
#include "core/ir/module.h"
#include "core/ir/scan_states.h"

namespace isoshard {

/// Builds one scan in a program under construction (docs/spec/states.md, "Carries of a scan").
class ScanBuilder {
 public:
  /// All arguments must outlive it.
  ScanBuilder(OpenProgram& open, const Module& module, DiagnosticSink& sink, const ScanOperands& operands,
              const Location& location);

  /// Runs `body` until the states of the carries stay, and appends the scan; its results, or nothing after an error.
  std::optional<std::vector<ValueId>> append(const ScanBody& body);

 private:
  const Mesh& mesh() const { return open_.program().mesh(); }
  bool start();
  ScanArguments add_arguments();
  bool check_yield(const ScanArguments& arguments, const ScanYield& yield);
  std::optional<std::vector<ValueId>> close(const ScanArguments& arguments, const ScanYield& yield);
  ValueId add_result(size_t index, const Region& region, const ScanArguments& arguments);
  States carry_states(const CarryState& carry, const std::string& name, const OperandState& yielded);

  OpenProgram& open_;
  const Module& module_;
  DiagnosticSink& sink_;
  const ScanOperands& operands_;
  Op op_;
  std::vector<CarryState> carries_;
};

}  // namespace isoshard

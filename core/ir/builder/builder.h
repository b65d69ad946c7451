#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/builder/open_program.h"
#include "core/ir/builder/scan_body.h"
#include "core/ir/module.h"

namespace isoshard {

class ReturnChecks;

/// The only constructor of Programs: infers types and states of every op as it is appended.
///
/// Shape and dtype errors go to the sink and make the result invalid; an op with an invalid operand is dropped without
/// a second error. State errors stay with the op. Not thread-safe: one Builder per thread.
class Builder {
 public:
  Builder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
          BuilderOptions options = {});

  const Mesh& mesh() const { return program().mesh(); }
  const Module& module() const { return module_; }
  const Program& program() const { return open_.program(); }
  const ValueType& type(ValueId value) const { return open_.type(value); }

  /// A parameter of a function.
  ValueId argument(std::string name, ValueType type, Location location = Location::here());

  /// Appends `data`; one id per result, all invalid after an error. Empty names are made up (`%3`); a name that is
  /// taken or that the text could not show is an error (V-name).
  std::vector<ValueId> append(OpData data, std::vector<ValueId> operands, std::vector<std::string> names,
                              Location location = Location::here());
  /// Appends an op with one result.
  ValueId add_op(OpData data, std::vector<ValueId> operands, std::string name = "",
                 Location location = Location::here());

  /// Appends a scan over the ops that `body` appends; one id per result, all invalid after an error.
  ///
  /// Each carry has one state, equal at entry and exit: that of its initial value, where = acts as R or I, and an exact
  /// zero takes the state that the body gives it. Other differences are state errors of the scan (S-scan). Values from
  /// outside are errors in the body (V-capture).
  std::vector<ValueId> scan(const ScanOperands& operands, const ScanBody& body, Location location = Location::here());

  /// `return @name = %value [layout] : declared` of a program; uneven layouts need the declared type of the whole.
  void output(std::string name, ValueId value, Layout layout, Location location = Location::here(),
              std::optional<TensorType> declared = std::nullopt);
  /// `update @global = %value [layout]` of a program: the global's value from the next step on, or a part of it.
  void update(GlobalId global, ValueId value, Layout layout, Location location = Location::here());
  /// `return %a, %b` of a function.
  void results(std::vector<ValueId> values, Location location = Location::here());

  /// Moves the program into the module; nothing when an error made it incomplete.
  std::optional<ProgramId> finish();

 private:
  std::optional<std::vector<ValueType>> infer(const OpData& data, const std::vector<ValueId>& operands, Op& op);
  ValueType infer_state(const OpData& data, const std::vector<ValueId>& operands, TensorType type, Op& op,
                        size_t index);
  /// Whether it calls a func that `grad` has made.
  bool is_gradient(const OpData& data) const;
  bool is_exact_zero(const OpData& data, const std::vector<ValueId>& operands) const;
  bool check_structure(const OpData& data, const std::vector<ValueId>& operands, const Location& location);
  ReturnChecks return_checks() const;
  void check_returns();

  Module& module_;
  DiagnosticSink& sink_;
  OpenProgram open_;
};

}  // namespace isoshard

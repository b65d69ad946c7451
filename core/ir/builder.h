#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"

namespace isoshard {

struct BuilderOptions {
  ProgramKind kind = ProgramKind::program;
  bool typed = true;
  Location location;
};

/// The only constructor of Programs: infers types and states of every op as it is appended.
///
/// Shape and dtype errors go to the sink and make the result invalid; an op with an invalid operand is dropped without
/// a second error. State errors stay with the op. Not thread-safe: one Builder per thread.
class Builder {
 public:
  Builder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
          BuilderOptions options = {});

  const Mesh& mesh() const { return *program_.mesh_; }
  const Module& module() const { return module_; }
  const Program& program() const { return program_; }
  const ValueType& type(ValueId value) const { return program_.values_[value.index()].type; }

  /// A parameter of a function.
  ValueId argument(std::string name, ValueType type, Location location = Location::here());

  /// Appends `data`; one id per result, all invalid after an error. Empty names are made up (`%3`); a name that is
  /// taken or that the text could not show is an error (V-name).
  std::vector<ValueId> append(OpData data, std::vector<ValueId> operands, std::vector<std::string> names,
                              Location location = Location::here());
  /// Appends an op with one result.
  ValueId add_op(OpData data, std::vector<ValueId> operands, std::string name = "",
                 Location location = Location::here());

  /// `return @name = %value [layout]` of a program.
  void output(std::string name, ValueId value, Layout layout, Location location = Location::here());
  /// `return %a, %b` of a function.
  void results(std::vector<ValueId> values, Location location = Location::here());

  /// Moves the program into the module; nothing when an error made it incomplete.
  std::optional<ProgramId> finish();

 private:
  std::optional<std::vector<ValueType>> infer(const OpData& data, const std::vector<ValueId>& operands, Op& op);
  ValueType infer_state(const OpData& data, const std::vector<ValueId>& operands, TensorType type, Op& op);
  /// `wanted`, or a made-up name when it is empty; a made-up name gives way to a value that asks for it.
  std::string claim_name(const std::string& wanted, ValueId id, const Location& location);
  ValueId new_value(ValueType type, OpId definition, std::string name, Location location, bool exact_zero);
  bool is_exact_zero(const OpData& data, const std::vector<ValueId>& operands) const;
  bool check_structure(const OpData& data, const std::vector<ValueId>& operands, const Location& location);
  void check_return_states(const ReturnPart& part, const std::string& name);

  Module& module_;
  DiagnosticSink& sink_;
  Program program_;
  struct NameUse {
    ValueId value;
    bool made_up = false;
  };

  std::vector<bool> exact_zero_;                    ///< per value
  std::unordered_map<std::string, NameUse> names_;  ///< of all values
  bool failed_ = false;
};

}  // namespace isoshard

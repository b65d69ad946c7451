#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/builder/scan_body.h"
#include "core/ir/module.h"

namespace isoshard {

class CarryState;

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
  /// `wanted`, or a made-up name when it is empty; a made-up name gives way to a value that asks for it.
  std::string claim_name(const std::string& wanted, ValueId id, const Location& location);
  ValueId new_value(ValueType type, OpId definition, std::string name, Location location, bool exact_zero);
  bool is_exact_zero(const OpData& data, const std::vector<ValueId>& operands) const;
  OperandState operand_state(ValueId id) const;
  /// Reports operands that belong to another region (V-capture).
  bool captures(const std::string& op, const std::vector<ValueId>& operands, const Location& location);
  void add_to_region(OpId id);
  std::optional<Op> start_scan(const ScanOperands& operands, const Location& location);
  ScanArguments add_scan_arguments(const ScanOperands& operands, const std::vector<CarryState>& carries,
                                   const Location& location);
  bool check_yield(const Scan& scan, const ScanArguments& arguments, const ScanYield& yield);
  std::vector<ValueId> close_scan(const ScanOperands& operands, Op op, const ScanArguments& arguments,
                                  const ScanYield& yield, const std::vector<CarryState>& carries);
  States carry_states(const CarryState& carry, const std::string& name, const OperandState& yielded, Op& op);
  /// Forgets the innermost region: the values and ops from those numbers on.
  void drop_region(size_t values, size_t ops);
  bool check_structure(const OpData& data, const std::vector<ValueId>& operands, const Location& location);
  std::optional<TensorType> output_type(const std::string& name, ValueId value, const Layout& layout,
                                        const std::optional<TensorType>& declared, const Location& location);
  bool check_coverage();
  void check_return_states(const ReturnPart& part, const std::string& name, const std::string& statement);
  void check_update_names();
  void check_updates_cover();
  bool can_update(const Global& global, ValueId value, const Layout& layout, const Location& location);

  Module& module_;
  DiagnosticSink& sink_;
  Program program_;
  struct NameUse {
    ValueId value;
    bool made_up = false;
  };

  using Names = std::unordered_map<std::string, NameUse>;

  /// A region under construction: the program's body, or that of an open scan.
  struct OpenRegion {
    size_t id = 0;
    std::vector<OpId> ops;
    Names names;
  };

  std::vector<bool> exact_zero_;                ///< per value
  std::vector<size_t> region_;                  ///< per value: the id of its region
  std::vector<OpenRegion> open_{OpenRegion{}};  ///< innermost last; the first is the program's body
  size_t regions_ = 1;                          ///< ids given so far
  bool failed_ = false;
};

}  // namespace isoshard

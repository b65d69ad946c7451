#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "core/support/name_map.h"

namespace isoshard {

struct BuilderOptions {
  ProgramKind kind = ProgramKind::program;
  bool typed = true;
  Location location;
};

/// A program under construction: its values and ops, which of them belong to which region, and the names that each
/// region has given. It checks names and regions; types and states are its user's. Not thread-safe.
class OpenProgram {
 public:
  /// What belongs to a value beside what the program keeps of it.
  struct NewValue {
    ValueType type;
    OpId definition;   ///< invalid for an argument
    std::string name;  ///< empty: one is made up, which gives way to a value that asks for it
    Location location;
    bool exact_zero = false;
  };

  OpenProgram(std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink, BuilderOptions options);

  const Program& program() const { return program_; }
  const ValueType& type(ValueId id) const { return program_.value(id).type; }
  bool is_exact_zero(ValueId id) const { return exact_zero_[id.index()]; }
  OperandState operand_state(ValueId id) const;
  /// The same without the name, which only messages need.
  OperandState unnamed_state(ValueId id) const;
  /// Whether no region of a scan is open.
  bool at_top() const { return open_.size() == 1; }

  /// Appends a value to the innermost region; a name that is taken or that the text could not show is an error
  /// (V-name).
  ValueId add(NewValue value);
  /// The same, as a parameter of the program.
  ValueId add_argument(NewValue value);
  /// The id that the next op will have.
  OpId next_op() const { return OpId(program_.op_count()); }
  /// Appends a whole op to the innermost region.
  const Op& add_op(Op op);
  /// Reports operands of `op` that belong to another region (V-capture).
  bool captures(std::string_view op, const std::vector<ValueId>& operands, const Location& location);

  /// Opens a region inside of the innermost one.
  void open_region();
  /// Closes the innermost region and gives its ops.
  std::vector<OpId> close_region();
  /// Closes the innermost region and forgets its values and ops.
  void drop_region();

  void add_output(Output output) { program_.own().outputs.push_back(std::move(output)); }
  /// A part of the next-step value of `global`, whose id is `id`.
  void add_update(const Global& global, GlobalId id, ReturnPart part);
  void add_return_errors(std::vector<Diagnostic> errors);
  void set_results(std::vector<ValueId> values) { program_.own().body.results = std::move(values); }

  /// An error has made the program incomplete.
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  Program take() { return std::move(program_); }

 private:
  struct NameUse {
    ValueId value;
    bool made_up = false;
  };

  /// A region under construction: the program's body, or that of an open scan.
  struct OpenRegion {
    uint32_t id = 0;
    size_t first_value = 0, first_op = 0;
    std::vector<OpId> ops;
    NameMap<NameUse> names;
  };

  std::string claim_name(const std::string& wanted, ValueId id, const Location& location);

  DiagnosticSink& sink_;
  Program program_;
  std::vector<bool> exact_zero_;  ///< per value
  std::vector<uint32_t> region_;  ///< per value: the id of its region
  /// Innermost last; the first is the program's body.
  std::vector<OpenRegion> open_ = std::vector<OpenRegion>(1);
  uint32_t regions_ = 1;  ///< ids given so far
  bool failed_ = false;
};

}  // namespace isoshard

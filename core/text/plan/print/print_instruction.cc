// Prints one instruction of a Plan with the tokens that it waits for and the values that it frees. What follows from
// the rest is left out, as the op that most kinds of instructions come from. Fields of ops are printed as in the text
// of programs, those of other instructions by the list that also reads them (instruction_fields.h). Cost: the length of
// the line.
#include "core/text/plan/print/print_instruction.h"

#include <span>
#include <vector>

#include "core/ir/enum_names.h"
#include "core/plan/collective_names.h"
#include "core/plan/instruction_op.h"
#include "core/text/elaborate/fields.h"
#include "core/text/plan/instruction_fields.h"
#include "core/text/print/print_items.h"

namespace isoshard::text {
namespace {

/// `model of 4`, or `-` for all of a dimension.
std::string block_text(const isoshard::Expr& block, int64_t count, const Mesh& mesh) {
  if (count == 1 && block == isoshard::Expr(0)) return "-";
  return block.to_string(mesh) + " of " + std::to_string(count);
}

std::string blocks_text(const std::vector<isoshard::Expr>& block, const std::vector<int64_t>& count, const Mesh& mesh) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < block.size(); ++d) parts.push_back(block_text(block[d], count[d], mesh));
  return enclosed('[', comma_list(parts), ']');
}

std::string output_text(const Output& output) {
  return std::string(output.updates.valid() ? "update" : "output") + "=@" + output.name;
}

/// Writes the fields of an instruction that is no op of programs (instruction_fields.h).
class FieldWriter {
 public:
  explicit FieldWriter(const Plan& plan) : plan_(plan), mesh_(*plan.mesh) {}

  void integer(const char* name, int64_t value) { add(name, std::to_string(value)); }
  void expression(const char* name, const isoshard::Expr& value) { add(name, value.to_string(mesh_)); }
  void block(const char* name, const isoshard::Expr& block, int64_t count) {
    add(name, block.to_string(mesh_) + " of " + std::to_string(count));
  }
  void blocks(const char* name, const std::vector<isoshard::Expr>& block, const std::vector<int64_t>& count) {
    add(name, blocks_text(block, count, mesh_));
  }
  void group(CommunicatorId id) { add("group", plan_.communicators[id.index()].to_string(mesh_)); }
  void precision(SumPrecision value) {
    if (value != SumPrecision::unspecified) add("precision", std::string(enum_name(value)));
  }
  void output(uint32_t index) { fields_.push_back(output_text(plan_.outputs[index])); }

  /// ` {dim=0}`.
  std::string text() const { return fields_.empty() ? "" : " " + enclosed('{', comma_list(fields_), '}'); }

 private:
  void add(const char* name, const std::string& value) { fields_.push_back(std::string(name) + "=" + value); }

  const Plan& plan_;
  const Mesh& mesh_;
  std::vector<std::string> fields_;
};

class InstructionPrinter {
 public:
  InstructionPrinter(const Plan& plan, LineNames& names) : plan_(plan), mesh_(*plan.mesh), names_(names) {}

  std::string print(const Instruction& instruction, const std::string& action) const {
    std::string out = names_.number(instruction.id) + " ";
    if (!instruction.results.empty()) out += values(instruction.results) + " = ";
    out += std::visit([&](const auto& data) { return operation(data, instruction); }, instruction.data());
    std::vector<std::string> types;
    for (const PlanValueId result : instruction.results) types.push_back(to_string(plan_.value(result).type()));
    if (!types.empty()) out += " : " + comma_list(types);
    if (instruction.op() != instruction_op(instruction.data(), plan_)) out += "  from " + instruction.op();
    return out + action + tokens(instruction.waits) + frees(instruction.last_uses);
  }

 private:
  std::string tokens(const isoshard::Tokens& waits) const {
    std::vector<std::string> parts;
    for (const isoshard::Token& token : waits) parts.push_back(names_.token(token));
    return parts.empty() ? "" : "  after " + comma_list(parts);
  }

  /// The operation with operands and fields.
  std::string operation(const LoadBlock& op, const Instruction&) const {
    std::vector<std::string> part;
    for (size_t d = 0; d < op.start.size(); ++d) {
      part.push_back(std::to_string(op.start[d]) + ":" + std::to_string(op.start[d] + op.size[d]));
    }
    return "load @" + plan_.globals[op.global.index()].name + " " + blocks_text(op.block, op.count, mesh_) +
           (part.empty() ? "" : enclosed('[', comma_list(part), ']'));
  }
  std::string operation(const LocalOp& op, const Instruction& instruction) const {
    const std::string fields = print_fields(op.op, mesh_);
    return std::string(op_name(op.op)) + operands(instruction) + (fields.empty() ? "" : " " + fields);
  }
  template <class Data>
  std::string operation(const Data& data, const Instruction& instruction) const {
    FieldWriter writer(plan_);
    Data copy = data;  // the list of fields is for reading, too
    visit_fields(writer, copy);
    return std::string(instruction_word(instruction.data())) + operands(instruction) + writer.text();
  }

  std::string operands(const Instruction& instruction) const {
    return instruction.operands.empty() ? "" : " " + values(instruction.operands);
  }
  std::string frees(std::span<const PlanValueId> ids) const { return ids.empty() ? "" : "  frees " + values(ids); }
  std::string values(std::span<const PlanValueId> ids) const {
    std::vector<std::string> parts;
    for (const PlanValueId id : ids) parts.push_back(names_.value(id));
    return comma_list(parts);
  }

  const Plan& plan_;
  const Mesh& mesh_;
  LineNames& names_;
};

}  // namespace

std::string print_instruction(const Plan& plan, InstructionId id, LineNames& names) {
  const Instruction& instruction = plan.instruction(id);
  return InstructionPrinter(plan, names).print(instruction, print_action(plan, instruction.action));
}

std::string print_in_function(const Plan& plan, InstructionId id, LineNames& names) {
  return InstructionPrinter(plan, names).print(plan.instruction(id), "");
}

std::string print_action(const Plan& plan, ActionId id) {
  if (!id.valid()) return "";
  const PlanAction& action = plan.action(id);
  const std::string text = "  action \"" + schedule::to_string(action.action) + "\"";
  return action.pipeline == 0 ? text : text + " of " + std::to_string(action.pipeline);
}

}  // namespace isoshard::text

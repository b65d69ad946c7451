// Prints a Plan, or a Plan file: what it reads and writes, then per group of ranks blocks, queues and instructions with
// the tokens that they wait for and the values that they free (docs/spec/plan.md, "Text"). What depends on the rank is
// printed as its expression over coordinates, so that the text is as long as the Plan, not as the mesh. Everything is
// printed that a Plan holds but locations, and nothing twice: what follows from the rest, the types of what loops hand
// on and the op that most kinds of instructions come from, is left out. Fields of ops are printed as in the text of
// programs, those of other instructions by the list that also reads them (instruction_fields.h). Cost: the length of
// the text.
#include <span>
#include <utility>

#include "core/ir/enum_names.h"
#include "core/plan/collective_names.h"
#include "core/plan/instruction_op.h"
#include "core/text/elaborate/fields.h"
#include "core/text/plan/instruction_fields.h"
#include "core/text/plan/plan_names.h"
#include "core/text/plan/plan_text.h"
#include "core/text/print/print_items.h"

namespace isoshard {
namespace text {
namespace {

std::string comma_list(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? ", " : "") + parts[i];
  return text;
}

/// Built by appending: g++ 12 warns wrongly about `"[" + text` (-Wrestrict).
std::string enclosed(char open, const std::string& text, char close) {
  std::string result(1, open);
  result += text;
  result += close;
  return result;
}

std::string prefixed(char prefix, const std::string& text) {
  std::string result(1, prefix);
  result += text;
  return result;
}

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

class PlanPrinter {
 public:
  explicit PlanPrinter(const Plan& plan) : plan_(plan), mesh_(*plan.mesh), names_(plan) {}

  std::string print() {
    out_ = "isoshard-plan 1\n";
    header();
    for (const RankGroup& group : plan_.groups) {
      out_ += "\nranks " + plain_name(group.name) + " " + positions(group) + " {\n";
      blocks(group.blocks, "  ");
      out_ += "}\n";
    }
    return std::move(out_);
  }

 private:
  void header() {
    out_ += "plan @" + plan_.program;
    if (mesh_.axis_count() > 0 || !mesh_.name().empty()) {
      out_ += " on " + prefixed('@', mesh_.name().empty() ? "m" : mesh_.name()) + " " + print_axes_of(mesh_);
    }
    out_ += "\n";
    for (const Global& global : plan_.globals) out_ += print_global(global);
    for (const Output& output : plan_.outputs) {
      out_ += (output.updates.valid() ? "update @" : "output @") + output.name + ": " + to_string(output.type) + "\n";
    }
    for (const Communicator& c : plan_.communicators) {
      out_ += "communicator " + c.to_string(mesh_) + " on " + names_.queue(c.queue) + "\n";
    }
  }

  std::string positions(const RankGroup& group) const {
    if (group.positions.empty()) return "[0.." + std::to_string(mesh_.device_count()) + "]";
    std::vector<std::string> parts;
    for (const int64_t position : group.positions) parts.push_back(std::to_string(position));
    return enclosed('[', comma_list(parts), ']');
  }

  void blocks(const std::vector<isoshard::Block>& list, const std::string& indent) {
    for (size_t b = 0; b < list.size(); ++b) {
      const isoshard::Block& block = list[b];
      if (block.repeat) {
        repeat(block, indent);
        continue;
      }
      if (needs_word(list, b)) out_ += indent + "block\n";
      queues(block, indent);
      if (!block.last_uses.empty()) out_ += indent + "frees " + values(block.last_uses) + "\n";
    }
  }

  /// Whether only a word tells where a block begins: behind another one, or without instructions.
  bool needs_word(const std::vector<isoshard::Block>& list, size_t b) const {
    if (b > 0 && !list[b - 1].repeat) return true;
    for (const Queue& queue : list[b].queues) {
      if (!queue.instructions.empty()) return false;
    }
    return true;
  }

  void repeat(const isoshard::Block& block, const std::string& indent) {
    const Repeat& loop = *block.repeat;
    std::vector<PlanValueId> results = loop.results;
    results.insert(results.end(), loop.stacks.begin(), loop.stacks.end());
    out_ += indent + values(results) + (results.empty() ? "" : " = ") + "repeat " + std::to_string(loop.count) + " (" +
            bindings(loop.arguments, loop.initial) + ")" +
            (loop.slices.empty() ? "" : " over (" + bindings(loop.slices, loop.stacked) + ")") +
            (loop.ahead == 1 ? "" : " {ahead=" + std::to_string(loop.ahead) + "}") + frees(block.last_uses) + " {\n";
    blocks(loop.body, indent + "  ");
    out_ += indent + "  yield" + (loop.yields.empty() ? "" : " " + values(loop.yields)) +
            (loop.parts.empty() ? "" : " stack " + values(loop.parts)) + "\n" + indent + "}\n";
  }

  /// `%c = %h, %d = %g`: what stands inside for what outside.
  std::string bindings(const std::vector<PlanValueId>& inside, const std::vector<PlanValueId>& outside) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < inside.size(); ++i) parts.push_back(value(inside[i]) + " = " + value(outside[i]));
    return comma_list(parts);
  }

  void queues(const isoshard::Block& block, const std::string& indent) {
    for (size_t q = 0; q < block.queues.size(); ++q) {
      if (block.queues[q].instructions.empty()) continue;
      out_ += indent + "queue " + names_.queue(QueueId(q)) + "\n";
      for (const InstructionId id : block.queues[q].instructions) instruction(id, indent + "  ");
    }
  }

  void instruction(InstructionId id, const std::string& indent) {
    const Instruction& instruction = plan_.instruction(id);
    out_ += indent + "#" + std::to_string(id.index()) + " ";
    if (!instruction.results.empty()) out_ += values(instruction.results) + " = ";
    out_ += std::visit([&](const auto& data) { return operation(data, instruction); }, instruction.data());
    std::vector<std::string> types;
    for (const PlanValueId result : instruction.results) types.push_back(to_string(plan_.value(result).type()));
    if (!types.empty()) out_ += " : " + comma_list(types);
    if (instruction.op() != instruction_op(instruction.data(), plan_)) out_ += "  from " + instruction.op();
    out_ += action(instruction.action) + tokens(instruction.waits) + frees(instruction.last_uses) + "\n";
  }

  std::string action(ActionId id) const {
    if (!id.valid()) return "";
    const PlanAction& action = plan_.action(id);
    const std::string text = "  action \"" + schedule::to_string(action.action) + "\"";
    return action.pipeline == 0 ? text : text + " of " + std::to_string(action.pipeline);
  }

  static std::string tokens(const isoshard::Tokens& waits) {
    std::vector<std::string> parts;
    for (const isoshard::Token& token : waits) {
      parts.push_back((token.previous ? "previous " : "") + prefixed('#', std::to_string(token.instruction.index())));
    }
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
  std::string value(PlanValueId id) const { return prefixed('%', names_.value(id)); }
  std::string values(std::span<const PlanValueId> ids) const {
    std::vector<std::string> parts;
    for (const PlanValueId id : ids) parts.push_back(value(id));
    return comma_list(parts);
  }

  const Plan& plan_;
  const Mesh& mesh_;
  const PlanNames names_;
  std::string out_;
};

}  // namespace

std::string print(const PlanFile& file) {
  std::string out = PlanPrinter(file.plan).print();
  for (const PlanCheck& check : file.checks) {
    out += "\ncheck plan == @" + check.program + " in \"" + check.file + "\"\n";
  }
  return out;
}

}  // namespace text

std::string print(const Plan& plan) { return text::PlanPrinter(plan).print(); }

}  // namespace isoshard

// Prints a Plan: its outputs and, per group of ranks, blocks, queues and instructions with the tokens that they wait
// for and the values that they free (docs/spec/plan.md, "Instructions"). The text is for people and for tests that
// compare it; it is not read back. What depends on the rank is printed as its expression over coordinates, so that the
// text is as long as the Plan, not as the mesh. Fields of ops are printed by one template over their types, as in the
// text of programs, without those that have no meaning in a Plan. Cost: the length of the text.
#include "core/plan/plan_text.h"

#include <tuple>
#include <type_traits>

#include "core/ir/enum_names.h"
#include "core/ir/field.h"

namespace isoshard {
namespace {

std::string join(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? between : "") + parts[i];
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

std::string braces(const std::vector<std::string>& fields) { return fields.empty() ? "" : " {" + join(fields) + "}"; }

std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(const Shape& values) {
  std::vector<std::string> parts;
  for (const int64_t value : values) parts.push_back(std::to_string(value));
  return enclosed('[', join(parts), ']');
}
std::string text_of(const DimPairs& pairs) { return text_of(pairs.lhs) + "x" + text_of(pairs.rhs); }
std::string text_of(const Rational& value) { return value.to_string(); }
std::string text_of(DType dtype) { return std::string(name(dtype)); }
template <class E>
requires std::is_enum_v<E> && requires(E value) { enum_names(value); }
std::string text_of(E value) {
  for (const auto& row : enum_names(value)) {
    if (row.value == value) return std::string(row.name);
  }
  return "none";
}

/// The fields of ops that reach a Plan; states and axes of `partial` have no meaning there and are left out.
template <class Op, class T>
void append_field(const Op& op, const Field<Op, T>& field, std::vector<std::string>& out) {
  if constexpr (requires { text_of(op.*field.member); }) {
    if (!field.required && op.*field.member == T{}) return;
    out.push_back(std::string(field.name) + "=" + text_of(op.*field.member));
  }
}

std::string local_text(const OpData& data) {
  std::vector<std::string> fields;
  std::visit(
      [&](const auto& op) {
        std::apply([&](const auto&... field) { (append_field(op, field, fields), ...); }, op.fields());
      },
      data);
  return std::string(op_name(data)) + braces(fields);
}

/// By CollectiveKind.
constexpr std::string_view kCollectiveNames[] = {"all_reduce",     "all_reduce_max", "all_reduce_min", "all_gather",
                                                 "reduce_scatter", "all_to_all",     "assert_equal"};

/// Prints one Plan.
class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan), mesh_(*plan.mesh) {}

  std::string print() {
    out_ = "isoshard-plan 1\n";
    header();
    for (const RankGroup& group : plan_.groups) {
      out_ += "\nranks " + group.name + " [" +
              (group.positions.empty() ? "0.." + std::to_string(mesh_.device_count())
                                       : text_of(group.positions).substr(1, text_of(group.positions).size() - 2)) +
              "] {\n";
      blocks(group.blocks, "  ");
      out_ += "}\n";
    }
    return std::move(out_);
  }

  std::string operation(const Instruction& instruction) const {
    return std::visit([&](const auto& data) { return text(data); }, instruction.data);
  }

 private:
  void header() {
    std::vector<std::string> axes;
    for (const MeshAxis& axis : mesh_.axes()) axes.push_back(axis.name + "=" + std::to_string(axis.size));
    out_ += "plan @" + plan_.program;
    if (!axes.empty()) out_ += " on @" + mesh_.name() + " " + enclosed('[', join(axes), ']');
    out_ += "\n";
    for (const Output& output : plan_.outputs) {
      out_ += (output.updates.valid() ? "update @" : "output @") + output.name + ": " + to_string(output.type) + "\n";
    }
  }

  void blocks(const std::vector<Block>& list, const std::string& indent) {
    for (const Block& block : list) {
      if (block.repeat) {
        repeat(block, indent);
      } else {
        queues(block, indent);
      }
      if (!block.last_uses.empty() && !block.repeat) out_ += indent + "frees " + values(block.last_uses) + "\n";
    }
  }

  void repeat(const Block& block, const std::string& indent) {
    const Repeat& loop = *block.repeat;
    std::vector<PlanValueId> results = loop.results;
    results.insert(results.end(), loop.stacks.begin(), loop.stacks.end());
    out_ += indent + values(results) + (results.empty() ? "" : " = ") + "repeat " + std::to_string(loop.count) + " (" +
            bindings(loop.arguments, loop.initial) + ")" +
            (loop.slices.empty() ? "" : " over (" + bindings(loop.slices, loop.stacked) + ")") +
            (loop.ahead == 1 ? "" : " {ahead=" + std::to_string(loop.ahead) + "}") + frees(block.last_uses) + " {\n";
    blocks(loop.body, indent + "  ");
    out_ += indent + "  yield " + values(loop.yields) + (loop.parts.empty() ? "" : " stack " + values(loop.parts)) +
            "\n" + indent + "}\n";
  }

  /// `%c = %h, %d = %g`: what stands inside for what outside.
  std::string bindings(const std::vector<PlanValueId>& inside, const std::vector<PlanValueId>& outside) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < inside.size(); ++i) parts.push_back(value(inside[i]) + " = " + value(outside[i]));
    return join(parts);
  }

  void queues(const Block& block, const std::string& indent) {
    for (const Queue& queue : block.queues) {
      if (queue.instructions.empty()) continue;
      out_ += indent + "queue " + queue.name + "\n";
      for (const InstructionId id : queue.instructions) instruction(id, indent + "  ");
    }
  }

  void instruction(InstructionId id, const std::string& indent) {
    const Instruction& instruction = plan_.instruction(id);
    out_ += indent + "#" + std::to_string(id.index()) + " ";
    if (!instruction.results.empty()) out_ += values(instruction.results) + " = ";
    const std::string op = operation(instruction);
    const size_t brace = op.find(" {");
    out_ += op.substr(0, brace);
    if (!instruction.operands.empty()) out_ += " " + values(instruction.operands);
    if (brace != std::string::npos) out_ += op.substr(brace);
    if (!instruction.results.empty()) out_ += " : " + to_string(plan_.value(instruction.results[0]).type);
    std::vector<std::string> tokens;
    for (const Token& token : instruction.waits) {
      tokens.push_back((token.previous ? "previous " : "") + prefixed('#', std::to_string(token.instruction.index())));
    }
    if (!tokens.empty()) out_ += "  after " + join(tokens);
    out_ += frees(instruction.last_uses) + "\n";
  }

  std::string frees(const std::vector<PlanValueId>& ids) const { return ids.empty() ? "" : "  frees " + values(ids); }
  std::string value(PlanValueId id) const { return prefixed('%', plan_.value(id).name); }
  std::string values(const std::vector<PlanValueId>& ids) const {
    std::vector<std::string> parts;
    for (const PlanValueId id : ids) parts.push_back(value(id));
    return join(parts);
  }
  std::string expr(const Expr& e) const { return e.to_string(mesh_); }

  /// `[model of 4, -]`: the block along each dimension.
  std::string block_text(const std::vector<Expr>& block, const std::vector<int64_t>& count) const {
    std::vector<std::string> parts;
    for (size_t d = 0; d < block.size(); ++d) {
      parts.push_back(count[d] == 1 ? "-" : expr(block[d]) + " of " + std::to_string(count[d]));
    }
    return enclosed('[', join(parts), ']');
  }
  std::string group_text(CommunicatorId id) const { return mesh_.to_string(plan_.communicators[id.index()].group); }

  std::string text(const LoadBlock& op) const {
    std::vector<std::string> part;
    for (size_t d = 0; d < op.start.size(); ++d) {
      part.push_back(std::to_string(op.start[d]) + ":" + std::to_string(op.start[d] + op.size[d]));
    }
    return "load @" + plan_.globals[op.global.index()].name + " " + block_text(op.block, op.count) +
           (part.empty() ? "" : enclosed('[', join(part), ']'));
  }
  std::string text(const StoreBlock& op) const {
    const Output& output = plan_.outputs[op.output];
    return (output.updates.valid() ? "store {update=@" : "store {output=@") + output.name +
           ", block=" + block_text(op.block, op.count) + "}";
  }
  std::string text(const LocalOp& op) const { return local_text(op.op); }
  std::string text(const ScalarIndex& op) const { return "index {value=" + expr(op.value) + "}"; }
  std::string text(const TakeBlock& op) const {
    return "take_block {dim=" + std::to_string(op.dim) + ", block=" + expr(op.block) + " of " +
           std::to_string(op.count) + "}";
  }
  std::string text(const PutBlock& op) const {
    return "put_block {dim=" + std::to_string(op.dim) + ", block=" + expr(op.block) + " of " +
           std::to_string(op.count) + "}";
  }
  std::string text(const KeepOn& op) const {
    return "keep_on {index=" + expr(op.index) + ", owner=" + std::to_string(op.owner) + "}";
  }
  std::string text(const Collective& op) const {
    std::vector<std::string> fields{"group=" + group_text(op.communicator)};
    const std::string_view name = kCollectiveNames[static_cast<size_t>(op.kind)];
    if (op.kind == CollectiveKind::all_gather || op.kind == CollectiveKind::reduce_scatter) {
      fields.push_back("dim=" + std::to_string(op.dim));
    } else if (op.kind == CollectiveKind::all_to_all) {
      fields.push_back("split_dim=" + std::to_string(op.dim));
      fields.push_back("concat_dim=" + std::to_string(op.concat_dim));
    }
    return std::string(name) + braces(fields);
  }
  std::string text(const Permute& op) const {
    return "permute {group=" + group_text(op.communicator) + ", dst=" + expr(op.target) + ", src=" + expr(op.source) +
           "}";
  }
  std::string text(const Send& op) const {
    return "send {group=" + group_text(op.communicator) + ", dst=" + expr(op.target) + "}";
  }
  std::string text(const Recv& op) const {
    return "recv {group=" + group_text(op.communicator) + ", src=" + expr(op.source) + "}";
  }

  const Plan& plan_;
  const Mesh& mesh_;
  std::string out_;
};

}  // namespace

std::string print(const Plan& plan) { return Printer(plan).print(); }

std::string_view name(CollectiveKind kind) { return kCollectiveNames[static_cast<size_t>(kind)]; }

}  // namespace isoshard

// Writes functions that are made for the last digits of floats as what they are of real numbers. What computes keeps
// them, what proves gets ops of which it knows all laws and where they are defined: log(1 + x) where 1 + x is positive.
// Each function becomes some instructions in its place on its queue, the first of which waits for what it waited for;
// ids, and the tokens that name them, move by as many. Zeros of a result that may have either sign get a negation,
// which tells of the sign that nobody knows it (verify/facts/signs/zero_sign.h). Cost: one pass over the Plan where it
// has such ops.
#include "core/plan/passes/write_out.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/plan/instruction_op.h"

namespace isoshard {
namespace {

bool is_written_out(const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  return local != nullptr && (std::holds_alternative<ExponentialMinusOne>(local->op) ||
                              std::holds_alternative<LogPlusOne>(local->op) || std::holds_alternative<Erfc>(local->op));
}

class Writer {
 public:
  explicit Writer(Plan plan) : plan_(std::move(plan)) {}

  Plan run() {
    before_ = plan_.instructions;
    plan_.instructions.clear();
    for (const Instruction& i : before_) {
      const size_t first = plan_.instructions.size();
      if (is_written_out(i)) {
        write(std::get<LocalOp>(i.data()).op, i);
      } else {
        plan_.instructions.add(before_.copy(i.id));
      }
      written_.push_back({first, plan_.instructions.size()});
    }
    for (size_t i = 0; i < plan_.instructions.size(); ++i) move_waits(InstructionId(i));
    for (RankGroup& group : plan_.groups) renumber(group.blocks);
    return std::move(plan_);
  }

 private:
  struct Span {
    size_t begin, end;
  };

  InstructionId last(InstructionId before) const { return InstructionId(written_[before.index()].end - 1); }

  void move_waits(InstructionId id) {
    std::vector<Token> waits(plan_.instruction(id).waits);
    for (Token& token : waits) token.instruction = last(token.instruction);
    if (!waits.empty()) plan_.instructions.set_waits(id, waits);
  }

  void write(const OpData& op, const Instruction& i) {
    const PlanValueId x = i.operands[0];
    const InstructionId first(plan_.instructions.size());
    if (std::holds_alternative<Erfc>(op)) {
      const PlanValueId erf = step(i, Erf{}, {x}, ".erf");
      finish(i, Subtract{}, {one(i), erf});
    } else if (std::holds_alternative<LogPlusOne>(op)) {
      const PlanValueId sum = step(i, Add{}, {x, one(i)}, ".sum");
      finish(i, Negate{}, {step(i, Negate{}, {step(i, Log{}, {sum}, ".log")}, ".negated")});
    } else {
      const PlanValueId power = step(i, Exponential{}, {x}, ".exp");
      const PlanValueId less = step(i, Subtract{}, {power, one(i)}, ".less");
      finish(i, Negate{}, {step(i, Negate{}, {less}, ".negated")});
    }
    plan_.instructions.set_waits(first, std::vector<Token>(i.waits));
  }

  PlanValueId one(const Instruction& i) {
    const TensorType& type = plan_.value(i.results[0]).type();
    return step(i, Constant{Rational(1), type.dtype, type.shape}, {}, ".one");
  }

  /// One whose result a later one of the same function reads last.
  PlanValueId step(const Instruction& i, OpData op, const std::vector<PlanValueId>& operands,
                   const std::string& suffix) {
    const PlanValue whole = plan_.value(i.results[0]);
    const PlanValueId result = plan_.values.add(whole.type(), whole.name() + suffix);
    std::vector<PlanValueId> last_uses;
    for (const PlanValueId id : operands) {
      if (id != i.operands[0]) last_uses.push_back(id);
    }
    add(i, std::move(op), operands, result, std::move(last_uses));
    return result;
  }

  void finish(const Instruction& i, OpData op, const std::vector<PlanValueId>& operands) {
    std::vector<PlanValueId> last_uses(i.last_uses);
    last_uses.insert(last_uses.end(), operands.begin(), operands.end());
    add(i, std::move(op), operands, i.results[0], std::move(last_uses));
  }

  void add(const Instruction& i, OpData op, const std::vector<PlanValueId>& operands, PlanValueId result,
           std::vector<PlanValueId> last_uses) {
    NewInstruction written(LocalOp{std::move(op)}, operands, {result}, i.location(), i.op());
    written.action = i.action;
    written.last_uses = std::move(last_uses);
    plan_.instructions.add(written);
  }

  void renumber(std::vector<Block>& blocks) const {
    for (Block& block : blocks) {
      for (Queue& queue : block.queues) {
        std::vector<InstructionId> ids;
        for (const InstructionId id : queue.instructions) {
          for (size_t n = written_[id.index()].begin; n < written_[id.index()].end; ++n) ids.emplace_back(n);
        }
        queue.instructions = std::move(ids);
      }
      if (block.repeat) renumber(block.repeat->body);
    }
  }

  Plan plan_;
  InstructionList before_;
  std::vector<Span> written_;  ///< per instruction of the Plan that was given
};

}  // namespace

Plan write_out(Plan plan) {
  if (std::none_of(plan.instructions.begin(), plan.instructions.end(), is_written_out)) return plan;
  return Writer(std::move(plan)).run();
}

}  // namespace isoshard

// Writes each iteration of a Plan's loops out, with values of its own, for analyses that look at single iterations:
// diagnosis, places of opaque identities. Arguments of an iteration are the yields of the one before by name, without
// copies; slices and stacks become TakeBlocks and joins. Loop indices in expressions become numbers. Tokens and last
// uses are made anew. What runs keeps its loops, since a Plan grows with the trips here; so there is a limit, beyond
// which the caller does without. Cost: the number of instructions that are made.
#include "core/plan/passes/unroll.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"

namespace isoshard {
namespace {

using Ids = std::vector<PlanValueId>;
using Instructions = std::vector<InstructionId>;

class Unroller {
 public:
  Unroller(const Plan& plan, size_t most) : in_(plan), out_(plan), most_(most) {
    out_.instructions.clear();
    out_.groups.clear();
  }

  std::optional<Plan> run() {
    for (const RankGroup& group : in_.groups) {
      out_.groups.push_back(RankGroup{group.name, group.positions, {}});
      values_.clear();
      add(group.blocks);
      if (out_.instructions.size() > most_) return std::nullopt;
    }
    set_waits(out_);
    set_last_uses(out_);
    return std::move(out_);
  }

 private:
  PlanValueId now(PlanValueId id) const {
    const auto known = values_.find(id);
    return known == values_.end() ? id : known->second;
  }
  Ids now(const Ids& ids) const {
    Ids result;
    for (const PlanValueId id : ids) result.push_back(now(id));
    return result;
  }

  /// A value of its own for this iteration; outside of loops values stay.
  PlanValueId fresh(PlanValueId id) {
    if (iterations_.empty()) return id;
    std::string which = " of iteration ";
    for (size_t i = 0; i < iterations_.size(); ++i) which += (i > 0 ? ", " : "") + std::to_string(iterations_[i]);
    const PlanValue value = in_.value(id);
    const PlanValueId made = add_value(value.type(), value.name() + which);
    if (!value.written().empty()) out_.values.set_written(made, value.written() + which);
    values_[id] = made;
    return made;
  }
  PlanValueId add_value(TensorType type, std::string name) { return out_.values.add(std::move(type), std::move(name)); }

  void add(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (out_.instructions.size() > most_) return;
      if (block.repeat) {
        add_repeat(*block.repeat);
      } else {
        add_queues(block);
      }
    }
  }

  void add_queues(const Block& block) {
    Block made;
    for (const Queue& queue : block.queues) made.queues.push_back(Queue{queue.name, {}});
    std::unordered_map<InstructionId, InstructionId> copies;
    for (const auto& [id, queue] : in_issue_order(block)) {
      NewInstruction copy = in_.instructions.copy(id);
      for (PlanValueId& operand : copy.operands) operand = now(operand);
      for (PlanValueId& result : copy.results) result = fresh(result);
      copy.waits = waits_of(copy, copies);
      const bool is_local = std::holds_alternative<LocalOp>(copy.data());  // which has no expressions
      if (!iterations_.empty() && !is_local) set_iterations(copy.own_data());
      copies[id] = issue(made, queue.index(), copy);
    }
    out_.groups.back().blocks.push_back(std::move(made));
  }

  /// Those for instructions of the same block, which may be more than data flow asks for.
  static std::vector<Token> waits_of(const NewInstruction& instruction,
                                     const std::unordered_map<InstructionId, InstructionId>& copies) {
    std::vector<Token> result;
    for (const Token& token : instruction.waits) {
      const auto copy = copies.find(token.instruction);
      if (!token.previous && copy != copies.end()) result.push_back({copy->second, false});
    }
    return result;
  }

  InstructionId issue(Block& block, size_t queue, const NewInstruction& instruction) {
    const InstructionId id = out_.instructions.add(instruction);
    block.queues[queue].instructions.push_back(id);
    return id;
  }

  void set_iterations(InstructionData& data) const {
    const auto set = [&](Expr& expr) { expr = expr.at(iterations_); };
    const auto set_all = [&](std::vector<Expr>& exprs) { std::for_each(exprs.begin(), exprs.end(), set); };
    if (auto* load = std::get_if<LoadBlock>(&data)) set_all(load->block);
    if (auto* store = std::get_if<StoreBlock>(&data)) set_all(store->block);
    if (auto* index = std::get_if<ScalarIndex>(&data)) set(index->value);
    if (auto* take = std::get_if<TakeBlock>(&data)) set(take->block);
    if (auto* put = std::get_if<PutBlock>(&data)) set(put->block);
    if (auto* keep = std::get_if<KeepOn>(&data)) set(keep->index);
    if (auto* permute = std::get_if<Permute>(&data)) {
      set(permute->target);
      set(permute->source);
    }
    if (auto* send = std::get_if<Send>(&data)) set(send->target);
    if (auto* receive = std::get_if<Recv>(&data)) set(receive->source);
  }

  void add_repeat(const Repeat& repeat) {
    const Location outer = std::exchange(location_, repeat.location);
    const Ids stacked = now(repeat.stacked);
    Ids carried = now(repeat.initial);
    std::vector<Ids> parts(repeat.parts.size());
    for (int64_t i = 0; i < repeat.count && out_.instructions.size() <= most_; ++i) {
      iterations_.push_back(i);
      location_ = repeat.location;
      for (size_t c = 0; c < carried.size(); ++c) values_[repeat.arguments[c]] = carried[c];
      slices(repeat, stacked, i);
      add(repeat.body);
      carried = now(repeat.yields);
      for (size_t p = 0; p < parts.size(); ++p) parts[p].push_back(now(repeat.parts[p]));
      iterations_.pop_back();
    }
    location_ = repeat.location;
    for (size_t c = 0; c < carried.size(); ++c) values_[repeat.results[c]] = carried[c];
    stacks(repeat, parts);
    location_ = outer;
  }

  Block block_like() const {
    Block block;
    size_t queues = 1;
    for (const Communicator& c : in_.communicators) queues = std::max(queues, c.queue.index() + 1);
    block.queues.resize(queues);
    block.queues[0].name = "compute";
    return block;
  }

  NewInstruction local(OpData op, Ids operands, PlanValueId result, const std::string& name) const {
    return {LocalOp{std::move(op)}, std::move(operands), {result}, location_, name};
  }

  void slices(const Repeat& repeat, const Ids& stacked, int64_t iteration) {
    if (repeat.slices.empty()) return;
    Block block = block_like();
    for (size_t s = 0; s < repeat.slices.size(); ++s) {
      const PlanValueId slice = fresh(repeat.slices[s]);
      TensorType row = out_.value(slice).type();
      row.shape.insert(row.shape.begin(), 1);
      const PlanValueId part = add_value(row, out_.value(slice).name() + " as a row");
      issue(block, 0,
            NewInstruction(TakeBlock{0, Expr(iteration), repeat.count}, {stacked[s]}, {part}, location_, "scan"));
      issue(block, 0, local(Reshape{out_.value(slice).type().shape}, {part}, slice, "scan"));
    }
    out_.groups.back().blocks.push_back(std::move(block));
  }

  void stacks(const Repeat& repeat, const std::vector<Ids>& parts) {
    if (repeat.stacks.empty()) return;
    Block block = block_like();
    for (size_t s = 0; s < parts.size(); ++s) {
      const PlanValueId stack = fresh(repeat.stacks[s]);
      const TensorType type = out_.value(stack).type();
      if (parts[s].empty()) {
        issue(block, 0, local(Constant{Rational(0), type.dtype, type.shape}, {}, stack, "scan"));
        continue;
      }
      TensorType row = type;
      row.shape[0] = 1;
      Ids rows;
      for (const PlanValueId part : parts[s]) {
        rows.push_back(add_value(row, out_.value(part).name() + " as a row"));
        issue(block, 0, local(Reshape{row.shape}, {part}, rows.back(), "scan"));
      }
      issue(block, 0, local(Concatenate{0}, std::move(rows), stack, "scan"));
    }
    out_.groups.back().blocks.push_back(std::move(block));
  }

  const Plan& in_;
  Plan out_;
  size_t most_;
  std::unordered_map<PlanValueId, PlanValueId> values_;  ///< what stands for a value of in_ at this point
  std::vector<int64_t> iterations_;                      ///< outermost first
  Location location_;                                    ///< of the innermost loop
};

}  // namespace

std::optional<Plan> unroll(const Plan& plan, size_t most) { return Unroller(plan, most).run(); }

}  // namespace isoshard

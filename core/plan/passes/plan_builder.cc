// Writes Plans: issues instructions in the order of the calls, each on the queue of its communicator, into the block or
// loop that is open. A block ends where a loop begins, so that queues never reach across one. A call of a function that
// was written before is copied, which shares what its instructions do; a pipeline has thousands of calls of four
// functions. Several rank groups may be written in turns; each has its own stack of open loops. Types of results follow
// from those of operands here, and nothing else is checked: tests write wrong Plans by hand. finish() makes tokens and
// last uses from data flow (docs/spec/plan.md, "Order and tokens"). Constant time per instruction, but for that.
#include "core/plan/passes/plan_builder.h"

#include <algorithm>
#include <utility>

#include "core/plan/instruction_op.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

int64_t& size_along(TensorType& type, int64_t dim) { return type.shape[static_cast<size_t>(dim)]; }

}  // namespace

PlanBuilder::PlanBuilder(std::shared_ptr<const Mesh> mesh, std::string program)
    : queues_{"compute"}, levels_{std::vector<Level>(1)} {
  plan_.mesh = std::move(mesh);
  plan_.program = std::move(program);
}

GlobalId PlanBuilder::add_global(Global global) {
  plan_.globals.push_back(std::move(global));
  return GlobalId(plan_.globals.size() - 1);
}

uint32_t PlanBuilder::add_output(std::string name, TensorType type, GlobalId updates) {
  plan_.outputs.push_back(Output{std::move(name), std::move(type), {}, updates});
  return static_cast<uint32_t>(plan_.outputs.size() - 1);
}

CommunicatorId PlanBuilder::add_communicator(Group group, std::string queue) {
  plan_.communicators.push_back(Communicator{std::move(group), QueueId(queues_.size())});
  queues_.push_back(std::move(queue));
  return CommunicatorId(plan_.communicators.size() - 1);
}

CommunicatorId PlanBuilder::add_set_communicator(std::vector<std::vector<int64_t>> sets, std::string queue) {
  const CommunicatorId id = add_communicator(Group{}, std::move(queue));
  plan_.communicators[id.index()].sets = std::move(sets);
  return id;
}

void PlanBuilder::begin_group(std::string name, std::vector<int64_t> positions) {
  if (!plan_.groups.empty()) levels_.emplace_back(1);
  ISOSHARD_CHECK(levels().size() == 1 && (!plan_.groups.empty() || levels()[0].blocks.empty()),
                 "instructions or an open repeat before the group");
  current_ = plan_.groups.size();
  plan_.groups.push_back(RankGroup{std::move(name), std::move(positions), {}});
}

void PlanBuilder::continue_group(size_t index) {
  ISOSHARD_CHECK(index < plan_.groups.size(), "a group that was not begun");
  current_ = index;
}

void PlanBuilder::begin_action(const PlanAction& action) {
  action_ = ActionId(plan_.actions.size());
  plan_.actions.push_back(action);
}

void PlanBuilder::begin_function(std::string function, std::string name) {
  plan_.calls.push_back({std::move(function), std::move(name), action_.valid(), call_});
  call_ = CallId(plan_.calls.size() - 1);
}

PlanValueId PlanBuilder::add_value(TensorType type, std::string name) {
  if (name.empty()) name = std::to_string(plan_.values.size());
  return plan_.values.add(std::move(type), std::move(name));
}

void PlanBuilder::issue(InstructionData data, std::vector<PlanValueId> operands, std::vector<PlanValueId> results,
                        std::string op, Location location) {
  NewInstruction made(std::move(data), std::move(operands), std::move(results), std::move(location), std::move(op));
  made.action = action_;
  if (call_.valid()) made.set_call(call_);
  place(plan_.instructions.add(made));
}

/// On its queue, at the end of the block that is open.
void PlanBuilder::place(InstructionId id) {
  const QueueId queue = queue_of(plan_, plan_.instruction(id));
  std::vector<Block>& blocks = levels().back().blocks;
  if (blocks.empty() || blocks.back().repeat) blocks.push_back(Block{});
  std::vector<Queue>& queues = blocks.back().queues;
  if (queues.size() < queues_.size()) queues.resize(queues_.size());
  queues[queue.index()].instructions.push_back(id);
}

PlanValueId PlanBuilder::load(GlobalId global, std::vector<Expr> block, std::vector<int64_t> count, std::string name,
                              Location location) {
  Shape shape = plan_.globals[global.index()].type.shape;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] = (shape[d] + count[d] - 1) / count[d];
  return load(LoadBlock{global, std::move(block), std::move(count)}, std::move(shape), std::move(name),
              std::move(location));
}

PlanValueId PlanBuilder::load(LoadBlock block, Shape result, std::string name, Location location) {
  const DType dtype = plan_.globals[block.global.index()].type.dtype;
  const PlanValueId id = add_value(TensorType{dtype, std::move(result)}, std::move(name));
  issue(std::move(block), {}, {id}, "view", std::move(location));
  return id;
}

PlanValueId PlanBuilder::local(OpData op, std::vector<PlanValueId> operands, TensorType result, std::string name,
                               Location location, std::string_view from) {
  return local(std::move(op), std::move(operands), std::vector{std::move(result)}, {std::move(name)},
               std::move(location), from)
      .front();
}

std::vector<PlanValueId> PlanBuilder::local(OpData op, std::vector<PlanValueId> operands,
                                            std::vector<TensorType> results, std::vector<std::string> names,
                                            Location location, std::string_view from) {
  std::vector<PlanValueId> ids;
  for (size_t i = 0; i < results.size(); ++i) ids.push_back(add_value(std::move(results[i]), std::move(names[i])));
  std::string op_text(from.empty() ? op_name(op) : from);
  issue(LocalOp{std::move(op)}, std::move(operands), ids, std::move(op_text), std::move(location));
  return ids;
}

PlanValueId PlanBuilder::scalar_index(Expr value, std::string name, Location location, std::string op) {
  const PlanValueId result = add_value(TensorType{DType::i32, {}}, std::move(name));
  issue(ScalarIndex{std::move(value)}, {}, {result}, std::move(op), std::move(location));
  return result;
}

PlanValueId PlanBuilder::take_block(PlanValueId x, int64_t dim, Expr block, int64_t count, std::string name,
                                    Location location) {
  TensorType result_type = type(x);
  size_along(result_type, dim) /= count;
  const PlanValueId result = add_value(std::move(result_type), std::move(name));
  issue(TakeBlock{dim, std::move(block), count}, {x}, {result}, "slice_block", std::move(location));
  return result;
}

PlanValueId PlanBuilder::put_block(PlanValueId x, int64_t dim, Expr block, int64_t count, std::string name,
                                   Location location) {
  TensorType result_type = type(x);
  size_along(result_type, dim) *= count;
  const PlanValueId result = add_value(std::move(result_type), std::move(name));
  issue(PutBlock{dim, std::move(block), count}, {x}, {result}, "place_block", std::move(location));
  return result;
}

PlanValueId PlanBuilder::keep_on(PlanValueId x, Expr index, int64_t owner, std::string name, Location location,
                                 std::string op) {
  const PlanValueId result = add_value(type(x), std::move(name));
  issue(KeepOn{std::move(index), owner}, {x}, {result}, std::move(op), std::move(location));
  return result;
}

PlanValueId PlanBuilder::collective(CollectiveKind kind, CommunicatorId communicator, PlanValueId x, int64_t dim,
                                    std::string name, Location location, SumPrecision precision) {
  const int64_t size = plan_.communicators[communicator.index()].size(*plan_.mesh);
  TensorType result_type = type(x);
  if (kind == CollectiveKind::all_gather) size_along(result_type, dim) *= size;
  if (kind == CollectiveKind::reduce_scatter) size_along(result_type, dim) /= size;
  const PlanValueId result = add_value(std::move(result_type), std::move(name));
  issue(Collective{kind, communicator, dim, 0, precision}, {x}, {result}, std::string(collective_op(kind)),
        std::move(location));
  return result;
}

PlanValueId PlanBuilder::all_to_all(CommunicatorId communicator, PlanValueId x, int64_t split_dim, int64_t concat_dim,
                                    std::string name, Location location) {
  const int64_t size = plan_.communicators[communicator.index()].size(*plan_.mesh);
  TensorType result_type = type(x);
  size_along(result_type, split_dim) /= size;
  size_along(result_type, concat_dim) *= size;
  const PlanValueId result = add_value(std::move(result_type), std::move(name));
  issue(Collective{CollectiveKind::all_to_all, communicator, split_dim, concat_dim}, {x}, {result},
        std::string(AllToAll::kName), std::move(location));
  return result;
}

PlanValueId PlanBuilder::permute(CommunicatorId communicator, PlanValueId x, Expr target, Expr source, std::string name,
                                 Location location) {
  const PlanValueId result = add_value(type(x), std::move(name));
  issue(Permute{communicator, std::move(target), std::move(source)}, {x}, {result},
        std::string(CollectivePermute::kName), std::move(location));
  return result;
}

void PlanBuilder::send(CommunicatorId communicator, PlanValueId x, Expr target, Location location) {
  issue(Send{communicator, std::move(target)}, {x}, {}, "send", std::move(location));
}

PlanValueId PlanBuilder::receive(CommunicatorId communicator, Expr source, TensorType type, std::string name,
                                 Location location) {
  const PlanValueId result = add_value(std::move(type), std::move(name));
  issue(Recv{communicator, std::move(source)}, {}, {result}, "recv", std::move(location));
  return result;
}

void PlanBuilder::store(PlanValueId x, uint32_t output, std::vector<Expr> block, std::vector<int64_t> count,
                        Location location) {
  const bool is_update = plan_.outputs[output].updates.valid();
  issue(StoreBlock{output, std::move(block), std::move(count)}, {x}, {}, is_update ? "update" : "return",
        std::move(location));
}

std::vector<PlanValueId> PlanBuilder::begin_repeat(int64_t count, std::vector<PlanValueId> initial,
                                                   std::vector<PlanValueId> stacked, std::vector<std::string> names,
                                                   Location location) {
  names.resize(initial.size() + stacked.size());
  ++repeats_;
  Repeat repeat;
  repeat.count = count;
  repeat.location = std::move(location);
  repeat.call = call_;
  for (const PlanValueId id : initial) {
    repeat.arguments.push_back(add_value(TensorType(type(id)), names[repeat.arguments.size()]));
  }
  for (const PlanValueId id : stacked) {
    ISOSHARD_CHECK(!type(id).shape.empty() && type(id).shape[0] == count, "one slice per iteration");
    repeat.slices.push_back(add_value(Scan::slice(type(id)), names[initial.size() + repeat.slices.size()]));
  }
  std::vector<PlanValueId> inside = repeat.arguments;
  inside.insert(inside.end(), repeat.slices.begin(), repeat.slices.end());
  repeat.initial = std::move(initial);
  repeat.stacked = std::move(stacked);
  levels().push_back(Level{{}, std::move(repeat)});
  return inside;
}

std::vector<PlanValueId> PlanBuilder::end_repeat(std::vector<PlanValueId> yields, std::vector<PlanValueId> parts,
                                                 std::vector<std::string> names) {
  ISOSHARD_CHECK(levels().size() > 1, "no open repeat");
  Level level = std::move(levels().back());
  levels().pop_back();
  Repeat& repeat = level.repeat;
  ISOSHARD_CHECK(yields.size() == repeat.initial.size(), "one yield per carried value");
  names.resize(yields.size() + parts.size());
  for (const PlanValueId id : yields) {
    repeat.results.push_back(add_value(TensorType(type(id)), names[repeat.results.size()]));
  }
  const Scan scan{repeat.count, static_cast<int64_t>(yields.size())};
  for (const PlanValueId id : parts) {
    repeat.stacks.push_back(add_value(scan.stack(type(id)), names[yields.size() + repeat.stacks.size()]));
  }
  repeat.yields = std::move(yields);
  repeat.parts = std::move(parts);
  repeat.body = std::move(level.blocks);
  std::vector<PlanValueId> results = repeat.results;
  results.insert(results.end(), repeat.stacks.begin(), repeat.stacks.end());
  levels().back().blocks.push_back(Block{{}, std::move(repeat), {}});
  return results;
}

WrittenCall PlanBuilder::begin_call(std::vector<PlanValueId> arguments) const {
  WrittenCall call;
  call.first_instruction = plan_.instructions.size();
  call.first_value = plan_.values.size();
  call.repeats = repeats_;
  call.arguments = std::move(arguments);
  return call;
}

void PlanBuilder::end_call(WrittenCall& call, std::vector<PlanValueId> results) {
  call.end_instruction = plan_.instructions.size();
  call.end_value = plan_.values.size();
  call.repeats = repeats_ - call.repeats;
  call.results = std::move(results);
  if (!action_.valid()) return;
  const std::string text = schedule::to_string(plan_.action(action_).action);
  for (size_t v = call.first_value; v < call.end_value; ++v) plan_.values.set_action_text(PlanValueId(v), text);
}

bool PlanBuilder::may_copy(const WrittenCall& call, const std::vector<PlanValueId>& arguments) {
  if (call.repeats > 0) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto same = std::find(call.arguments.begin(), call.arguments.end(), call.arguments[i]);
    if (arguments[static_cast<size_t>(same - call.arguments.begin())] != arguments[i]) return false;
  }
  return true;
}

std::vector<PlanValueId> PlanBuilder::copy_call(const WrittenCall& call, const std::vector<PlanValueId>& arguments) {
  const size_t first = plan_.values.size();
  const auto now = [&](PlanValueId id) {
    if (id.index() >= call.first_value && id.index() < call.end_value) {
      return PlanValueId(id.index() - call.first_value + first);
    }
    const auto argument = std::find(call.arguments.begin(), call.arguments.end(), id);
    ISOSHARD_CHECK(argument != call.arguments.end(), "a function captures nothing");
    return arguments[static_cast<size_t>(argument - call.arguments.begin())];
  };
  for (size_t v = call.first_value; v < call.end_value; ++v) copy_value(PlanValueId(v));
  std::vector<PlanValueId> operands, results;
  for (size_t i = call.first_instruction; i < call.end_instruction; ++i) {
    const Instruction like = plan_.instructions[i];
    operands.resize(like.operands.size());
    results.resize(like.results.size());
    std::transform(like.operands.begin(), like.operands.end(), operands.begin(), now);
    std::transform(like.results.begin(), like.results.end(), results.begin(), now);
    place(plan_.instructions.add_copy(like.id, operands, results, action_));
  }
  results = call.results;
  std::transform(results.begin(), results.end(), results.begin(), now);
  return results;
}

void PlanBuilder::copy_value(PlanValueId id) {
  if (!action_.valid()) {
    plan_.values.add_copy(id);
  } else {
    plan_.values.add_copy(id, plan_.action(action_).action);
  }
}

void PlanBuilder::complete_queues(std::vector<Block>& blocks) const {
  for (Block& block : blocks) {
    if (block.repeat) {
      complete_queues(block.repeat->body);
      continue;
    }
    block.queues.resize(queues_.size());
    for (size_t q = 0; q < queues_.size(); ++q) {
      block.queues[q].name = queues_[q];
      block.queues[q].instructions.shrink_to_fit();
    }
  }
}

Plan PlanBuilder::finish() {
  if (plan_.groups.empty() && !levels()[0].blocks.empty()) plan_.groups.push_back(RankGroup{"all", {}, {}});
  for (size_t g = 0; g < plan_.groups.size(); ++g) {
    ISOSHARD_CHECK(levels_[g].size() == 1, "an open repeat");
    plan_.groups[g].blocks = std::move(levels_[g][0].blocks);
  }
  for (RankGroup& group : plan_.groups) complete_queues(group.blocks);
  set_waits(plan_);
  set_last_uses(plan_);
  return std::move(plan_);
}

}  // namespace isoshard

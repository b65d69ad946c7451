#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// What stands in a Plan for one call of a function: a run of instructions of one group and what they make.
struct WrittenCall {
  size_t first_instruction = 0, end_instruction = 0;
  size_t first_value = 0, end_value = 0;
  size_t repeats = 0;  ///< begun in it
  std::vector<PlanValueId> arguments, results;
};

/// Writes Plans: `lower` uses it, and tests write Plans by hand, right ones and wrong ones.
///
/// Instructions are issued in the order of the calls: local ones on `compute`, collectives on the queue of their
/// communicator. finish() adds the tokens that data flow needs and marks last uses. Nothing but ids is checked.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::shared_ptr<const Mesh> mesh, std::string program = "plan");

  GlobalId add_global(Global global);
  /// An output of the whole shape `type`; returns its index.
  /// With `updates`, it is that global's value from the next step on.
  uint32_t add_output(std::string name, TensorType type, GlobalId updates = GlobalId());
  /// A communicator over `group` with a queue of its own, called `queue`.
  CommunicatorId add_communicator(Group group, std::string queue);
  /// One over sets of positions, as many in each, with a queue of its own.
  CommunicatorId add_set_communicator(std::vector<std::vector<int64_t>> sets, std::string queue);

  /// Starts a rank group: what follows is done by `positions` only. Without a call, one group has every position.
  void begin_group(std::string name, std::vector<int64_t> positions);
  /// Goes on with the `index`-th group that was begun, where that was left. Groups may be written in turns.
  void continue_group(size_t index);

  /// What is issued from now on, in whatever group, is part of `action`.
  void begin_action(const PlanAction& action);
  /// What is issued from now on is part of none.
  void end_action() { action_ = ActionId(); }

  /// What is issued from now on, in whatever group, is part of a call of `function`, inside of the one that is open.
  void begin_function(std::string function, std::string name);
  void end_function() { call_ = plan_.calls[call_.index()].outer; }

  PlanValueId load(GlobalId global, std::vector<Expr> block, std::vector<int64_t> count, std::string name = "",
                   Location location = Location::here());
  /// With a result of another shape: a part of the block, or without dimensions of size 1.
  PlanValueId load(LoadBlock block, Shape result, std::string name, Location location);
  /// `from` is the op that messages name, where lowering makes several of one.
  PlanValueId local(OpData op, std::vector<PlanValueId> operands, TensorType result, std::string name = "",
                    Location location = Location::here(), std::string_view from = "");
  /// A local op with several results, one name each.
  std::vector<PlanValueId> local(OpData op, std::vector<PlanValueId> operands, std::vector<TensorType> results,
                                 std::vector<std::string> names, Location location = Location::here(),
                                 std::string_view from = "");
  /// An i32 scalar.
  PlanValueId scalar_index(Expr value, std::string name = "", Location location = Location::here(),
                           std::string op = "axis_index");
  PlanValueId take_block(PlanValueId x, int64_t dim, Expr block, int64_t count, std::string name = "",
                         Location location = Location::here());
  PlanValueId put_block(PlanValueId x, int64_t dim, Expr block, int64_t count, std::string name = "",
                        Location location = Location::here());
  PlanValueId keep_on(PlanValueId x, Expr index, int64_t owner, std::string name = "",
                      Location location = Location::here(), std::string op = "convert_state");
  /// Any but all_to_all; `dim` is that of all_gather and reduce_scatter, `precision` that of a sum.
  PlanValueId collective(CollectiveKind kind, CommunicatorId communicator, PlanValueId x, int64_t dim = 0,
                         std::string name = "", Location location = Location::here(),
                         SumPrecision precision = SumPrecision::unspecified);
  PlanValueId all_to_all(CommunicatorId communicator, PlanValueId x, int64_t split_dim, int64_t concat_dim,
                         std::string name = "", Location location = Location::here());
  PlanValueId permute(CommunicatorId communicator, PlanValueId x, Expr target, Expr source, std::string name = "",
                      Location location = Location::here());
  void send(CommunicatorId communicator, PlanValueId x, Expr target, Location location = Location::here());
  PlanValueId receive(CommunicatorId communicator, Expr source, TensorType type, std::string name = "",
                      Location location = Location::here());
  void store(PlanValueId x, uint32_t output, std::vector<Expr> block, std::vector<int64_t> count,
             Location location = Location::here());

  /// Starts `repeat count`; what stands inside for `initial` and then for the slices of `stacked`. Names (empty or one
  /// each) are those of the values inside.
  std::vector<PlanValueId> begin_repeat(int64_t count, std::vector<PlanValueId> initial,
                                        std::vector<PlanValueId> stacked = {}, std::vector<std::string> names = {},
                                        Location location = Location::here());
  /// Ends the innermost repeat; what stands for `yields` after its last iteration, then the stacks of `parts`.
  std::vector<PlanValueId> end_repeat(std::vector<PlanValueId> yields, std::vector<PlanValueId> parts = {},
                                      std::vector<std::string> names = {});

  /// Begins to note what is written; the arguments are those of the call that is noted.
  WrittenCall begin_call(std::vector<PlanValueId> arguments) const;
  void end_call(WrittenCall& call, std::vector<PlanValueId> results);
  /// Whether a call with these arguments is a copy of `call`: that has no loops, and tells no arguments apart which
  /// `arguments` have equal.
  static bool may_copy(const WrittenCall& call, const std::vector<PlanValueId>& arguments);
  /// Writes the same call for other arguments, into the group and action being written: its results. Names that begin
  /// with the text of the action that the call is part of begin with that of this one.
  std::vector<PlanValueId> copy_call(const WrittenCall& call, const std::vector<PlanValueId>& arguments);

  /// Says what a value without a name is in the source.
  void set_written(PlanValueId id, std::string text) { plan_.values.set_written(id, std::move(text)); }

  const TensorType& type(PlanValueId id) const { return plan_.value(id).type(); }
  std::string name(PlanValueId id) const { return plan_.value(id).name(); }
  Plan finish();

 private:
  /// A list of blocks under construction: that of the group, or of an open repeat.
  struct Level {
    std::vector<Block> blocks;
    Repeat repeat;
  };
  PlanValueId add_value(TensorType type, std::string name);
  void issue(InstructionData data, std::vector<PlanValueId> operands, std::vector<PlanValueId> results, std::string op,
             Location location);
  void place(InstructionId id);
  void copy_value(PlanValueId id);
  std::vector<Level>& levels() { return levels_[current_]; }
  void complete_queues(std::vector<Block>& blocks) const;

  Plan plan_;
  std::vector<std::string> queues_;
  std::vector<std::vector<Level>> levels_;  ///< per group, outermost level first
  size_t current_ = 0;                      ///< the group being written
  ActionId action_;                         ///< of what is issued
  CallId call_;                             ///< the innermost one that is open
  size_t repeats_ = 0;                      ///< begun so far
};

}  // namespace isoshard

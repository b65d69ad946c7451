#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engine/engine_context.h"
#include "sim/engine/engine_scope.h"
#include "sim/engine/engine_values.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

/// The values of one device, and what its loops hand on: from before a loop to its first iteration, from one to the
/// next, and behind it, slices of what is stacked and stacks of parts, each as soon as it is there.
class DeviceValues {
 public:
  /// `root`: the blocks of the device.
  DeviceValues(const RunContext& context, int64_t position, const Scope* root);

  /// Keeps what an instruction or a loop has made, with what the run puts in its place, until it has been read.
  void bind(Instance instance, Value&& value);
  Value read(Instance instance) { return values_.read(instance); }

  /// The first queue comes to this iteration of the loop; `outer` numbers the iterations around it.
  void open(const Scope& body, int64_t outer, int64_t iteration);
  /// A queue has gone through all iterations of the loop.
  void leave(const Scope& body, int64_t outer);

 private:
  /// A loop that is being run.
  struct Run {
    explicit Run(const Repeat& repeat)
        : constants(repeat.initial.size()), stacks(repeat.stacks.size()), parts(repeat.stacks.size(), 0) {}
    int64_t opened = 0;                           ///< iterations that some queue has come to
    int64_t opening = 0;                          ///< calls of open() that are under way
    size_t left = 0;                              ///< queues that have gone through
    size_t made = 0;                              ///< results and stacks
    std::vector<std::optional<Value>> constants;  ///< carried values that do not change, where they are known
    std::vector<std::optional<NewValue>> stacks;
    std::vector<int64_t> parts;  ///< that are in each stack
  };

  Run& run_of(const Scope& body, int64_t outer) {
    return runs_.try_emplace({&body, outer}, *body.repeat).first->second;
  }
  void open_idle(const Scope& scope, int64_t number);
  void make(Instance instance, Value&& value);
  void hand_on(const LoopUse& use, Instance instance);
  void begin(const LoopUse& use, Instance instance);
  void carry(const LoopUse& use, Instance instance);
  void keep_constant(const Scope& body, int64_t outer, size_t index, Value value);
  void slice(const Scope& body, int64_t outer, size_t index, int64_t iteration);
  void put(const Scope& body, int64_t number, size_t index, const Value& part);
  void end_if_done(const Scope& body, int64_t outer);

  const RunContext& context_;
  int64_t position_;
  LiveValues values_;
  std::vector<Instance> made_;  ///< that have not been handed on yet
  bool handing_on_ = false;
  std::map<std::pair<const Scope*, int64_t>, Run> runs_;
};

}  // namespace isoshard::sim
